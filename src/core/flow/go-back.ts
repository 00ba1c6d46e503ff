import { awaitedRoute, awaitsOvertaken, isLiveState } from '../job/full-state.ts';
import { jobLabel } from '../job/job-label.ts';
import { dropRoute, serveWaitingCall } from './calls.ts';
import type { FlowDraft } from './flow-draft.ts';
import type { FlowJob } from './flow-part.ts';
import { awaitOvertaken, requestRetry, returnsToBlocked, supersede, toReentered } from './job-moves.ts';
import { releaseReentries } from './reentries.ts';

/**
 * The target and everything after it in its scope, which is `ids` in their order, will run again. What of it runs now is
 * let finish, and counts for nothing; the target starts when that has ended, so that gotos at the same time become one.
 */
export function goBack(
  draft: FlowDraft,
  jumper: { id: number; name: string; scope: string },
  targetId: number,
  ids: readonly number[],
): void {
  const reason = `runs again: ${jobLabel(jumper)} went back to ${draft.job(targetId).name}`;
  runAllAgain(draft, [targetId], ids, { reason, jumper: jumper.id, actor: null });
}

/**
 * A user has jobs run again: `ids`, of which `targets` come first. It is as a goto, except that attempts that run now
 * are ended, and that jobs which a user canceled run again, too.
 */
export function startAgain(
  draft: FlowDraft,
  targets: readonly number[],
  ids: readonly number[],
  words: { reason: string; actor: string },
): void {
  runAllAgain(draft, targets, ids, { ...words, jumper: null });
}

interface Again {
  reason: string;
  /** The job whose attempt is being ended by a goto. */
  jumper: number | null;
  /** The user; null: a goto. */
  actor: string | null;
}

function runAllAgain(
  draft: FlowDraft,
  targets: readonly number[],
  ids: readonly number[],
  again: Again,
): void {
  const sets = new Set(ids.flatMap((id) => draft.memberships(id).map(({ set_id }) => set_id)));
  draft.needTallies([...sets]);
  const all = new Set(ids);
  const outside = new Set(ids.filter((id) => servesOutside(draft, id, all)));
  for (const id of ids) {
    const route = awaitedRoute(draft.job(id).state);
    if (route !== null && !outside.has(id)) dropRoute(draft, route);
  }
  for (const id of ids) runAgain(draft, draft.job(id), again);
  for (const id of [...sets].sort((a, b) => a - b)) {
    // What joins the items of this scope from outside waits for them again, unless an attempt of it runs.
    if (draft.recount(id).remaining > 0) draft.block(id);
  }
  const first = new Set(targets);
  for (const id of ids) {
    const job = draft.job(id);
    if (job.state.status !== 'blocked' || job.serves !== null) continue;
    if (first.has(id) || waitsForNobody(draft, job)) awaitOvertaken(job);
  }
  releaseReentries(draft);
  // What has just become free may be called before its own turn comes.
  for (const id of ids) serveWaitingCall(draft, id);
}

function runAgain(draft: FlowDraft, job: FlowJob, { reason, jumper, actor }: Again): void {
  const { serves, state } = job;
  const isLive = isLiveState(state) && job.id !== jumper;
  // One that another caller has got hold of meanwhile serves it first, too.
  if (serves !== null || isLive) {
    if (isLiveState(state)) supersede(job);
    if (isLive && serves === null && actor !== null) requestRetry(job, reason, actor);
    if (serves !== null) returnsToBlocked(job);
    draft.setSettled(job, null);
  } else if (state.status === 'canceled' && state.because === null && actor === null) {
    // A user canceled it. Also if it had only been called then: what waits for it now waits for this run of it.
    draft.setSettled(job, 'failed');
  } else {
    // It may wait for overtaken attempts since an earlier goto.
    toReentered(job, { for: awaitsOvertaken(state) ? 'overtaken' : 'dependencies' }, reason);
    draft.setSettled(job, null);
  }
}

/** Whether the job runs for a caller that is not part of what runs again; the outermost caller is what counts. */
function servesOutside(draft: FlowDraft, jobId: number, again: ReadonlySet<number>): boolean {
  const { serves } = draft.job(jobId);
  const call = serves === null ? null : draft.call(serves.call_id);
  if (call === null || call.state === 'dropped') return false;
  const caller = draft.job(draft.route(call.route_token).job_id);
  return caller.serves === null ? !again.has(caller.id) : servesOutside(draft, caller.id, again);
}

/**
 * Nothing that runs again will unblock the job: one of several dependencies is enough and there already,
 * or one that does not run again has failed.
 */
function waitsForNobody(draft: FlowDraft, { dependency_set_id }: FlowJob): boolean {
  if (dependency_set_id === null) return false;
  const { remaining, unsuccessful } = draft.set(dependency_set_id);
  return remaining === 0 || unsuccessful > 0;
}
