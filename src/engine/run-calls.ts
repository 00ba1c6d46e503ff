import { jobLabel } from '../core/job-label.ts';
import { type JobStatus, statusName, TERMINAL_STATUSES } from '../core/job-status.ts';
import { appendEvent } from '../store/event-rows.ts';
import { cloneIntoScope, leaveCall, serveCall, supersede } from '../store/job-route-rows.ts';
import { decodeConfig, findJobIn, getJob, type JobRow } from '../store/job-rows.ts';
import {
  type CallRow,
  findCall,
  findCurrentCall,
  findRoute,
  findWaitingCall,
  insertCall,
  listCalls,
  putRoute,
  type RouteRow,
  setCallState,
  setRouteState,
} from '../store/route-rows.ts';
import type { Script } from '../store/script.ts';
import { type RunOf, resolveBlocked, settleDependents } from './settle-dependents.ts';

/** The steps of a route have ended, all well or one of them not. */
export interface EndedRoute {
  route: RouteRow;
  /** The step that failed; null if all went well. */
  failed: { label: string; because: string } | null;
}

/** The job that a route means by a name: one of its own scope, or a step on call. */
export function* findCallee(workflowId: number, name: string, scope: string): Script<JobRow | undefined> {
  const own = yield* findJobIn(workflowId, name, scope);
  if (own !== undefined) return own.blueprint === 0 ? own : undefined;
  const root = yield* findJobIn(workflowId, name, '');
  return root?.on_call === 1 ? root : undefined;
}

/** Begins to run the steps of a route, one after another. */
export function* beginRoute(
  workflow: RunOf,
  route: Omit<RouteRow, 'state' | 'workflow_id'>,
  names: readonly string[],
  caller: { name: string; scope: string },
  now: number,
): Script<EndedRoute | null> {
  yield* putRoute({ ...route, workflow_id: workflow.id, state: 'calling' });
  for (const [position, name] of names.entries()) {
    const callee = yield* findCallee(workflow.id, name, caller.scope);
    if (callee === undefined) throw new Error(`there is no ${name} to call in scope "${caller.scope}"`);
    const own = callee.scope === caller.scope ? callee : yield* cloneIntoScope(callee, caller.scope);
    yield* insertCall(route.token, own.id, position + 1);
  }
  return yield* nextCall(workflow, route.token, now);
}

/** Begins the next step of the route; returns the route when none is left, or when it cannot go on. */
function* nextCall(workflow: RunOf, token: number, now: number): Script<EndedRoute | null> {
  const calls = yield* listCalls(token);
  const next = calls.find(({ state }) => state === 'queued');
  const route = yield* findRoute(token);
  if (next === undefined) return { route, failed: null };
  const caller = yield* getJob(route.job_id);
  const callee = yield* getJob(next.job_id);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: caller.id,
    attempt_id: caller.attempt_id,
    at: now,
    type: route.kind === 'on_fail' ? 'remediation' : 'call',
    reason:
      route.kind === 'on_fail'
        ? `runs ${callee.name} before the next attempt of ${jobLabel(caller)}`
        : `runs ${callee.name} after the success of ${jobLabel(caller)}`,
    data: { step: callee.name, position: next.position, of: calls.length },
  });
  if (!isBusy(callee)) {
    yield* activate(next, callee, caller);
    return null;
  }
  if (yield* waitsFor(callee, caller.id)) {
    yield* dropQueued(calls);
    return {
      route,
      failed: { label: callee.name, because: `${callee.name} itself waits for ${jobLabel(caller)}` },
    };
  }
  yield* setCallState(next.id, 'waiting');
  return null;
}

function* dropQueued(calls: readonly CallRow[]): Script<void> {
  for (const { id, state } of calls) if (state === 'queued') yield* setCallState(id, 'dropped');
}

/** A job that has an execution ahead of it or under way; a blocked one may be called meanwhile. */
function isBusy(job: JobRow): boolean {
  const status = statusName(job.status);
  if (job.call_id !== null || job.route_token !== null) return true;
  return status === 'ready' || status === 'pending' || status === 'running' || status === 'pending_failed';
}

/** Whether the job cannot go on before `callerId` does: each waits for the step it calls at the moment. */
function* waitsFor(job: JobRow, callerId: number): Script<boolean> {
  const seen = new Set<number>();
  for (let current = job; !seen.has(current.id); ) {
    if (current.id === callerId) return true;
    seen.add(current.id);
    const call = current.route_token === null ? undefined : yield* findCurrentCall(current.route_token);
    if (call === undefined) return false;
    current = yield* getJob(call.job_id);
  }
  return false;
}

function* activate(call: CallRow, callee: JobRow, caller: JobRow): Script<void> {
  yield* setCallState(call.id, 'active');
  yield* serveCall(callee, call.id, `called by ${jobLabel(caller)}`);
}

/** The job is free: the first call that waited for it goes on. */
export function* serveWaitingCall(jobId: number): Script<void> {
  const call = yield* findWaitingCall(jobId);
  if (call === undefined) return;
  const callee = yield* getJob(jobId);
  if (isBusy(callee)) return;
  const route = yield* findRoute(call.route_token);
  yield* activate(call, callee, yield* getJob(route.job_id));
}

/**
 * A called job has ended, its status says how. It returns to what it was, unless it failed; the route goes on with
 * its next step. Returns the route if that was the last one.
 */
export function* endCall(workflow: RunOf, job: JobRow, now: number): Script<EndedRoute | null> {
  const call = yield* findCall(job.call_id!);
  const status = statusName(job.status);
  yield* returnFromCall(workflow, job, status, now);
  if (call.state === 'dropped') return null;
  yield* setCallState(call.id, 'ended');
  const tolerated =
    (status === 'failed' || status === 'terminated') && decodeConfig(job.config).continueOnFailure;
  if (status === 'completed' || status === 'disabled' || tolerated)
    return yield* nextCall(workflow, call.route_token, now);
  yield* dropQueued(yield* listCalls(call.route_token));
  const route = yield* findRoute(call.route_token);
  return { route, failed: { label: job.name, because: job.reason ?? status } };
}

function* returnFromCall(workflow: RunOf, job: JobRow, status: JobStatus, now: number): Script<void> {
  const resume = statusName(job.resume_status!);
  const next = statusAfterCall(job, resume, status);
  yield* leaveCall(job.id, next, next === resume ? 'returned from a call' : job.reason);
  if (resume !== 'blocked') return;
  if (next === 'canceled') {
    yield* settleDependents(workflow, { id: job.id, name: job.name, as: 'failed' }, now);
    return;
  }
  const returned = yield* getJob(job.id);
  if (returned.reentry === 0) yield* resolveBlocked(workflow, returned, now);
}

/** Planned work still ahead of it is not lost by a call; otherwise the newest failure is what is to be seen. */
function statusAfterCall(job: JobRow, resume: JobStatus, status: JobStatus): JobStatus {
  if (status === 'canceled') return status;
  if (resume === 'blocked') return resume;
  return job.on_call === 1 || status === 'failed' || status === 'terminated' ? status : resume;
}

/** What the route still wanted is not done: its job starts over, or is canceled. */
export function* dropRoute(workflow: RunOf, token: number, now: number): Script<void> {
  yield* setRouteState(token, 'ended');
  for (const call of yield* listCalls(token)) {
    if (call.state === 'ended' || call.state === 'dropped') continue;
    yield* setCallState(call.id, 'dropped');
    if (call.state === 'active') yield* abandon(workflow, yield* getJob(call.job_id), now);
  }
}

/** Nobody waits for the called job any more: it is let finish if it has begun. */
function* abandon(workflow: RunOf, job: JobRow, now: number): Script<void> {
  const status = statusName(job.status);
  // It has just ended by itself; what follows from that comes later.
  if (TERMINAL_STATUSES.has(status)) return;
  if (job.route_token !== null) yield* dropRoute(workflow, job.route_token, now);
  if (status === 'pending' || status === 'running') {
    yield* supersede(job.id);
    return;
  }
  yield* returnFromCall(workflow, job, statusName(job.resume_status!), now);
  yield* serveWaitingCall(job.id);
}

/** An overtaken call has ended: the job returns to what it was, whatever became of it. */
export function* endAbandonedCall(workflow: RunOf, job: JobRow, now: number): Script<void> {
  yield* returnFromCall(workflow, job, statusName(job.resume_status!), now);
}
