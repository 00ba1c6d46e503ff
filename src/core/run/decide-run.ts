import type { JobStatus } from '../job/job-status.ts';
import { RUN_ENDS } from './run-transitions.ts';

/** The state of a run as it is shown. `waiting`: only jobs that wait for a decision are left. `partial`: only jobs that `until` does not need. */
export const SHOWN_RUN_STATES = ['running', 'waiting', 'partial', ...RUN_ENDS] as const;

type ShownRunState = (typeof SHOWN_RUN_STATES)[number];

/** What is known of the jobs of a run. */
export interface RunFacts {
  /** Jobs that have not ended, without those that are held back. */
  open: Pick<Record<JobStatus, number>, 'ready' | 'pending' | 'running' | 'pending_failed'>;
  isComplete: boolean;
  /** All that is open is held back, because the run is to end elsewhere. */
  isHeld: boolean;
  /** A job ended without success, and its failure is not ignored. */
  hasFailures: boolean;
  /** A job ended as failed or terminated. */
  hasFailedJobs: boolean;
}

export interface RunVerdict {
  state: ShownRunState;
  /** What `run` exits with; null while that is open. */
  exit_code: 0 | 1 | 3 | null;
}

/** The only place where the state of a run and its exit code are decided. */
export function decideRun({ open, isComplete, isHeld, hasFailures, hasFailedJobs }: RunFacts): RunVerdict {
  if (!isComplete) {
    if (isHeld) return { state: 'partial', exit_code: hasFailures ? 1 : 0 };
    const isWaiting = open.pending_failed > 0 && open.ready + open.pending + open.running === 0;
    return isWaiting ? { state: 'waiting', exit_code: 3 } : { state: 'running', exit_code: null };
  }
  if (!hasFailures) return { state: 'completed', exit_code: 0 };
  return { state: hasFailedJobs ? 'failed' : 'canceled', exit_code: 1 };
}
