import type { Ownership } from '../core/access/may-change.ts';
import type { WorkflowExecutor } from '../core/allocation/executor.ts';
import type { StaleReason } from '../core/files/stale-reason.ts';
import type { JobStatus } from '../core/job/job-status.ts';
import type { WorkflowModel } from '../core/model/workflow-model.ts';
import type { SubmittedWorkflow, WorkflowHead, WorkflowPart } from '../core/model/workflow-parts.ts';
import type { RetryPolicy } from '../core/policy/retry-policy.ts';
import type { RoutingOverrides } from '../core/policy/routing-overrides.ts';
import type { ErrorSettings } from '../core/request/error-settings.ts';
import type { NewItem, RequestModel } from '../core/request/request-model.ts';
import type { Allocator } from './allocator.ts';
import type { ReadBy } from './by.ts';
import type { DagImport } from './dag-evidence.ts';
import type { AnswerOf } from './endpoint.ts';
import type { endpoints, OperationMethods } from './endpoints.ts';
import type { RequestOf } from './operation.ts';
import type { AttemptTimes } from './records/attempt-times.ts';
import type {
  Adoption,
  Exchange,
  ExchangeResult,
  RegisteredWorker,
  ResumedWorker,
  WorkerIdentity,
} from './records/exchange.ts';
import type { LogChunk, LogPart, LogQuery } from './records/log-access.ts';
import type { Sender, UnsentNotification } from './records/notification.ts';
import type { WorkflowRecord } from './records/records.ts';
import type { RequestRecord } from './records/request.ts';
import type { TokenRecord } from './records/token.ts';
import type { UpdateResult } from './records/update.ts';
import type { FoundNews, WorkerPlace } from './records/worker-news.ts';
import type { RunDriver } from './run-engine.ts';
import type { Subject } from './subject.ts';

/** By the name of a variable or parameter. */
export type SettingsOfSpec = Record<string, string | number | boolean | (string | number | boolean)[]>;

/** What a model was made from. An engine elsewhere makes it again, and believes nothing else. */
export interface SpecSource {
  text: string;
  /** File name: its extension is the format; otherwise only used in messages. */
  name: string;
  retry_defaults?: Partial<RetryPolicy>;
  /** Values of variables and parameters instead of those of the spec. */
  set?: SettingsOfSpec;
  /** What the spec reads besides: texts of files by their paths in it, and what its patterns matched. */
  files?: { texts: Record<string, string>; lists: Record<string, string[]> };
  overrides?: RoutingOverrides;
}

export interface NewWorkflow {
  model: WorkflowModel;
  /** Over the network this is sent, not the model; absent for a model that a program made by itself. */
  source?: SpecSource;
  /** Where jobs run and logs are kept. Relative paths are seen from where the worker was started. */
  cwd: string;
  output_dir: string;
  actor: string;
  /** For the workers of a server, not for the process that creates it. */
  shared?: boolean;
  /** Default: a server that has a cluster uses the schedulers of the workflow; elsewhere workers that are there do. */
  executor?: WorkflowExecutor;
  /** Jobs and output files at which its run is to end; absent: at the end of everything. */
  until?: string[];
  /** The same key with the same workflow gives the workflow that there is; with another one it is refused. */
  idempotency_key?: string;
}

/** An edited spec for a workflow that there is. */
export interface WorkflowUpdate {
  model: WorkflowModel;
  /** Over the network this is sent, not the model; absent for a model that a program made by itself. */
  source?: SpecSource;
  actor: string;
  /** Jobs whose files are known to be others than those of their last attempt. */
  stale?: StaleJob[];
  /** Returns the plan, and changes nothing. */
  dry_run?: boolean;
  /** At most so many jobs in the answer (default: 1,000). */
  limit?: number;
}

/** Where an imported workflow runs, whatever its export says. */
export interface ImportRequest {
  cwd: string;
  output_dir: string;
  actor: string;
  /** For the workers of a server; it is paused until it is run or resumed. */
  shared: boolean;
}

export interface StaleJob {
  job_id: number;
  reason: StaleReason;
}

/** What an update was made from: the edited spec as it would be stored, in parts. */
export interface SubmittedUpdate extends Pick<WorkflowUpdate, 'actor' | 'stale' | 'dry_run' | 'limit'> {
  head: WorkflowHead;
}

/** What a request was made from, with the files that its spec names. */
export interface RequestSource {
  text: string;
  name: string;
  /** Texts of files by their paths in the spec, and what its patterns matched. */
  files: { texts: Record<string, string>; lists: Record<string, string[]> };
  set?: SettingsOfSpec;
}

export interface NewRequest {
  model: RequestModel;
  /** null for a range. */
  items: NewItem[] | null;
  /** Settings of the configuration; the spec overrides them. */
  settings?: Partial<ErrorSettings>;
  /** Over the network this is sent, not the model. */
  source?: RequestSource;
  cwd: string;
  output_dir: string;
  actor: string;
  shared?: boolean;
}

type Endpoints = typeof endpoints;

export type WorkflowQuery = ReadBy<RequestOf<Endpoints['listWorkflows']>>;
export type SummaryQuery = ReadBy<RequestOf<Endpoints['listSummaries']>>;
export type WorkerQuery = RequestOf<Endpoints['listWorkers']>;
export type PageQuery = Omit<WorkflowQuery, 'archived'>;
export type JobQuery = RequestOf<Endpoints['listJobs']>;
export type TimelineQuery = RequestOf<Endpoints['listTimelines']>;
export type JobSort = NonNullable<JobQuery['sort']>;
export type AttemptQuery = RequestOf<Endpoints['listAttempts']>;
export type SampleQuery = RequestOf<Endpoints['samples']>;
export type EventQuery = RequestOf<Endpoints['listEvents']>;
export type FailureQuery = RequestOf<Endpoints['listFailures']>;
export type FailureSummaryQuery = RequestOf<Endpoints['summarizeFailures']>;
export type FailureSummaries = AnswerOf<Endpoints['summarizeFailures']>;
export type DecisionQuery = ReadBy<RequestOf<Endpoints['listDecisions']>>;
export type CancelRequest = RequestOf<Endpoints['cancel']>;
export type CancelResult = AnswerOf<Endpoints['cancel']>;
export type CanceledJobs = Omit<CancelResult, 'actions'>;
export type UntilRequest = RequestOf<Endpoints['setUntil']>;
export type PauseRequest = RequestOf<Endpoints['pauseWorkflow']>;
export type RequestQuery = ReadBy<RequestOf<Endpoints['listRequests']>>;
export type UnitQuery = RequestOf<Endpoints['listUnits']>;
export type ItemQuery = RequestOf<Endpoints['listItems']>;
export type RequestAction = RequestOf<Endpoints['failRequest']>;
export type ReleaseAction = RequestOf<Endpoints['releaseRequest']>;
export type StopAction = RequestOf<Endpoints['stopRequest']>;
export type BanAction = RequestOf<Endpoints['banSite']>;
export type ResetRequest = RequestOf<Endpoints['resetStatus']>;
export type ResetResult = AnswerOf<Endpoints['resetStatus']>;
export type ReinitializeRequest = RequestOf<Endpoints['reinitialize']>;
export type ReinitializeResult = AnswerOf<Endpoints['reinitialize']>;
export type RetryRequest = RequestOf<Endpoints['retryJob']>;
export type RetryJobsRequest = RequestOf<Endpoints['retryJobs']>;
export type RetryJobsResult = AnswerOf<Endpoints['retryJobs']>;
export type NewFailureHandler = RequestOf<Endpoints['createFailureHandler']>;
export type SchedulersChange = RequestOf<Endpoints['putSchedulers']>;
export type AllocationQuery = ReadBy<RequestOf<Endpoints['listAllocations']>>;
export type NewAllocations = RequestOf<Endpoints['orderAllocations']>;
export type Removal = AnswerOf<Endpoints['deleteWorkflow']>;
export type PruneRequest = RequestOf<Endpoints['pruneWorkflows']>;
export type PruneResult = AnswerOf<Endpoints['pruneWorkflows']>;
export type UserDataChange = RequestOf<Endpoints['setUserData']>;

/**
 * Everything that can be asked of Holdfast, in process or over HTTP: commands, tools and workers are written against it
 * and do not know which they have. Most of its methods are the operations of the contract. Unknown workflows and jobs,
 * and refused changes, are HoldfastErrors.
 */
export interface Engine extends OperationMethods {
  createWorkflow(workflow: NewWorkflow): Promise<WorkflowRecord>;
  /** Makes a stored workflow what an edited spec says: what is different runs again, with all that is downstream. */
  updateWorkflow(workflowId: number, update: WorkflowUpdate): Promise<UpdateResult>;
  createRequest(request: NewRequest): Promise<RequestRecord>;
  readLog(workflowId: number, query: LogQuery): Promise<LogChunk>;

  /** `actor`, here and below: who asked a server for it, to be written down; a server knows by itself. */
  registerWorker(identity: WorkerIdentity, actor?: string): Promise<RegisteredWorker>;
  /** A restarted process continues as the worker that it was; refused without its secret, and once it has retired. */
  resumeWorker(
    worker: { id: number; secret: string },
    identity: WorkerIdentity,
    actor?: string,
  ): Promise<ResumedWorker>;
  /** Take over a run: attempts whose worker is dead are closed as lost. */
  adopt(workflowId: number, workerId: number): Promise<Adoption>;
  /** Reports and claims in one transaction; also renews the worker's lease. */
  exchange(workerId: number, exchange: Exchange): Promise<ExchangeResult>;
  /** Logs of attempts that the worker holds or has held. */
  putLogs(workerId: number, parts: LogPart[]): Promise<void>;
  /** The worker leaves; what it still holds is closed as lost. */
  retireWorker(workerId: number, actor?: string): Promise<void>;

  /**
   * Calls back after something was committed, here or in another process; for a worker, where that is known, only
   * if there may be something for it. Returns the way to stop.
   */
  onChange(listener: () => void, workerId?: number): () => void;
  /** Reads wait for a server that does not answer. Absent where there is none. Returns the way to stop. */
  waitOutOutages?(patience: OutagePatience): () => void;
  close(): Promise<void>;
}

/** How long a follower waits for a server that does not answer. */
export interface OutagePatience {
  /** How long; then it is an error. */
  patienceMs: number;
  /** The server has stopped answering, or answers again. */
  notify(line: string): void;
}

/** What a server needs besides: nobody reaches this over the network. */
export interface ServedEngine extends Engine {
  /** The live token with this secret; null if there is none. */
  authenticate(secret: string): Promise<TokenRecord | null>;
  /** Whose it is. Nothing if it is not there; of a worker, one for each workflow of which it holds jobs. */
  ownerships(subject: Subject): Promise<Ownership[]>;
  /** The hash of a worker's secret; null if there is no such worker. */
  workerSecretHash(workerId: number): Promise<string | null>;
  /** Stores a workflow that comes in parts; it is there when all of it is. */
  storeWorkflow(workflow: SubmittedWorkflow, parts: AsyncIterable<WorkflowPart>): Promise<WorkflowRecord>;
  /** The same as `updateWorkflow`, for a spec that comes in parts. */
  storeUpdate(
    workflowId: number,
    update: SubmittedUpdate,
    parts: AsyncIterable<WorkflowPart>,
  ): Promise<UpdateResult>;
  /** A server starts: time during which none was up does not count for leases. */
  start(): Promise<void>;
  /**
   * Gives up workers that are dead or whose lease is over, and removes workflows that were begun and not stored to the
   * end. Does errands of the server. Returns how many workers.
   */
  sweep(): Promise<number>;
  /**
   * Moves requests on: finishes stops, admits and plans. Of one request, or of all that are shared. Returns whether
   * anything was done.
   */
  tendRequests(which: { name: string } | { most_active: number }): Promise<boolean>;
  /** Targets of the configuration of this process are notified of what it drives. */
  subscribe(sender: Exclude<Sender, 'shared'>): Promise<void>;
  /** Sends notifications that are due, in the background. Called after a change. */
  sendNotifications(sender: Sender): Promise<void>;
  /**
   * Sends what is left of what this process drove, tries that failed once more included, until all of it is sent or the
   * signal is aborted. Returns what was not sent; it stays ordered.
   */
  finishNotifications(sender: Exclude<Sender, 'shared'>, signal: AbortSignal): Promise<UnsentNotification[]>;
  /**
   * One pass over allocations: orders what is needed, submits, looks at the cluster, cancels. Does nothing while another
   * process does it. Returns in how many ms to call again at the latest. It may be called earlier, after a change,
   * but counts open jobs each time: 80 ms for 100,000, so that once a second is often enough.
   */
  tendAllocations(allocator: Allocator): Promise<number>;
  /** Random, and the same for as long as the database lives: numbers of workflows and jobs repeat in other databases. */
  databaseId(): Promise<string>;
  /**
   * One pass over runs that are run elsewhere: submits, looks at the queue, reads back, removes. Leaves to another process
   * what that looks after. Returns in how many ms to call again at the latest, how many runs are not read back yet, and what
   * keeps runs from continuing.
   */
  tendRuns(driver: RunDriver): Promise<{ wait_ms: number; open: number; problems: string[] }>;
  /**
   * Stores a DAG, from what its files say, as a request that has ended as FAILED, to be looked at: nothing of it runs. A
   * thousand nodes take a second, in one transaction.
   */
  importDag(dag: DagImport): Promise<RequestRecord>;
  /** The process leaves its runs to another one. */
  leaveRuns(driver: RunDriver): Promise<void>;
  /** The process leaves the allocations to another one. */
  leaveAllocations(allocator: Allocator): Promise<void>;
  /** What there may be for workers that wait; cheap. With `withJobs` also jobs that could start. */
  findNews(withJobs: boolean): Promise<FoundNews>;
  /** Where these workers are. Those that are not there are left out. */
  workerPlaces(ids: readonly number[]): Promise<WorkerPlace[]>;
  /** Jobs of workflows whose runs are open, by status. */
  countJobs(): Promise<Record<JobStatus, number>>;
  /** How long these attempts waited for a worker, and their ends for a decision. Those that are gone are left out. */
  attemptTimes(tokens: readonly number[]): Promise<AttemptTimes[]>;
  /** Decisions that an actor has made in the last 24 hours. */
  countDecisions(actor: string): Promise<number>;
  /** What the jobs of a workflow are given, each environment once; secrets are not masked. */
  environments(workflowId: number): Promise<Record<string, string>[]>;
  /** Writes a consistent copy of the whole state to a new file; refused where a database server has it. */
  backup(path: string): Promise<void>;
  /**
   * A workflow with its history, as lines of text that `importWorkflow` reads; secrets in environments are not masked.
   * Refused while something of it runs. `program`: the version of Holdfast, to be written down.
   */
  exportWorkflow(workflowId: number, program: string): AsyncIterable<string>;
  /** Stores an export as a new workflow, of which nothing runs before a `run` or `resume`. `open` is called twice. */
  importWorkflow(open: () => AsyncIterable<string>, request: ImportRequest): Promise<WorkflowRecord>;
  /** Rejects while the store does not answer. */
  ping(): Promise<void>;
}
