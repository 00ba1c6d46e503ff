import type { WorkflowStatus } from '../contract/records/records.ts';
import { endedCount, jobCount } from './workflow-state.ts';

/** What one follower of a run has seen: how many jobs had ended when it began. */
export interface Watch {
  since: number;
  ended: number;
}

/** Enough ended jobs to measure the pace. */
const WATCHED_ENDS = 20;

/**
 * From the mean of the successful attempts and how many are under way, and from the pace since `watch` began: a pause
 * between two processes that drove the run does not count. null until a job has succeeded.
 */
export function remainingMs(status: WorkflowStatus, now: number, watch: Watch | null): number | null {
  const mean = status.attempts.mean_success_ms;
  const open = jobCount(status.counts) - endedCount(status.counts);
  if (mean === null || open === 0) return null;
  const work = (mean * open) / Math.max(1, status.counts.running + status.counts.pending);
  const watched = watch === null ? 0 : endedCount(status.counts) - watch.ended;
  const pace = watch !== null && watched >= WATCHED_ENDS ? ((now - watch.since) / watched) * open : 0;
  const lastRetry = Math.max(0, ...status.waiting.map((job) => job.retry_available_at_ms - now + mean));
  return Math.max(1, Math.round(Math.max(work, pace, lastRetry) / 1000)) * 1000;
}
