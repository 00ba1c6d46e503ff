import type { FlowDraft } from './flow-draft.ts';
import type { FlowJob, FlowSet, Settled } from './flow-part.ts';
import { toCanceled, toDisabled, toReady, toReleased } from './job-moves.ts';

/** The job because of which others are canceled. */
interface Culprit {
  id: number;
  name: string;
}

/**
 * A job has ended for good: jobs whose last dependency it was become ready; if it did not succeed, those that mind are
 * canceled, and so on down the graph; if it was disabled, so are they.
 */
export function settle(draft: FlowDraft, job: FlowJob, as: Settled): void {
  const ended = [{ job, as }];
  for (let next = ended.pop(); next !== undefined; next = ended.pop()) {
    draft.setSettled(next.job, next.as);
    for (const set of draft.countDown(next.job, next.as)) ended.push(...followSet(draft, set, next.job));
  }
}

/** What a set means for those who wait for it, now that it has changed. Returns the jobs that have ended by it. */
export function followSet(draft: FlowDraft, set: FlowSet, because: Culprit): { job: FlowJob; as: Settled }[] {
  const ended: { job: FlowJob; as: Settled }[] = [];
  if (set.unsuccessful > 0) {
    for (const dependent of draft.blockedBy(set.id)) {
      if (!dependent.cancel_on_failure) continue;
      cancelDependent(draft, dependent, because);
      ended.push({ job: dependent, as: 'failed' });
    }
  }
  if (set.remaining > 0) return ended;
  if (set.disabled === 0) {
    for (const job of draft.release(set.id, set.unsuccessful > 0)) toReleased(job, draft.now);
  } else {
    for (const dependent of draft.blockedBy(set.id)) {
      disableDependent(draft, dependent);
      ended.push({ job: dependent, as: 'disabled' });
    }
  }
  return ended;
}

/** A blocked job whose set may have been met, or spoilt, while it was busy with something else. */
export function resolveBlocked(draft: FlowDraft, job: FlowJob): void {
  const set = draft.setOf(job);
  if (set !== null && set.unsuccessful > 0 && job.cancel_on_failure) {
    cancelDependent(draft, job, draft.failedMember(set.id));
    settle(draft, job, 'failed');
  } else if (set !== null && set.remaining > 0) return;
  else if (set !== null && set.disabled > 0) {
    disableDependent(draft, job);
    settle(draft, job, 'disabled');
  } else toReady(job, job.reason ?? 'its dependencies are met');
}

function cancelDependent(draft: FlowDraft, dependent: FlowJob, because: Culprit): void {
  const reason = `its dependency ${because.name} did not succeed`;
  toCanceled(dependent, reason, because.id);
  draft.record({ job_id: dependent.id, type: 'cancel', reason });
}

function disableDependent(draft: FlowDraft, dependent: FlowJob): void {
  const reason = 'what it depends on is disabled';
  toDisabled(dependent, reason);
  draft.record({ job_id: dependent.id, type: 'disable', reason });
}
