import type { Exchange, ExchangeResult, ResumedWorker, WorkerIdentity } from './exchange.ts';
import type { JobRef } from './job-ref.ts';
import type { JobStatus } from './job-status.ts';
import type { LogChunk, LogPart, LogQuery } from './log-access.ts';
import type {
  AttemptRecord,
  AuditRecord,
  EventRecord,
  Explanation,
  FailureHandlerRecord,
  FileRecord,
  JobDetails,
  JobRecord,
  Page,
  UserDataRecord,
  WorkerRecord,
  WorkflowRecord,
  WorkflowStatus,
} from './records.ts';
import type {
  DecisionRecord,
  FailureGroup,
  FailureQuery,
  RecoverRequest,
  RecoverResult,
  ResolveRequest,
  ResolveResult,
  ResourceChange,
  ResourceChangeResult,
  Utilization,
} from './resolution.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { RoutingOverrides } from './routing-overrides.ts';
import type { CreatedToken, NewToken, TokenRecord } from './token.ts';
import type { WorkflowModel } from './workflow-model.ts';

/** What a model was made from. An engine elsewhere makes it again, and believes nothing else. */
export interface SpecSource {
  text: string;
  /** File name: its extension tells the format; otherwise only used in messages. */
  name: string;
  retry_defaults?: Partial<RetryPolicy>;
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
  /** The same key with the same workflow gives the workflow that there is; with another one it is refused. */
  idempotency_key?: string;
}

export interface PageQuery {
  /** The `next` of the page before. */
  after?: number;
  /** At most 1,000; 100 unless told. */
  limit?: number;
}

export const JOB_SORTS = ['id', '-id', 'name', '-name'] as const;
/** `-`: descending. */
export type JobSort = (typeof JOB_SORTS)[number];

export interface JobQuery extends PageQuery {
  statuses?: JobStatus[];
  /** Part of the name. */
  name?: string;
  /** `id` unless told. */
  sort?: JobSort;
}

export interface AttemptQuery extends PageQuery {
  job?: JobRef;
  /** Only this run; all runs unless told. */
  run_id?: number;
}

export interface EventQuery extends PageQuery {
  job?: JobRef;
}

export interface CancelRequest {
  /** All jobs that have not ended, unless told. */
  jobs?: JobRef[];
  actor: string;
  reason?: string;
  dry_run?: boolean;
}

export interface CancelResult {
  /** Canceled at once: they were not running. */
  canceled: number[];
  /** Being stopped by their workers. */
  stopping: number[];
}

export interface ResetRequest {
  /** Only jobs that did not succeed, and what is downstream of them; all jobs unless told. */
  failed_only?: boolean;
  actor: string;
  dry_run?: boolean;
}

export interface ResetResult {
  /** The run that begins with it. */
  run_id: number;
  jobs: { id: number; name: string; status: JobStatus }[];
}

export interface RetryRequest {
  /** The limit to check against, if there is one. */
  max_retries?: number;
  /** The run the caller believes to be the current one. */
  run_id?: number;
  actor: string;
}

export interface DecisionQuery extends PageQuery {
  workflow_id?: number;
  fingerprint?: string;
}

export interface AddedEvent {
  type: 'agent' | 'note';
  actor: string;
  reason: string;
  data: Record<string, unknown>;
}

export interface NewFailureHandler {
  name: string;
  /** JSON of the list of rules, as a spec would have them. */
  rules: string;
  /** Jobs that have it from now on. */
  jobs?: JobRef[];
  actor: string;
}

export interface UserDataChange {
  /** JSON; null: no value. */
  data: unknown;
  actor: string;
}

export type Adoption =
  /** This worker drives the run now; `lost` attempts of dead workers were taken back. */
  | { mode: 'drive'; lost: number }
  /** Another live worker drives it; only follow. */
  | { mode: 'follow'; worker: WorkerRecord };

/**
 * Everything that can be asked of Holdfast. Implemented in process and, later, over HTTP; commands,
 * tools and workers are written against it and do not know which they have.
 * Unknown workflows and jobs, and refused changes, are HoldfastErrors.
 */
export interface Engine {
  createWorkflow(workflow: NewWorkflow): Promise<WorkflowRecord>;
  getWorkflow(id: number): Promise<WorkflowRecord>;
  /** Newest first. */
  listWorkflows(query?: PageQuery): Promise<Page<WorkflowRecord>>;
  status(workflowId: number): Promise<WorkflowStatus>;
  listJobs(workflowId: number, query?: JobQuery): Promise<Page<JobRecord>>;
  getJob(workflowId: number, job: JobRef): Promise<JobDetails>;
  listAttempts(workflowId: number, query?: AttemptQuery): Promise<Page<AttemptRecord>>;
  listEvents(workflowId: number, query?: EventQuery): Promise<Page<EventRecord>>;
  explain(workflowId: number, job: JobRef): Promise<Explanation>;
  cancel(workflowId: number, request: CancelRequest): Promise<CancelResult>;
  /** Begins a new run in which the jobs start over. */
  resetStatus(workflowId: number, request: ResetRequest): Promise<ResetResult>;
  /** A job of any workflow. */
  findJob(id: number): Promise<JobDetails>;
  /** Runs a job that ended without success once more, in the same run. */
  retryJob(workflowId: number, job: JobRef, request: RetryRequest): Promise<JobDetails>;

  /** Decides about jobs that wait for it; as a whole or not at all. */
  resolve(workflowId: number, request: ResolveRequest): Promise<ResolveResult>;
  /** Failed jobs of the current run, grouped by what their failures look like; largest groups first. */
  listFailures(workflowId: number, query?: FailureQuery): Promise<FailureGroup[]>;
  /** Newest first. */
  listDecisions(query?: DecisionQuery): Promise<Page<DecisionRecord>>;
  /** Tries again what failed for a known cause, with more of what it lacked. */
  recover(workflowId: number, request: RecoverRequest): Promise<RecoverResult>;
  /** What the next attempts of a job may use; for this job alone. */
  changeResources(workflowId: number, job: JobRef, change: ResourceChange): Promise<ResourceChangeResult>;
  utilization(workflowId: number, query?: PageQuery): Promise<Page<Utilization>>;
  /** Writes a line to the audit trail that no change of the engine's own tells. */
  addEvent(workflowId: number, event: AddedEvent): Promise<void>;

  createFailureHandler(workflowId: number, handler: NewFailureHandler): Promise<FailureHandlerRecord>;
  listFailureHandlers(workflowId: number): Promise<FailureHandlerRecord[]>;
  getFailureHandler(id: number): Promise<FailureHandlerRecord>;
  /** Jobs that had it have none. */
  deleteFailureHandler(id: number, actor: string): Promise<FailureHandlerRecord>;
  /** Files that jobs declare, by path. */
  listFiles(workflowId: number): Promise<FileRecord[]>;
  listUserData(workflowId: number): Promise<UserDataRecord[]>;
  setUserData(workflowId: number, name: string, change: UserDataChange): Promise<UserDataRecord>;
  readLog(workflowId: number, query: LogQuery): Promise<LogChunk>;

  /** Newest first. */
  listWorkers(query?: PageQuery): Promise<Page<WorkerRecord>>;
  /** The worker ends what it has, takes nothing more, and leaves. */
  drainWorker(workerId: number, actor: string): Promise<WorkerRecord>;
  /** Changes that belong to no workflow, newest first. */
  listAudit(query?: PageQuery): Promise<Page<AuditRecord>>;
  createToken(token: NewToken): Promise<CreatedToken>;
  listTokens(): Promise<TokenRecord[]>;
  revokeToken(id: number, actor: string): Promise<TokenRecord>;

  /** `actor`, here and below: who asked a server for it, to be written down; a server knows by itself. */
  registerWorker(identity: WorkerIdentity, actor?: string): Promise<WorkerRecord>;
  /** A restarted process goes on as the worker that it was; refused once that has been given up. */
  resumeWorker(workerId: number, identity: WorkerIdentity, actor?: string): Promise<ResumedWorker>;
  /** Take over a run: attempts whose worker is dead are closed as lost. */
  adopt(workflowId: number, workerId: number): Promise<Adoption>;
  /** Reports and claims in one transaction; also renews the worker's lease. */
  exchange(workerId: number, exchange: Exchange): Promise<ExchangeResult>;
  /** Logs of attempts that the worker holds or has held. */
  putLogs(workerId: number, parts: LogPart[]): Promise<void>;
  /** The worker leaves; what it still holds is closed as lost. */
  retireWorker(workerId: number, actor?: string): Promise<void>;

  /**
   * Calls back after something was committed, here or in another process; for a worker, where that can be told, only
   * if there may be something for it. Returns the way to stop.
   */
  onChange(listener: () => void, workerId?: number): () => void;
  close(): Promise<void>;
}

/** What a server needs besides: nobody reaches this over the network. */
export interface ServedEngine extends Engine {
  /** The live token with this secret; null if there is none. */
  authenticate(secret: string): Promise<TokenRecord | null>;
  /** Gives up workers whose lease is over. Returns how many. */
  sweep(): Promise<number>;
  /** Whether anything may be waiting for a worker that has room; cheap, and never wrong when it says no. */
  hasWork(): Promise<boolean>;
  /** Workers to which something is to be said whether they have room or not: cancels, drains, readers of logs. */
  workersToTell(): Promise<number[]>;
  /** What the jobs of a workflow are given, each environment once; secrets are not masked. */
  environments(workflowId: number): Promise<Record<string, string>[]>;
  /** Rejects while the store does not answer. */
  ping(): Promise<void>;
}
