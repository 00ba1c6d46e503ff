import type { HandlerOutcome, WalkStep } from './decision.ts';
import type { Evaluation } from './evaluation.ts';
import type { JobStatus } from './job-status.ts';
import type { Category, Cause, Outcome } from './outcome.ts';
import type { JobConfig, Requirement } from './workflow-model.ts';

// What the engine tells about stored things. Field names are the public ones: `--output json` prints
// these objects, and over HTTP they are the bodies.

/** Times are milliseconds since the epoch. */
type Millis = number;

export interface WorkflowRecord {
  id: number;
  name: string;
  description: string | null;
  user: string | null;
  project: string | null;
  run_id: number;
  created_at_ms: Millis;
  /** Where the user ran the command; jobs run there. */
  cwd: string;
  output_dir: string;
  max_parallel: number | null;
  limits: Record<string, number>;
  job_count: number;
  /** Workers of a server run it, not the process that created it. */
  shared: boolean;
}

export type WorkerState = 'active' | 'draining' | 'lost' | 'retired';

export interface WorkerRecord {
  id: number;
  host: string;
  pid: number;
  site: string;
  labels: string[];
  kind: 'run' | 'service';
  /** `lost`: its process is dead, or its lease is over, and nobody has noticed yet. */
  state: WorkerState;
  alive: boolean;
  cpus: number;
  memory_bytes: number;
  gpus: number;
  /** Attempts that it holds. */
  running: number;
  registered_at_ms: Millis;
  lease_expires_at_ms: Millis;
}

export interface FailureHandlerRecord {
  id: number;
  workflow_id: number;
  name: string;
  /** JSON of the list of rules, in the notation of specs. */
  rules: string;
}

/** A change that belongs to no workflow: of tokens and workers. */
export interface AuditRecord {
  id: number;
  at_ms: Millis;
  actor: string;
  action: string;
  subject: string;
}

/** A file that jobs of a workflow declare. */
export interface FileRecord {
  path: string;
  /** Labels of the jobs. */
  produced_by: string[];
  needed_by: string[];
}

export interface UserDataRecord {
  workflow_id: number;
  name: string;
  /** null: it has no value yet. */
  data: unknown;
  is_ephemeral: boolean;
}

export type StatusCounts = Record<JobStatus, number>;

/** One look at a workflow: what `status` prints and the progress screen shows. */
export interface WorkflowStatus {
  workflow: WorkflowRecord;
  counts: StatusCounts;
  complete: boolean;
  /** What `run` would exit with now: 0, 1, 3, or null while incomplete and nothing waits for a decision. */
  exit_code: 0 | 1 | 3 | null;
  started_at_ms: Millis | null;
  finished_at_ms: Millis | null;
  /** Workers that are alive and drive this workflow. */
  workers: WorkerRecord[];
  /** Running jobs, longest first; at most 20. */
  running: { job_id: number; name: string; attempt_id: number; started_at_ms: Millis }[];
  /** Retries that wait, earliest first; at most 20. */
  waiting: {
    job_id: number;
    name: string;
    attempt_id: number;
    retry_available_at_ms: Millis;
    /** How the attempt before ended, and what was decided. */
    outcome: string;
    reason: string;
  }[];
  /** The last failures, newest first, recovered ones included; at most 10. */
  failures: {
    job_id: number;
    name: string;
    attempt_id: number;
    outcome: string;
    reason: string;
    finished_at_ms: Millis;
  }[];
  /** Attempts that ended in this run, and how long the successful ones took on average. */
  attempts: { finished: number; mean_success_ms: number | null };
}

export interface JobRecord {
  id: number;
  workflow_id: number;
  run_id: number;
  name: string;
  scope: string;
  status: JobStatus;
  priority: number;
  visit: number;
  /** The newest attempt of this run; 0 before the first. Two names, because programs ask for both. */
  attempt_id: number;
  current_attempt_id: number;
  failure_count: number;
  preemption_count: number;
  max_retries_failure: number;
  max_retries_preemption: number;
  /** When the next retry may start; 0 if it need not wait. */
  retry_available_at_ms: Millis | 0;
  /** How long `retry:` would wait after the next failure; 0 if it would not retry. */
  next_retry_delay_ms: number;
  /** Why the job is in this status, in one sentence; null while nothing happened. */
  reason: string | null;
  cancel_requested: boolean;
}

export interface JobDetails extends JobRecord {
  config: JobConfig;
  requirement: Requirement;
  depends_on: { job_id: number; name: string; status: JobStatus }[];
}

export type AttemptState =
  | 'PENDING'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'WORKER_FAILED'
  | 'KILLED'
  | 'STOPPED'
  /** Its `if` was false. */
  | 'SKIPPED';

/** Resources the process tree used; null where the attempt was too short to sample. */
export interface Usage {
  peak_rss_bytes: number;
  cpu_seconds: number;
}

export interface AttemptRecord {
  job_id: number;
  job_name: string;
  scope: string;
  run_id: number;
  visit: number;
  /** Label of the job whose route called for this attempt; null if it was planned. */
  caller: string | null;
  attempt_id: number;
  worker_id: number;
  state: AttemptState;
  exit_code: number | null;
  signal: string | null;
  /** The outcome in words; null while live or after success. */
  error: string | null;
  claimed_at_ms: Millis;
  started_at_ms: Millis | null;
  finished_at_ms: Millis | null;
  is_worker_failure: boolean;
  outcome: Outcome | null;
  cause: Cause | null;
  match_code: number | null;
  category: Category | null;
  verdict: string | null;
  rule: string | null;
  /** What became of the failure handler: Retried, NoHandler, NoMatchingRule, MaxRetriesExceeded or Error. */
  handler_outcome: HandlerOutcome | null;
  /** How the recovery script ended; null if there was none, or it has not ended. */
  recovery: Outcome | null;
  reason: string | null;
  /** Where the decision led, if a route of `on_fail` or `on_success` gave it. */
  route: RouteTaken | null;
  /** What the code of the job said when this attempt was decided. */
  evaluations: Evaluation[];
  actor: string | null;
  usage: Usage | null;
  stdout_path: string;
  stderr_path: string;
  /** A step's output. */
  output: unknown;
}

/** A route as it is told in attempts and in the `data` of events. */
export interface RouteTaken {
  kind: 'retry' | 'goto' | 'call' | 'loop_abort';
  /** Steps to run first: the remediation of a `retry`, or what a success calls. */
  run?: string[];
  /** Where a `goto` leads. */
  target?: string;
  /** Re-attempts and jumps taken in the scope, this one included. */
  loop: number;
  max_loops: number;
}

/**
 * What is written to the audit trail. `completed`, `retry`, `requeue`, `failure`, `cancel`, `ask` and `abort` close
 * an attempt.
 */
export type EventType =
  | 'workflow_created'
  | 'run_started'
  | 'run_resumed'
  | 'run_finished'
  | 'worker_lost'
  | 'cancel_requested'
  | 'completed'
  | 'retry'
  | 'requeue'
  | 'failure'
  | 'cancel'
  | 'ask'
  | 'recovery'
  | 'abort'
  | 'run_reset'
  | 'manual_retry'
  /** Somebody decided about a job that waited for it. `data: {action, result, confidence, …}`. */
  | 'decision'
  | 'resources_changed'
  /** `data: {handler}`. */
  | 'handler_created'
  | 'handler_deleted'
  /** `data: {name}`. */
  | 'user_data_set'
  | 'agent'
  | 'note'
  | 'action'
  /** Closes an attempt, or a success whose called steps have ended: back to an ancestor. `data.route`. */
  | 'goto'
  /** As `goto`, where `max_loops` is used up. */
  | 'loop_abort'
  /** A step is run before a re-attempt (`remediation`), or because of a success (`call`). The job is the caller;
   *  `data: {step, position, of}`. */
  | 'remediation'
  | 'call'
  /** An attempt ended that a goto had overtaken. */
  | 'supersede'
  /** A job will not run: its `if` is false, or there is no item for it. */
  | 'disable'
  /** The items of a forEach step became jobs. `data: {items}`. */
  | 'expand';

export interface EventRecord {
  id: number;
  workflow_id: number;
  run_id: number;
  job_id: number | null;
  job_name: string | null;
  /** Scope of the job; null without one. */
  scope: string | null;
  attempt_id: number | null;
  at_ms: Millis;
  type: EventType;
  actor: string | null;
  reason: string | null;
  data: Record<string, unknown>;
}

export interface Explanation {
  job: JobDetails;
  /** The one sentence that matters most. */
  headline: string;
  /** What happens next without anybody doing anything. */
  next: string;
  /** A command that helps, if there is one. */
  hint: string | null;
  attempts: { attempt: AttemptRecord; walk: WalkStep[] }[];
}

/** A page of a list; `next` is the `after` of the following one, null at the end. */
export interface Page<T> {
  items: T[];
  next: number | null;
}
