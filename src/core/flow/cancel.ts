import { awaitedRoute, isEndedState, isLiveState } from '../job/full-state.ts';
import { dropRoute } from './calls.ts';
import type { FlowDraft } from './flow-draft.ts';
import { requestCancel, returnsToFailed, toCanceled } from './job-moves.ts';
import { settle } from './settle.ts';

export interface CancelWords {
  reason: string;
  actor: string | null;
  /** The job because of which they are canceled, if it is not a user's doing. */
  because?: number;
}

/** Jobs that are canceled, and those whose attempts have yet to be ended by their workers. */
export interface Canceled {
  canceled: number[];
  stopping: number[];
}

/** Cancels waiting jobs at once, running ones by way of their workers. What depends on the canceled ones has not moved yet. */
export function cancel(
  draft: FlowDraft,
  ids: readonly number[],
  { reason, actor, because }: CancelWords,
): Canceled {
  const result: Canceled = { canceled: [], stopping: [] };
  const routes: number[] = [];
  for (const id of ids) {
    const job = draft.job(id);
    if (isEndedState(job.state)) continue;
    if (isLiveState(job.state)) {
      result.stopping.push(id);
      if (job.state.order?.kind === 'cancel') continue;
      requestCancel(job, reason, because ?? null);
      draft.record({ job_id: id, type: 'cancel_requested', actor, reason });
      continue;
    }
    result.canceled.push(id);
    const route = awaitedRoute(job.state);
    if (route !== null) routes.push(route);
    toCanceled(job, reason, because ?? null);
    draft.record({ job_id: id, type: 'cancel', actor, reason, data: { status: 'canceled' } });
  }
  // Only now: a step that is canceled by name is not sent home because its caller is canceled too.
  for (const token of routes) dropRoute(draft, token);
  return result;
}

/** Too many loops: `open` jobs of the scope that have not started are canceled, running ones stopped. Returns the canceled ones. */
export function abortScope(draft: FlowDraft, jobId: number, open: readonly number[]): number[] {
  const job = draft.job(jobId);
  const others = open.filter((id) => id !== jobId);
  const words = { reason: `loop_abort of ${job.name}`, actor: null, because: jobId };
  const { canceled } = cancel(draft, others, words);
  // A scope that was given up has failed, even if its dependents may ignore a failure of the job.
  if (job.serves === null) draft.setSettled(job, 'failed');
  else if (job.serves.returns_to.status === 'blocked') {
    // It failed while it was called; its planned work is part of what is given up.
    returnsToFailed(job);
    settle(draft, job, 'failed');
  }
  return canceled;
}
