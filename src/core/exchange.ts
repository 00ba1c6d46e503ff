import type { ActionTrigger } from './action.ts';
import type { CodeKey, Evaluation, EvaluationInputs, ForeachInput } from './evaluation.ts';
import type { JobStatus } from './job-status.ts';
import type { Outcome } from './outcome.ts';
import type { PostResult } from './post-result.ts';
import type { Usage, WorkerRecord } from './records.ts';
import type { JobConfig, Requirement } from './workflow-model.ts';

/** The process that claims jobs, so that another one can tell whether it still lives. */
export interface WorkerIdentity {
  host: string;
  boot_id: string;
  pid: number;
  /** Start time of the process, in the units of the host; tells a reused pid. */
  start_time: string;
  site: string;
  labels: string[];
  /**
   * `run`: it drives one run, and what it started dies with it. `service`: it works for a server; its launcher lives
   * on when it is restarted, so that only its lease tells whether it is alive.
   */
  kind: 'run' | 'service';
  /** All that it has. */
  cpus: number;
  memory_bytes: number;
  gpus: number;
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
  /** Only jobs of this workflow; of any shared one unless told. */
  workflow_id?: number;
  /**
   * Rises by one with each exchange of the worker. The newest one can be sent again when its answer was lost: it
   * changes nothing more and gives the same answer. Absent where no answer can be lost.
   */
  seq?: number;
  /** The worker's clock when this is sent; times in it are shifted where the clocks differ. Absent: there is one clock. */
  sent_at_ms?: number;
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
  /** The time of the engine, which may differ from the worker's. */
  at_ms: number;
  /** When the next waiting job becomes due, by the engine's clock; null if none waits. */
  next_due_at_ms: number | null;
  /** What is left of the worker's lease, from when the exchange was sent. */
  lease_ms: number;
  /** Somebody wants the worker to end what it has, take nothing more, and leave. */
  drain: boolean;
  /** Live attempts whose logs somebody is reading: send what is new. */
  follow: number[];
}

/** A worker that was restarted, with what it holds. */
export interface ResumedWorker {
  worker: WorkerRecord;
  /** The newest of its exchanges that was accepted. */
  seq: number;
  held: HeldAttempt[];
  /** Recovery scripts that it was to run, by the token of the attempt that failed, and actions. */
  recoveries: number[];
  actions: number[];
}

/** A live attempt of a worker. One that its launcher does not know, and that was not reported, never started. */
export interface HeldAttempt {
  claim: Claim;
  started_at_ms: number | null;
  /**
   * What was reported of its end, if its post script or code is still to speak. Reported again with `post`, or with
   * evaluations, it is decided.
   */
  observed: FinishReport | null;
  /** What is to be heard before the observed end can be decided; null unless there is one. */
  question: 'post' | EvaluationOrder | null;
}
