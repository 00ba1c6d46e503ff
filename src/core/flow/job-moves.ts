import {
  awaitedRoute,
  type BlockedWait,
  blocked,
  canceled,
  claimable,
  type FullState,
  isCanceledBecause,
  isEndedState,
  isLiveState,
  type RestingState,
  ready,
} from '../job/full-state.ts';
import { assertTransition } from '../job/status-transitions.ts';
import type { FlowJob, FlowSet } from './flow-part.ts';
import { unlessHeldBack } from './hold-back.ts';

/**
 * The moves that the flow makes with a job, by name. Each gives it a whole state, so that nothing is left of the one
 * before, and refuses a transition that docs/statuses.md does not draw.
 */
function move(job: FlowJob, to: FullState, reason: string | null): void {
  if (job.state.status !== to.status) assertTransition(job.state.status, to.status);
  job.state = to;
  job.reason = reason;
}

/** Its dependencies are met: the time runs within which it has to be scheduled. */
export function toReleased(job: FlowJob, now: number): void {
  move(job, claimable(job.scheduling_timeout === null ? null : now + job.scheduling_timeout), job.reason);
}

/** It waited for something besides its dependencies, and those are met. */
export function toReady(job: FlowJob, reason: string): void {
  move(job, claimable(), reason);
}

/** `because`: the job because of which it is canceled, if it is not a user's doing. */
export function toCanceled(job: FlowJob, reason: string, because: number | null): void {
  move(job, canceled(because), reason);
}

export function toDisabled(job: FlowJob, reason: string): void {
  move(job, { status: 'disabled' }, reason);
}

export function toCompletedByCalls(job: FlowJob, reason: string): void {
  move(job, { status: 'completed' }, reason);
}

export function toFailed(job: FlowJob, reason: string): void {
  move(job, { status: 'failed' }, reason);
}

/** The job because of which it was canceled is retried. */
export function toRevived(job: FlowJob, reason: string): void {
  if (!isCanceledBecause(job.state)) throw new Error(`job ${job.id} was not canceled because of another`);
  move(job, blocked({ for: 'dependencies' }), reason);
}

/** Blocked in a new visit, as if it had not run. */
export function toReentered(
  job: FlowJob,
  waiting: Exclude<BlockedWait, { for: 'route' }>,
  reason: string,
): void {
  move(job, blocked(waiting), reason);
  job.visit += 1;
}

/** A blocked job waits for overtaken attempts before its dependencies are looked at. */
export function awaitOvertaken(job: FlowJob): void {
  if (job.state.status !== 'blocked') throw new Error(`job ${job.id} is not blocked`);
  job.state = blocked({ for: 'overtaken' });
}

/** The overtaken attempts have ended: what is left are its dependencies. */
export function awaitDependencies(job: FlowJob): void {
  if (job.state.status !== 'blocked') throw new Error(`job ${job.id} is not blocked`);
  job.state = blocked({ for: 'dependencies' });
}

/** Ready for a call, in a visit of its own. */
export function toServing(job: FlowJob, callId: number, reason: string): void {
  const { id, state } = job;
  if (!isResting(state)) throw new Error(`job ${id} is ${state.status} and cannot be called`);
  job.serves = { call_id: callId, returns_to: state };
  move(job, claimable(), reason);
  job.visit += 1;
}

function isResting(state: FullState): state is RestingState {
  return isEndedState(state) || (state.status === 'blocked' && awaitedRoute(state) === null);
}

/** Its planned work is to be done again, after the call. */
export function returnsToBlocked(job: FlowJob): void {
  job.serves = { ...job.serves!, returns_to: blocked({ for: 'overtaken' }) };
}

/** Its planned work is given up while it serves a call. */
export function returnsToFailed(job: FlowJob): void {
  job.serves = { ...job.serves!, returns_to: { status: 'failed' } };
}

/** Its planned work is canceled because of another job while it serves a call. */
export function returnsToCanceled(job: FlowJob, because: number): void {
  job.serves = { ...job.serves!, returns_to: canceled(because) };
}

/** The call is over; planned work of the job is again another visit. */
export function toReturned(job: FlowJob, to: RestingState, reason: string | null): void {
  move(job, to, reason);
  job.serves = null;
  job.visit += 1;
}

/** What its route had to run has ended: the re-attempt waits for its backoff only. `set`: its dependencies. */
export function endWaitForRoute(job: FlowJob, notBefore: number | null, set: FlowSet | null): void {
  const { id, reason, serves, state } = job;
  if (state.status !== 'ready' || state.waiting.for !== 'route')
    throw new Error(`job ${id} waits for no route`);
  const waiting =
    notBefore === null
      ? ({ for: 'worker', gives_up_at: null } as const)
      : ({ for: 'retry', until: notBefore } as const);
  move(job, unlessHeldBack(ready(waiting, state.avoids), serves === null ? set : null), reason);
}

/** An overtaken call has ended: for its caller it ended like this. */
export function toEndedCall(job: FlowJob, to: 'completed' | 'failed', reason: string): void {
  move(job, { status: to }, reason);
}

/** A live attempt is overtaken by a goto: it finishes, and counts for nothing. */
export function supersede(job: FlowJob): void {
  if (!isLiveState(job.state)) throw new Error(`job ${job.id} has no live attempt`);
  job.state = { ...job.state, overtaken: true };
}

/** Its attempt is to be ended by its worker. */
export function requestCancel(job: FlowJob, reason: string, because: number | null): void {
  if (!isLiveState(job.state)) throw new Error(`job ${job.id} has no live attempt`);
  job.state = { ...job.state, order: { kind: 'cancel', because } };
  job.reason = reason;
}

/** The job because of which its attempt is being ended is retried: so is this one, once the attempt has ended. */
export function toRetriedInstead(job: FlowJob, reason: string, actor: string): void {
  if (!isLiveState(job.state)) throw new Error(`job ${job.id} has no live attempt`);
  job.state = { ...job.state, order: { kind: 'retry', actor } };
  job.reason = reason;
}

/** Its attempt is to be ended by its worker, and the job to run again. A cancel stays what it is. */
export function requestRetry(job: FlowJob, reason: string, actor: string): void {
  if (!isLiveState(job.state)) throw new Error(`job ${job.id} has no live attempt`);
  if (job.state.order !== null) return;
  job.state = { ...job.state, order: { kind: 'retry', actor } };
  job.reason = reason;
}
