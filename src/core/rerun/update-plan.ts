import type { StoredRow } from './edited-workflow.ts';
import type { JobField } from './field-kinds.ts';
import type { RerunReason, UpdateAction } from './rerun-reason.ts';

/** What an update does about one job that does not stay as it is. */
export interface UpdatedRow {
  name: string;
  scope: string;
  /** null: there is no row for it yet. */
  row: StoredRow | null;
  /** Its place in the edited spec; null: it is not in it. */
  edited: number | null;
  action: UpdateAction;
  reason: RerunReason;
  fields: JobField[];
}

/** Parts of a workflow beside its jobs. */
export const WORKFLOW_FIELDS = [
  'name',
  'description',
  'user',
  'project',
  'metadata',
  'variables',
  'limits',
  'max_parallel',
  'use_pending_failed',
  'access_groups',
  'routing',
  'failure_handlers',
  'user_data',
  'actions',
  'notify',
  'schedulers',
] as const;

export type WorkflowField = (typeof WORKFLOW_FIELDS)[number];

/** A row that is written as the edited spec says. */
export interface RowWrite {
  row: StoredRow;
  /** Its place in the edited spec. */
  edited: number;
  /** Memory and runtime that were changed since the spec asked for them stand. */
  keeps_resources: boolean;
  /** It waits for others than before; null: for none. Absent: for the same. */
  set?: number | null;
}

export interface UpdatePlan {
  /** `same_run`: the current run continues. `new_run`: jobs that have run start over, so that a new run begins. */
  mode: 'nothing' | 'same_run' | 'new_run';
  jobs: UpdatedRow[];
  /** All stored jobs, by id. */
  rows: ReadonlyMap<number, StoredRow>;
  /** How many jobs stay as they are. */
  unchanged: number;
  workflow: WorkflowField[];
  writes: RowWrite[];
  /** Places in the edited spec of jobs that have no row. */
  inserts: number[];
  /** Ids of rows that are removed, those of items included. */
  removes: number[];
  /** Ids of rows that stand for items again, which are made anew. */
  renews: number[];
  /** Ids of rows that start over. */
  resets: number[];
  /** Ids of rows that an earlier update removed and that are there again. */
  revives: number[];
  /** Ids of rows of items, by the places of their jobs in the edited spec. */
  copies: ReadonlyMap<number, readonly number[]>;
  /** Sets that an edited set is equal to, by its place. */
  known_sets: ReadonlyMap<number, number>;
}
