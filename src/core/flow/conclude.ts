import { type EndedRoute, endAbandonedCall, endCall, serveWaitingCall } from './calls.ts';
import { cancelSweep } from './fail-fast.ts';
import type { FlowDraft } from './flow-draft.ts';
import type { FlowJob, Settled } from './flow-part.ts';
import { endWaitForRoute, toCompletedByCalls, toEndedCall, toFailed, toReentered } from './job-moves.ts';
import { settle } from './settle.ts';

/** Why not everything has been concluded yet, and the jobs that are left to be. */
export type Pause =
  /** Jobs have to be made for the items of the first one that is left. */
  | { kind: 'expand'; left: number[] }
  /** The policy of a success whose steps have ended well has to be asked what follows; `served` was the last of them. */
  | { kind: 'route'; token: number; left: number[]; served: number };

/**
 * Jobs have ended for good, their statuses say how: moves those that depend on them, or the routes that called them,
 * and follows what comes of that to the end, or to a pause. `expanded`: the items of the first one have been made.
 */
export function concludeJobs(
  draft: FlowDraft,
  jobIds: readonly number[],
  expanded: boolean = false,
): Pause | null {
  const ended = [...jobIds];
  for (const [index, id] of ended.entries()) {
    const job = draft.job(id);
    if (job.serves !== null) {
      const route = endCall(draft, job);
      if (route !== null) {
        const next = followRoute(draft, route);
        if (next === 'policy') {
          return { kind: 'route', token: route.route.token, left: ended.slice(index + 1), served: id };
        }
        ended.push(...next);
      }
    } else {
      const isExpanded = expanded && index === 0;
      if (job.state.status === 'completed' && job.has_items && !isExpanded) {
        return { kind: 'expand', left: ended.slice(index) };
      }
      const ignoresFailure = job.continue_on_failure && job.settled !== 'failed';
      settle(draft, job, settledAs(job, ignoresFailure));
      // Also what was canceled by it is concluded, after all of it has been canceled.
      if (job.settled === 'failed') ended.push(...cancelSweep(draft, job));
    }
    serveWaitingCall(draft, id);
  }
  return null;
}

function settledAs({ state: { status }, has_items: hasItems }: FlowJob, ignoresFailure: boolean): Settled {
  if (status === 'completed') return 'succeeded';
  if (status === 'disabled') return 'disabled';
  if (!ignoresFailure || status === 'canceled') return 'failed';
  // What follows a list cannot run without one: there are no items, as if the step were disabled.
  return hasItems ? 'disabled' : 'succeeded';
}

/** The steps of a route have ended. Returns the jobs that have ended by it; `policy`: that has to be asked first. */
export function followRoute(draft: FlowDraft, { route, failed }: EndedRoute): number[] | 'policy' {
  if (route.kind === 'on_success' && failed === null) return 'policy';
  const caller = draft.job(route.job_id);
  draft.setRouteState(route, 'ended');
  if (route.kind === 'on_success') {
    const reason = `it succeeded; ${failed!.label}, which it called, did not: ${failed!.because}`;
    toCompletedByCalls(caller, reason);
    return [caller.id];
  }
  if (failed === null) {
    const isDue = route.not_before === null || route.not_before <= draft.now;
    endWaitForRoute(caller, isDue ? null : route.not_before, draft.setOf(caller));
    return [];
  }
  const reason = `its remediation ${failed.label} failed: ${failed.because}`;
  toFailed(caller, reason);
  draft.record({
    job_id: caller.id,
    attempt_id: caller.attempt_id,
    type: 'failure',
    reason,
    data: { status: 'failed', remediation: failed.label },
  });
  return [caller.id];
}

/**
 * An overtaken attempt has ended: its job runs again. If it had been called, its caller hears how it ended, unless
 * that was overtaken too. Returns whether the call has to be concluded.
 */
export function runOvertakenAgain(draft: FlowDraft, job: FlowJob, succeeded: boolean): boolean {
  if (job.serves === null) {
    // Also if it is not the goal itself: its dependencies are looked at when all that was overtaken has ended.
    toReentered(job, { for: 'overtaken' }, job.reason ?? 'runs again after a goto');
    draft.setSettled(job, null);
  } else if (draft.call(job.serves.call_id).state === 'dropped') endAbandonedCall(draft, job);
  else {
    toEndedCall(job, succeeded ? 'completed' : 'failed', 'it did not succeed, and a goto overtook it');
    return true;
  }
  return false;
}
