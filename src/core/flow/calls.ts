import {
  awaitedRoute,
  awaitsOvertaken,
  canceled,
  isEndedState,
  isLiveState,
  type RestingState,
} from '../job/full-state.ts';
import { jobLabel } from '../job/job-label.ts';
import type { FlowDraft } from './flow-draft.ts';
import type { FlowCall, FlowJob, FlowRoute } from './flow-part.ts';
import { supersede, toReturned, toServing } from './job-moves.ts';
import { releaseReentries } from './reentries.ts';
import { resolveBlocked, settle } from './settle.ts';

/** The steps of a route have ended, all well or one of them not. */
export interface EndedRoute {
  route: FlowRoute;
  /** The step that failed; null if all went well. */
  failed: { label: string; because: string } | null;
}

/** Begins the next step of the route; returns the route when none is left, or when it cannot continue. */
export function nextCall(draft: FlowDraft, token: number): EndedRoute | null {
  const calls = draft.callsOf(token);
  const next = calls.find(({ state }) => state === 'queued');
  const route = draft.route(token);
  if (next === undefined) return { route, failed: null };
  const caller = draft.job(route.job_id);
  const callee = draft.job(next.job_id);
  draft.record({
    job_id: caller.id,
    attempt_id: caller.attempt_id,
    type: route.kind === 'on_fail' ? 'remediation' : 'call',
    reason:
      route.kind === 'on_fail'
        ? `runs ${callee.name} before the next attempt of ${jobLabel(caller)}`
        : `runs ${callee.name} after the success of ${jobLabel(caller)}`,
    data: { step: callee.name, position: next.position, of: calls.length },
  });
  if (!isBusy(callee)) {
    activate(draft, next, callee, caller);
    return null;
  }
  if (waitsFor(draft, callee, caller.id)) {
    dropQueued(draft, calls);
    return {
      route,
      failed: { label: callee.name, because: `${callee.name} itself waits for ${jobLabel(caller)}` },
    };
  }
  draft.setCallState(next, 'waiting');
  return null;
}

function dropQueued(draft: FlowDraft, calls: readonly FlowCall[]): void {
  for (const call of calls) if (call.state === 'queued') draft.setCallState(call, 'dropped');
}

/** A job that has an execution ahead of it or under way; a blocked one may be called meanwhile. */
function isBusy({ serves, state }: FlowJob): boolean {
  if (serves !== null) return true;
  return state.status === 'blocked' ? awaitedRoute(state) !== null : !isEndedState(state);
}

/** Whether the job cannot continue before `callerId` does: each waits for the step it calls at the moment. */
function waitsFor(draft: FlowDraft, job: FlowJob, callerId: number): boolean {
  const seen = new Set<number>();
  for (let current = job; !seen.has(current.id); ) {
    if (current.id === callerId) return true;
    seen.add(current.id);
    const route = awaitedRoute(current.state);
    const calls = route === null ? [] : draft.callsOf(route);
    const call = calls.find(({ state }) => state === 'waiting' || state === 'active');
    if (call === undefined) return false;
    current = draft.job(call.job_id);
  }
  return false;
}

function activate(draft: FlowDraft, call: FlowCall, callee: FlowJob, caller: FlowJob): void {
  draft.setCallState(call, 'active');
  toServing(callee, call.id, `called by ${jobLabel(caller)}`);
}

/** The job is free: the first call that waited for it continues. */
export function serveWaitingCall(draft: FlowDraft, jobId: number): void {
  const call = draft.waitingCall(jobId);
  if (call === undefined) return;
  const callee = draft.job(jobId);
  if (isBusy(callee)) return;
  activate(draft, call, callee, draft.job(draft.route(call.route_token).job_id));
}

/**
 * A called job has ended, its status says how. It returns to what it was, unless it failed; the route continues with
 * its next step. Returns the route if that was the last one.
 */
export function endCall(draft: FlowDraft, job: FlowJob): EndedRoute | null {
  const call = draft.call(job.serves!.call_id);
  const { reason, state } = job;
  if (!isEndedState(state)) throw new Error(`job ${job.id} has not ended`);
  const { status } = state;
  returnFromCall(draft, job, state);
  if (call.state === 'dropped') return null;
  draft.setCallState(call, 'ended');
  const tolerated = (status === 'failed' || status === 'terminated') && job.continue_on_failure;
  if (status === 'completed' || status === 'disabled' || tolerated) return nextCall(draft, call.route_token);
  dropQueued(draft, draft.callsOf(call.route_token));
  return {
    route: draft.route(call.route_token),
    failed: { label: job.name, because: reason ?? status },
  };
}

/** `ended`: how the call ended. */
function returnFromCall(draft: FlowDraft, job: FlowJob, ended: RestingState): void {
  const rest = job.serves!.returns_to;
  const next = stateAfterCall(job, rest, ended);
  toReturned(job, next, next.status === rest.status ? 'returned from a call' : job.reason);
  if (rest.status !== 'blocked') return;
  if (next.status === 'canceled') settle(draft, job, 'failed');
  else if (awaitsOvertaken(next)) releaseReentries(draft);
  else resolveBlocked(draft, job);
}

/** Planned work still ahead of it is not lost by a call; otherwise the newest failure is what is to be seen. */
function stateAfterCall(job: FlowJob, rest: RestingState, ended: RestingState): RestingState {
  if (ended.status === 'canceled') {
    return canceled(ended.because ?? (rest.status === 'canceled' ? rest.because : null));
  }
  if (rest.status === 'blocked') return rest;
  return job.on_call || ended.status === 'failed' || ended.status === 'terminated' ? ended : rest;
}

/** What the route still wanted is not done: its job starts over, or is canceled. */
export function dropRoute(draft: FlowDraft, token: number): void {
  draft.setRouteState(draft.route(token), 'ended');
  for (const call of draft.callsOf(token)) {
    if (call.state === 'ended' || call.state === 'dropped') continue;
    const wasActive = call.state === 'active';
    draft.setCallState(call, 'dropped');
    if (wasActive) abandon(draft, draft.job(call.job_id));
  }
}

/** Nobody waits for the called job any more: it is let finish if it has begun. */
function abandon(draft: FlowDraft, job: FlowJob): void {
  // It has just ended by itself; what follows from that comes later.
  if (isEndedState(job.state)) return;
  const route = awaitedRoute(job.state);
  if (route !== null) dropRoute(draft, route);
  if (isLiveState(job.state)) {
    supersede(job);
    return;
  }
  endAbandonedCall(draft, job);
  serveWaitingCall(draft, job.id);
}

/** An overtaken call has ended: the job returns to what it was, however it ended. */
export function endAbandonedCall(draft: FlowDraft, job: FlowJob): void {
  returnFromCall(draft, job, job.serves!.returns_to);
}
