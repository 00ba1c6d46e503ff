import type { StatusCounts, WorkflowStatus } from '../contract/records/records.ts';
import { JOB_STATUSES, type JobStatus, TERMINAL_STATUSES } from '../core/job/job-status.ts';

export type WorkflowState =
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'partial'
  | 'waiting for a decision'
  | 'paused'
  | 'stopping'
  | 'stopped'
  | 'running'
  | 'incomplete';

/** One word for a workflow. `partial`: only jobs are left that `until` does not need. `incomplete`: no process drives it now. `canceled`: nothing failed, some jobs were canceled. */
export function workflowState(
  status: Pick<WorkflowStatus, 'workflow' | 'counts' | 'complete' | 'exit_code'> & {
    workers: readonly unknown[];
  },
): WorkflowState {
  if (status.complete && status.exit_code === 0) return 'completed';
  if (status.complete) return status.counts.failed + status.counts.terminated > 0 ? 'failed' : 'canceled';
  if (status.exit_code === 0 || status.exit_code === 1) return 'partial';
  if (status.exit_code === 3) return 'waiting for a decision';
  const { paused } = status.workflow;
  if (paused?.stopping === true) return isRunning(status.counts) ? 'stopping' : 'stopped';
  if (paused !== null) return 'paused';
  return status.workers.length > 0 ? 'running' : 'incomplete';
}

/** It was stopped, and nothing of it runs any more. */
export function isStopped({ workflow, counts }: WorkflowStatus): boolean {
  return workflow.paused?.stopping === true && !isRunning(counts);
}

/** Attempts are under way. */
function isRunning(counts: StatusCounts): boolean {
  return counts.pending + counts.running > 0;
}

/** Ended ones first, in the order people look for them. */
const SHOWN_ORDER: JobStatus[] = [
  'completed',
  'failed',
  'terminated',
  'canceled',
  'pending_failed',
  'running',
  'pending',
  'ready',
  'blocked',
  'disabled',
  'uninitialized',
];

/** Statuses that at least one job has, in the order in which they are shown. */
export function presentStatuses(counts: StatusCounts): JobStatus[] {
  return SHOWN_ORDER.filter((status) => counts[status] > 0);
}

export function endedCount(counts: StatusCounts): number {
  return sum(counts, (status) => TERMINAL_STATUSES.has(status));
}

export function jobCount(counts: StatusCounts): number {
  return sum(counts, () => true);
}

function sum(counts: StatusCounts, include: (status: JobStatus) => boolean): number {
  return JOB_STATUSES.reduce((total, status) => total + (include(status) ? counts[status] : 0), 0);
}

/** Where a retry waits, its line has the failure. */
export function failuresWithoutRetry({ failures, waiting }: WorkflowStatus): WorkflowStatus['failures'] {
  const retried = new Set(waiting.map(({ job_id }) => job_id));
  return failures.filter(({ job_id }) => !retried.has(job_id));
}
