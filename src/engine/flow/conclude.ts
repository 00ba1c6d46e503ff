import type { RouteTaken } from '../../contract/records/records.ts';
import { serveWaitingCall } from '../../core/flow/calls.ts';
import { abortScope } from '../../core/flow/cancel.ts';
import { concludeJobs, type Pause } from '../../core/flow/conclude.ts';
import type { FlowPart } from '../../core/flow/flow-part.ts';
import { toCompletedByCalls, toFailed } from '../../core/flow/job-moves.ts';
import type { Evaluation } from '../../core/job/evaluation.ts';
import { UNSUCCESSFUL_STATUSES } from '../../core/job/job-status.ts';
import { type DynamicRoutes, routeSuccess } from '../../core/policy/take-route.ts';
import { insertErrand } from '../../store/rows/errands/errand-rows.ts';
import { appendEvent, listRoutesTaken } from '../../store/rows/events/event-rows.ts';
import { loadNeed } from '../../store/rows/flow/flow-part-rows.ts';
import { findOutput } from '../../store/rows/flow/output-rows.ts';
import { findRoute, type RouteRow, setRouteState } from '../../store/rows/flow/route-rows.ts';
import { addLoop, findScope } from '../../store/rows/flow/scope-rows.ts';
import { decodeConfig, getJob, type JobRow, listOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { findWorkflow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { expandItems } from './expand-items.ts';
import { followFlow, partOf, type RunOf } from './follow-flow.ts';
import { jump } from './go-back.ts';
import { recordEvaluationFailures } from './record-evaluation-failures.ts';
import { routePolicy } from './route-policy.ts';

/**
 * Jobs have ended for good, their statuses say how: moves those that depend on them, or the routes that called them,
 * and follows what comes of that to the end.
 */
export function* conclude(workflow: RunOf, jobIds: readonly number[], now: number): Script<void> {
  let left = [...jobIds];
  let isExpanded = false;
  while (left.length > 0) {
    const ended = left;
    const expanded: boolean = isExpanded;
    const part = yield* partWithDependents(workflow, ended);
    const pause: Pause | null = yield* followFlow(
      workflow,
      now,
      (draft) => concludeJobs(draft, ended, expanded),
      part,
    );
    if (pause === null) return;
    left = pause.left;
    isExpanded = pause.kind === 'expand';
    if (pause.kind === 'expand') {
      const producer = yield* getJob(left[0]!);
      const items = yield* findOutput(producer.id);
      yield* expandItems(workflow, producer, Array.isArray(items) ? items : [], now);
    } else {
      left.push(...(yield* afterCalls(workflow, yield* findRoute(pause.token), [], {}, now)));
      yield* followFlow(workflow, now, (draft) => serveWaitingCall(draft, pause.served));
    }
  }
}

/** With what waits for those that did not succeed, where there are several: it would be asked for set by set. */
function* partWithDependents(workflow: RunOf, ended: readonly number[]): Script<FlowPart> {
  const part = yield* partOf(ended);
  if (ended.length === 1) return part;
  const sets = new Set<number>();
  for (const id of ended) {
    if (!UNSUCCESSFUL_STATUSES.has(part.jobs.get(id)!.state.status)) continue;
    for (const { set_id } of part.memberships.get(id)!) sets.add(set_id);
  }
  if (sets.size > 0) yield* loadNeed(workflow.id, part, { kind: 'dependents', sets: [...sets] });
  return part;
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
  const policy = routePolicy(decodeConfig(caller.config), routing, caller.serves !== null)!;
  const { loops } = yield* findScope(workflow.id, caller.scope);
  const answer = routeSuccess(policy, dynamic, loops, true);
  if (answer.kind === 'evaluate') {
    yield* setRouteState(route.token, 'evaluating');
    const attempt = { ...route, id: route.token, run_id: workflow.run_id };
    yield* insertErrand(
      { kind: 'evaluation', holder: 'worker', attempt, worker_id: null, timeout_ms: null },
      now,
    );
    return [];
  }
  yield* setRouteState(route.token, 'ended');
  yield* recordEvaluationFailures(eventPlace(workflow, caller, now), evaluations);
  if (answer.kind === 'goto') {
    const loop = yield* addLoop(workflow.id, caller.scope);
    const taken: RouteTaken = { kind: 'goto', target: answer.target, loop, max_loops: policy.maxLoops };
    yield* recordRoute(workflow, caller, 'goto', answer.because, taken, evaluations, now);
    yield* jump(workflow, caller, answer.target, now);
    return [];
  }
  if (answer.kind === 'loop_abort') {
    const reason = yield* loopAbortReason(workflow, caller.scope, answer.because);
    yield* followFlow(workflow, now, (draft) => toFailed(draft.job(caller.id), reason));
    const taken: RouteTaken = { kind: 'loop_abort', loop: loops, max_loops: policy.maxLoops };
    yield* recordRoute(workflow, caller, 'loop_abort', reason, taken, evaluations, now);
    return [caller.id, ...(yield* abortLoops(workflow, caller, now))];
  }
  const reason = 'it succeeded, and so did what it called';
  yield* followFlow(workflow, now, (draft) => toCompletedByCalls(draft.job(caller.id), reason));
  return [caller.id];
}

/** Too many loops: jobs of the scope that have not started are canceled, running ones stopped. Returns the canceled ones. */
export function* abortLoops(
  workflow: RunOf,
  job: { id: number; scope: string },
  now: number,
): Script<number[]> {
  const open = (yield* listOpenJobs(workflow.id, null, job.scope)).map(({ id }) => id);
  const part = yield* partOf([job.id, ...open]);
  return yield* followFlow(workflow, now, (draft) => abortScope(draft, job.id, open), part);
}

/** Says which routes used the loops up. */
export function* loopAbortReason(workflow: RunOf, scope: string, because: string): Script<string> {
  const taken = yield* listRoutesTaken(workflow.id, workflow.run_id, scope);
  return taken.length === 0 ? because : `${because} (taken: ${taken.join(', ')})`;
}

function* recordRoute(
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
