import type { AttemptRecord, JobRecord } from '../contract/records/records.ts';
import { type JobStatus, TERMINAL_STATUSES } from '../core/job/job-status.ts';

/** How a job stands, in words that leave out the workflow around it. */
export type JobState =
  | 'PENDING'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  /** It failed because its workers were lost, too often. */
  | 'WORKER_FAILED'
  | 'KILLED'
  /** It will not run: its `if` is false, or nothing called it. */
  | 'SKIPPED'
  /** It failed, and waits for a decision. */
  | 'PENDING_FAILED';

/** `newest`: the attempt that decided, if there was one. */
export function jobState({ status }: Pick<JobRecord, 'status'>, newest: AttemptRecord | undefined): JobState {
  switch (status) {
    case 'uninitialized':
    case 'blocked':
    case 'ready':
    case 'pending':
      return 'PENDING';
    case 'running':
      return 'RUNNING';
    case 'completed':
      return 'SUCCEEDED';
    case 'failed':
    case 'terminated':
      return newest?.is_worker_failure ? 'WORKER_FAILED' : 'FAILED';
    case 'canceled':
      return 'KILLED';
    case 'disabled':
      return 'SKIPPED';
    case 'pending_failed':
      return 'PENDING_FAILED';
  }
}

/** Nothing more happens to it without a person or another program. */
export function jobHasEnded(status: JobStatus): boolean {
  return TERMINAL_STATUSES.has(status) || status === 'pending_failed';
}
