import type { JobStatus } from '../job/job-status.ts';

/** Why the result of a job no longer stands, as it is found where the files are. */
export const STALE_KINDS = ['input_changed', 'output_missing', 'output_changed'] as const;

export interface StaleReason {
  kind: (typeof STALE_KINDS)[number];
  /** The declared file. */
  path: string;
}

/** Why a job starts over in a new run. */
export type RestartReason =
  | StaleReason
  /** It did not complete. */
  | { kind: 'unsuccessful'; status: JobStatus }
  /** A job that it depends on starts over. */
  | { kind: 'upstream'; job: string };
