import type { ActionTrigger } from './action.ts';
import type { CodeKey, Evaluation, EvaluationInputs, ForeachInput } from './evaluation.ts';
import type { JobStatus } from './job-status.ts';
import type { Outcome } from './outcome.ts';
import type { PostResult } from './post-result.ts';
import type {
  AttemptRecord,
  EventRecord,
  Explanation,
  JobDetails,
  JobRecord,
  Page,
  Usage,
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
import type { JobConfig, Requirement, WorkflowModel } from './workflow-model.ts';

/** A job by its number or its name. */
export type JobRef = number | string;

export interface NewWorkflow {
  model: WorkflowModel;
  cwd: string;
  output_dir: string;
  actor: string;
}

export interface PageQuery {
  /** The `next` of the page before. */
  after?: number;
  /** At most 1,000; 100 unless told. */
  limit?: number;
}

export interface JobQuery extends PageQuery {
  statuses?: JobStatus[];
  /** Part of the name. */
  name?: string;
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

/** The process that claims jobs, so that another one can tell whether it still lives. */
export interface WorkerIdentity {
  host: string;
  boot_id: string;
  pid: number;
  /** Start time of the process, in the units of the host; tells a reused pid. */
  start_time: string;
  site: string;
  labels: string[];
}

/** What a worker has free at this moment. */
export interface Capacity {
  cpus: number;
  memory_bytes: number;
  gpus: number;
  /** How many more jobs it would start. */
  slots: number;
  /** CPUs that a job without a requirement takes. */
  default_cpus: number;
}

export interface StartReport {
  token: number;
  started_at_ms: number;
}

export interface FinishReport {
  token: number;
  /** null if the process was never started. */
  started_at_ms: number | null;
  finished_at_ms: number;
  outcome: Outcome;
  usage: Usage | null;
  output?: unknown;
  /** What the job set of its declared user data; stored only if the job completes by this attempt. */
  user_data?: Record<string, unknown>;
  /** Patterns of the failure handler that were found in stderr. */
  stderr_matches?: string[];
  /** Tells failures apart that look alike; absent where there was none. */
  fingerprint?: string;
  /** What the post script said; absent as long as it was not asked. */
  post?: PostResult;
  /** What the code that had to be asked said. An `if` that is false means that nothing was started. */
  evaluations?: Evaluation[];
}

/** Code to evaluate before anything is decided. */
export interface EvaluationOrder {
  /**
   * Of `attempt`: the one that was just reported; it is to be reported again with the evaluations. Of `route`: an
   * earlier attempt, whose steps to run have ended; answered in `Exchange.evaluated`.
   */
  of: 'attempt' | 'route';
  token: number;
  codes: { key: CodeKey; code: string }[];
  /** Without what only the worker can see: stdout and stderr of the error. */
  inputs: EvaluationInputs;
  /** What the environment of the worker adds to `inputs.env`. */
  env: string[];
  /** Where stdout and stderr of the error are, if the worker does not know by itself. */
  logs?: { stdout: string; stderr: string };
}

/** Answers an EvaluationOrder of a route. */
export interface EvaluationReport {
  token: number;
  evaluations: Evaluation[];
}

/** A recovery script that has ended, by the token of the attempt that failed. */
export interface RecoveryReport {
  token: number;
  outcome: Outcome;
}

/** Commands whose moment has come. */
export interface ActionOrder {
  action_id: number;
  workflow_id: number;
  run_id: number;
  trigger: ActionTrigger;
  commands: string[];
  cwd: string;
  output_dir: string;
}

export interface ActionReport {
  action_id: number;
  outcome: Outcome;
}

/** Run this before the job is tried again; the token is that of the attempt that failed. */
export interface RecoveryOrder {
  token: number;
  script: string;
  return_code: number;
}

/** A job handed to a worker: the right to make one attempt. */
export interface Claim {
  /** Identifies the attempt in reports, and rises with every claim: the fencing token given to programs. */
  token: number;
  workflow_id: number;
  run_id: number;
  job_id: number;
  job_name: string;
  scope: string;
  visit: number;
  attempt_id: number;
  cwd: string;
  output_dir: string;
  config: JobConfig;
  requirement: Requirement;
  /** Patterns to look for in stderr when the attempt has failed. */
  stderr_patterns: string[];
  /** What the `if` of the job sees; null if it has none. */
  condition: Pick<EvaluationOrder, 'inputs' | 'env'> | null;
  /** Outputs of completed steps, for templates; empty unless the command is one. A reduce step gets lists. */
  outputs: Record<string, unknown>;
  /** For a reduce step that is a template: per joined step, the items that did not succeed. */
  failures: Record<string, ItemFailure[]>;
  /** The item of the innermost forEach around the job. */
  foreach: ForeachInput | null;
  /** The workflow's variables, for templates; empty unless the command is one. */
  variables: Record<string, unknown>;
  /** Values of the user data that the job reads; one that has no value is left out. */
  user_data: Record<string, unknown>;
}

/** One item of a joined step that did not succeed. */
export interface ItemFailure {
  key: string | number;
  index: number;
  status: JobStatus;
  error: string;
}

export interface Exchange {
  started: StartReport[];
  finished: FinishReport[];
  recovered: RecoveryReport[];
  acted: ActionReport[];
  evaluated: EvaluationReport[];
  /** The worker is about to leave: it only takes what is to be done at its end. */
  leaving?: boolean;
  /** null: report only. */
  capacity: Capacity | null;
  /** Only jobs of this workflow; of any unless told. */
  workflow_id?: number;
}

export interface ExchangeResult {
  claims: Claim[];
  /** Tokens whose report changed nothing, because the attempt had ended or was never this worker's. */
  rejected: number[];
  /** Live attempts of this worker whose job was canceled: end them. */
  cancel: number[];
  /** Attempts whose outcome is stored and whose post script is to be run now. */
  post: number[];
  recover: RecoveryOrder[];
  act: ActionOrder[];
  evaluate: EvaluationOrder[];
  /** When the next waiting job becomes due; null if none waits. */
  next_due_at_ms: number | null;
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
  /** Runs a job that ended without success once more, in the same run. */
  retryJob(workflowId: number, job: JobRef, request: RetryRequest): Promise<JobRecord>;

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

  registerWorker(identity: WorkerIdentity): Promise<WorkerRecord>;
  /** Take over a run: attempts whose worker is dead are closed as lost. */
  adopt(workflowId: number, workerId: number): Promise<Adoption>;
  /** Reports and claims in one transaction; also renews the worker's lease. */
  exchange(workerId: number, exchange: Exchange): Promise<ExchangeResult>;
  /** The worker leaves; what it still holds is closed as lost. */
  retireWorker(workerId: number): Promise<void>;

  /** Calls back after something was committed, here or in another process. Returns the way to stop. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
