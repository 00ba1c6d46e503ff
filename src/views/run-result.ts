import type { Hint } from '../contract/records/hint.ts';
import type { AttemptRecord, JobRecord, StatusCounts, WorkflowStatus } from '../contract/records/records.ts';
import type { JobStatus } from '../core/job/job-status.ts';
import type { TraceEntry } from './route-trace.ts';

/** Jobs whose failure is shown at the end of a run; those that wait for a decision first. */
export const FAILURE_STATUSES: readonly JobStatus[] = ['pending_failed', 'failed', 'terminated'];

/** A job that failed, or waits for a decision, with what helps to see why. */
export interface ShownFailure {
  job: JobRecord;
  /** The attempt that decided; null if it never had one. */
  attempt: AttemptRecord | null;
  /** Its last lines of stderr. */
  stderr: string[];
  /** How many jobs failed like this one, itself included. */
  jobs: number;
  /** Some of the others. */
  alike: string[];
}

/** How many jobs failed, or wait for a decision. */
export function failureCount(counts: StatusCounts): number {
  return FAILURE_STATUSES.reduce((sum, status) => sum + counts[status], 0);
}

/** How many of them the failures stand for. */
export function shownCount(failed: readonly ShownFailure[]): number {
  return failed.reduce((sum, { jobs }) => sum + jobs, 0);
}

/** How a run ended. */
export interface RunResult {
  status: WorkflowStatus;
  /** The routes that were taken. */
  trace: TraceEntry[];
  /** Show evaluations, waits and counts of loops, too. */
  debug: boolean;
  /** Jobs that failed, or wait for a decision: one for each way in which they did, as far as they are shown. */
  failed: ShownFailure[];
  /** Completed jobs of which an attempt had failed or was lost. */
  recovered: JobRecord[];
  hints: Hint[];
}

/** Whether any completed job can have needed more than one attempt: the counts alone show it. */
export function mayHaveRecovered({ counts, attempts }: WorkflowStatus): boolean {
  return counts.completed > 0 && attempts.finished > counts.completed;
}

/** Completed jobs that failed or were lost before. `attempts`: those of the run, needed where a goto led back. */
export function recoveredJobs(
  completed: readonly JobRecord[],
  attempts: readonly AttemptRecord[],
): JobRecord[] {
  // A job that a goto led back to counts only what came after it.
  const failed = new Set(
    attempts
      .filter(({ state }) => state === 'FAILED' || state === 'WORKER_FAILED')
      .map(({ job_id }) => job_id),
  );
  return completed.filter((job) => job.failure_count + job.preemption_count > 0 || failed.has(job.id));
}

/** The routes of a run; empty if there are failures only, which are shown by themselves. */
export function tracedRun(trace: TraceEntry[]): TraceEntry[] {
  return trace.some(({ route }) => route !== 'failure') ? trace : [];
}

/** How many failures of the run are not among those shown, and in which statuses failures are. */
export function unshownFailures({ status, failed }: RunResult): { count: number; hint: Hint } {
  const statuses = FAILURE_STATUSES.filter((each) => status.counts[each] > 0);
  return {
    count: failureCount(status.counts) - shownCount(failed),
    hint: { kind: 'jobs', workflow: status.workflow.id, statuses },
  };
}
