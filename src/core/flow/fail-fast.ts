import { type FullState, isLiveState } from '../job/full-state.ts';
import { jobLabel } from '../job/job-label.ts';
import { cancel } from './cancel.ts';
import type { FlowDraft } from './flow-draft.ts';
import type { FlowJob } from './flow-part.ts';
import { returnsToCanceled, toRetriedInstead, toRevived } from './job-moves.ts';
import { resolveBlocked, settle } from './settle.ts';

/**
 * A job has failed for good: if its sweep has `fail_fast`, the rest of that is canceled, running jobs by way of their
 * workers. A job that was canceled has not failed, whatever the reason. Returns those that are canceled now.
 */
export function cancelSweep(draft: FlowDraft, job: FlowJob): number[] {
  if (job.fail_fast === null || !hasFailed(job)) return [];
  const reason = `${jobLabel(job)} of the same sweep failed`;
  const open: number[] = [];
  for (const other of draft.restOfSweep(job, job.fail_fast)) {
    // One that is settled has ended, or merely serves a call.
    if (other.settled !== null) continue;
    if (other.serves === null) open.push(other.id);
    else {
      returnsToCanceled(other, job.id);
      settle(draft, other, 'failed');
      draft.record({ job_id: other.id, type: 'cancel', reason });
    }
  }
  return cancel(draft, open, { reason, actor: null, because: job.id }).canceled;
}

/**
 * Jobs run again: what was canceled because one of their sweep had failed waits again, and attempts that are being ended
 * for it are retried; unless another job of the sweep has failed, and does not run again. Returns them; those that wait
 * are resolved by `resolveSweep` at the end.
 */
export function reviveSweep(draft: FlowDraft, jobIds: readonly number[], actor: string): number[] {
  const again = new Set(jobIds);
  const revived: number[] = [];
  for (const id of jobIds) {
    const job = draft.job(id);
    if (job.fail_fast === null) continue;
    const rest = draft.restOfSweep(job, job.fail_fast);
    if (rest.some((other) => hasFailed(other) && other.settled === 'failed' && !again.has(other.id)))
      continue;
    const reason = `${jobLabel(job)} of the same sweep is retried`;
    for (const other of rest) {
      if (again.has(other.id) || !isEndedBySweep(draft, other)) continue;
      if (isLiveState(other.state)) toRetriedInstead(other, reason, actor);
      else toRevived(other, reason);
      revived.push(other.id);
    }
  }
  return revived;
}

/** What waits again may be ready, or may be canceled because of something else. */
export function resolveSweep(draft: FlowDraft, revived: readonly number[]): void {
  for (const id of revived) {
    const job = draft.job(id);
    if (job.state.status === 'blocked') resolveBlocked(draft, job);
  }
}

/** Canceled, or to be, because another job of its sweep failed. */
export function isEndedBySweep(draft: FlowDraft, job: FlowJob): boolean {
  const because = becauseOf(job.state);
  if (job.fail_fast === null || because === null) return false;
  const other = draft.job(because);
  return other.fail_fast === job.fail_fast && other.scope === job.scope;
}

function hasFailed({ state }: FlowJob): boolean {
  return state.status === 'failed' || state.status === 'terminated';
}

function becauseOf(state: FullState): number | null {
  if (state.status === 'canceled') return state.because;
  return isLiveState(state) && state.order?.kind === 'cancel' ? state.order.because : null;
}
