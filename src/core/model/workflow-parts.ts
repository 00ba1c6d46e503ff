import type { WorkflowExecutor } from '../allocation/executor.ts';
import type { SchedulerModel } from '../allocation/scheduler.ts';
import type { JobStatus } from '../job/job-status.ts';
import type { StdioMode } from '../job/stdio.ts';
import type { ActionModel } from './action.ts';
import type { Requirement } from './workflow-model.ts';

/** A workflow that is about to be stored, without what it consists of. Texts of unknown size are JSON already. */
export interface WorkflowHead {
  name: string;
  description: string | null;
  user: string | null;
  project: string | null;
  metadata: string;
  variables: string;
  routing: string;
  limits: string;
  /** Who is notified. */
  notify: string;
  max_parallel: number | null;
  use_pending_failed: boolean;
  /** Who may see and change it besides its owner. */
  access_groups: string;
  /** The request of which it is a round; null: it was submitted by itself. */
  request_id: number | null;
  /** The only sites at which its jobs may run; null: any. */
  sites: string[] | null;
  job_count: number;
  /** How many rows its parts have. */
  rows: number;
}

export interface StoredJob {
  name: string;
  scope: string;
  status: JobStatus;
  priority: number;
  claim_rank: number;
  /** By their positions in the parts before. */
  requirement: number;
  dependency_set: number | null;
  failure_handler: string | null;
  cancel_on_failure: boolean;
  scheduling_timeout_ms: number | null;
  on_call: boolean;
  blueprint: boolean;
  continue_on_failure: boolean;
  fail_fast: string | null;
  stdio: StdioMode;
  scheduler: string | null;
  config: string;
}

/**
 * What a workflow consists of comes in parts, in this order, none of which takes long to store. Rows name each other by
 * their positions among all rows of a kind.
 */
export type WorkflowPart =
  | { kind: 'requirements'; rows: Requirement[] }
  | { kind: 'schedulers'; rows: SchedulerModel[] }
  | { kind: 'handlers'; rows: { name: string; rules: string }[] }
  | { kind: 'user_data'; rows: { name: string; data: string | null; is_ephemeral: boolean }[] }
  /** How many members count in each; null for one that is not counted, because no job waits for it. */
  | { kind: 'sets'; rows: (number | null)[] }
  | { kind: 'jobs'; rows: StoredJob[] }
  | { kind: 'members'; rows: { set: number; job: number; kind: number }[] }
  | { kind: 'actions'; rows: Omit<ActionModel, 'jobs'>[] }
  | { kind: 'watched'; rows: { action: number; job: number }[] }
  | { kind: 'units'; rows: StoredUnit[] }
  | { kind: 'unit_items'; rows: { unit: number; item_id: number }[] };

/** A unit of a round; `set` counts what must succeed in it. */
export interface StoredUnit {
  number: number;
  set: number;
  first: string | null;
  last: string | null;
  size: number;
  outputs: string[];
}

/** Who submits a workflow, and where it runs. */
export interface SubmittedWorkflow {
  head: WorkflowHead;
  cwd: string;
  output_dir: string;
  actor: string;
  /** Whose it is: the one who submits it, or of a round whoever owns the request. */
  owner: string;
  /** For the workers of a server, not for the process that creates it. */
  shared: boolean;
  /** `slurm`: its schedulers are used. */
  executor: WorkflowExecutor;
  /** At what its run is to end; null: at the end of everything. */
  until: string[] | null;
  idempotency_key: string | null;
  /** Of everything that makes two submissions under one key the same. */
  digest: string;
}
