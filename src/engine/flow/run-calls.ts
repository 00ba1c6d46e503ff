import { nextCall } from '../../core/flow/calls.ts';
import { followRoute } from '../../core/flow/conclude.ts';
import { cloneIntoScope } from '../../store/rows/flow/job-route-rows.ts';
import { insertCall, insertRoute, type RouteRow } from '../../store/rows/flow/route-rows.ts';
import { findJobIn, type JobRow } from '../../store/rows/jobs/job-rows.ts';
import type { Script } from '../../store/script.ts';
import { followFlow, type RunOf } from './follow-flow.ts';

/** The job that a route means by a name: one of its own scope, or a step on call. */
export function* findCallee(workflowId: number, name: string, scope: string): Script<JobRow | undefined> {
  const own = yield* findJobIn(workflowId, name, scope);
  if (own !== undefined) return own.blueprint === 0 ? own : undefined;
  const root = yield* findJobIn(workflowId, name, '');
  return root?.on_call === 1 ? root : undefined;
}

/** Begins to run the steps of a route, one after another. Returns the jobs that have ended by it. */
export function* beginRoute(
  workflow: RunOf,
  route: Omit<RouteRow, 'state' | 'workflow_id'>,
  names: readonly string[],
  caller: { name: string; scope: string },
  now: number,
): Script<number[]> {
  yield* insertRoute({ ...route, workflow_id: workflow.id, state: 'calling' });
  for (const [position, name] of names.entries()) {
    const callee = yield* findCallee(workflow.id, name, caller.scope);
    if (callee === undefined) throw new Error(`there is no ${name} to call in scope "${caller.scope}"`);
    const own = callee.scope === caller.scope ? callee : yield* cloneIntoScope(callee, caller.scope);
    yield* insertCall(route.token, own.id, position + 1);
  }
  return yield* followFlow(workflow, now, (draft) => {
    const ended = nextCall(draft, route.token);
    const jobs = ended === null ? [] : followRoute(draft, ended);
    if (jobs === 'policy') throw new Error(`route ${route.token} has no steps to run`);
    return jobs;
  });
}
