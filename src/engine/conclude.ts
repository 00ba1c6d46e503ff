import type { Evaluation } from '../core/evaluation.ts';
import { type JobStatus, statusName } from '../core/job-status.ts';
import type { RouteTaken } from '../core/records.ts';
import { type DynamicRoutes, routeSuccess } from '../core/take-route.ts';
import type { Settled } from '../store/dependency-rows.ts';
import { appendEvent, listRoutesTaken } from '../store/event-rows.ts';
import { resumeAs } from '../store/job-route-rows.ts';
import {
  decodeConfig,
  endWaitForRoute,
  findJobIn,
  getJob,
  type JobRow,
  listOpenJobs,
  moveJob,
} from '../store/job-rows.ts';
import { findOutput } from '../store/output-rows.ts';
import { type RouteRow, setRouteState } from '../store/route-rows.ts';
import { addLoop, findScope } from '../store/scope-rows.ts';
import type { Script } from '../store/script.ts';
import { findWorkflow } from '../store/workflow-rows.ts';
import { cancelRows } from './cancel-rows.ts';
import { expandItems } from './expand-items.ts';
import { goBack } from './go-back.ts';
import { routePolicy } from './load-policy.ts';
import { type EndedRoute, endCall, serveWaitingCall } from './run-calls.ts';
import { type RunOf, settleDependents } from './settle-dependents.ts';

/**
 * Jobs have ended for good, their statuses say how: tells those that depend on them, or the routes that called them,
 * and follows what comes of that to the end.
 */
export function* conclude(workflow: RunOf, jobIds: readonly number[], now: number): Script<void> {
  const ended = [...jobIds];
  for (const id of ended) {
    const job = yield* getJob(id);
    const status = statusName(job.status);
    if (job.call_id !== null) {
      const route = yield* endCall(workflow, job, now);
      if (route !== null) ended.push(...(yield* followRoute(workflow, route, now)));
    } else {
      const config = decodeConfig(job.config);
      if (status === 'completed' && config.forEach) {
        const items = yield* findOutput(id);
        yield* expandItems(workflow, job, Array.isArray(items) ? items : [], now);
      }
      const as = settledAs(status, config.continueOnFailure);
      yield* settleDependents(workflow, { id, name: job.name, as }, now);
    }
    yield* serveWaitingCall(id);
  }
}

function settledAs(status: JobStatus, continueOnFailure: boolean): Settled {
  if (status === 'completed') return 'succeeded';
  if (status === 'disabled') return 'disabled';
  return continueOnFailure && status !== 'canceled' ? 'succeeded' : 'failed';
}

/** The steps of a route have ended. Returns the jobs that have ended by it. */
export function* followRoute(workflow: RunOf, { route, failed }: EndedRoute, now: number): Script<number[]> {
  const caller = yield* getJob(route.job_id);
  if (route.kind === 'on_success' && failed === null) return yield* afterCalls(workflow, route, [], {}, now);
  yield* setRouteState(route.token, 'ended');
  if (route.kind === 'on_success') {
    const reason = `it succeeded; ${failed!.label}, which it called, did not: ${failed!.because}`;
    yield* moveJob(caller, ['blocked'], 'completed', { reason });
    return [caller.id];
  }
  if (failed === null) {
    const isDue = route.not_before === null || route.not_before <= now;
    yield* endWaitForRoute(caller.id, isDue ? null : route.not_before);
    return [];
  }
  const reason = `its remediation ${failed.label} failed: ${failed.because}`;
  yield* moveJob(caller, ['ready'], 'failed', { reason });
  yield* appendEvent({
    ...eventPlace(workflow, caller, now),
    type: 'failure',
    reason,
    data: { status: 'failed', remediation: failed.label },
  });
  return [caller.id];
}

/** A success whose steps have run: back to an ancestor, or complete. Returns the jobs that have ended by it. */
export function* afterCalls(
  workflow: RunOf,
  route: RouteRow,
  evaluations: readonly Evaluation[],
  dynamic: DynamicRoutes,
  now: number,
): Script<number[]> {
  const caller = yield* getJob(route.job_id);
  const { routing } = (yield* findWorkflow(workflow.id))!;
  const policy = routePolicy(decodeConfig(caller.config), routing, caller.call_id !== null)!;
  const { loops } = yield* findScope(workflow.id, caller.scope);
  const answer = routeSuccess(policy, dynamic, loops, true);
  if (answer.kind === 'evaluate') {
    yield* setRouteState(route.token, 'due');
    return [];
  }
  yield* setRouteState(route.token, 'ended');
  if (answer.kind === 'goto') {
    const loop = yield* addLoop(workflow.id, caller.scope);
    const taken: RouteTaken = { kind: 'goto', target: answer.target, loop, max_loops: policy.maxLoops };
    yield* tellRoute(workflow, caller, 'goto', answer.because, taken, evaluations, now);
    yield* jump(workflow, caller, answer.target, now);
    return [];
  }
  if (answer.kind === 'loop_abort') {
    const reason = yield* loopAbortReason(workflow, caller.scope, answer.because);
    yield* moveJob(caller, ['blocked'], 'failed', { reason });
    const taken: RouteTaken = { kind: 'loop_abort', loop: loops, max_loops: policy.maxLoops };
    yield* tellRoute(workflow, caller, 'loop_abort', reason, taken, evaluations, now);
    return [caller.id, ...(yield* abortScope(workflow, caller, now))];
  }
  yield* moveJob(caller, ['blocked'], 'completed', { reason: 'it succeeded, and so did what it called' });
  return [caller.id];
}

/** Back to the ancestor of this name in the job's scope. */
export function* jump(
  workflow: RunOf,
  job: { id: number; name: string; scope: string },
  target: string,
  now: number,
): Script<void> {
  const goal = yield* findJobIn(workflow.id, target, job.scope);
  if (goal === undefined) throw new Error(`there is no ${target} to go back to in scope "${job.scope}"`);
  yield* goBack(workflow, job, goal, now);
}

/** Too many loops: what has not started in the scope is canceled, what runs is stopped. Returns the canceled jobs. */
export function* abortScope(
  workflow: RunOf,
  job: { id: number; name: string; scope: string },
  now: number,
): Script<number[]> {
  const open = yield* listOpenJobs(workflow.id, null, job.scope);
  const ids = open.map(({ id }) => id).filter((id) => id !== job.id);
  const words = { reason: `loop_abort of ${job.name}`, actor: null, because: job.id };
  const { canceled } = yield* cancelRows(workflow, ids, words, now);
  const { call_id, resume_status } = yield* getJob(job.id);
  if (call_id !== null && statusName(resume_status!) === 'blocked') {
    // It failed while it was called; its planned work is part of what is given up.
    yield* resumeAs(job.id, 'failed');
    yield* settleDependents(workflow, { id: job.id, name: job.name, as: 'failed' }, now);
  }
  return canceled;
}

/** Says which routes used the loops up. */
export function* loopAbortReason(workflow: RunOf, scope: string, because: string): Script<string> {
  const taken = yield* listRoutesTaken(workflow.id, workflow.run_id, scope);
  return taken.length === 0 ? because : `${because} (taken: ${taken.join(', ')})`;
}

function* tellRoute(
  workflow: RunOf,
  job: JobRow,
  type: 'goto' | 'loop_abort',
  reason: string,
  route: RouteTaken,
  evaluations: readonly Evaluation[],
  now: number,
): Script<void> {
  yield* appendEvent({
    ...eventPlace(workflow, job, now),
    type,
    reason,
    data: { route, ...(evaluations.length === 0 ? {} : { evaluations }) },
  });
}

function eventPlace(workflow: RunOf, job: JobRow, now: number) {
  return {
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: job.id,
    attempt_id: job.attempt_id,
    at: now,
  };
}
