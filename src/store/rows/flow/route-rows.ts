import type { RouteState } from '../../../core/flow/flow-part.ts';
import { routesBefore } from '../../../core/flow/flow-states.ts';
import { idLists } from '../../many-rows.ts';
import { all, changeOne, first, insert, placeholders, run, type Script } from '../../script.ts';

/** What follows an attempt once the steps it calls have ended, and then once its code was evaluated. */
export interface RouteRow {
  token: number;
  workflow_id: number;
  job_id: number;
  kind: 'on_fail' | 'on_success';
  /** When a re-attempt is due. */
  not_before: number | null;
  state: RouteState;
}

const ROUTE = 'token, workflow_id, job_id, kind, not_before, state';

export function* insertRoute(route: RouteRow): Script<void> {
  yield* changeOne(
    'insert into route (token, workflow_id, job_id, kind, not_before, state) values (?, ?, ?, ?, ?, ?)',
    route.token,
    route.workflow_id,
    route.job_id,
    route.kind,
    route.not_before,
    route.state,
  );
}

export function* findRoute(token: number): Script<RouteRow> {
  return (yield* first<RouteRow>(`select ${ROUTE} from route where token = ?`, token))!;
}

export function* setRouteState(token: number, state: RouteRow['state']): Script<void> {
  const before = routesBefore(state);
  yield* changeOne(
    `update route set state = ? where token = ? and state in ${placeholders(before.length)}`,
    state,
    token,
    ...before,
  );
}

/** A new run begins: nothing of the routes of the one before is followed any more. */
export function* endRoutes(workflowId: number): Script<void> {
  yield* run(
    `update call set state = 'dropped' where state in ('queued', 'waiting', 'active')
       and route_token in (select token from route where workflow_id = ?)`,
    workflowId,
  );
  yield* run(`update route set state = 'ended' where workflow_id = ? and state <> 'ended'`, workflowId);
}

export function* insertCall(routeToken: number, jobId: number, position: number): Script<number> {
  return yield* insert(
    `insert into call (route_token, job_id, position, state) values (?, ?, ?, 'queued')`,
    routeToken,
    jobId,
    position,
  );
}

/** Those of the jobs for which calls wait. */
export function* listCalledFor(jobIds: readonly number[]): Script<number[]> {
  const called: number[] = [];
  for (const list of idLists(jobIds)) {
    const rows = yield* all<{ job_id: number }>(
      `select distinct job_id from call where job_id in ${placeholders(list.length)} and state = 'waiting'
       order by job_id`,
      ...list,
    );
    called.push(...rows.map(({ job_id }) => job_id));
  }
  return called;
}

/** The job for which a call is made. */
export function* findCaller(callId: number): Script<{ name: string; scope: string }> {
  return (yield* first<{ name: string; scope: string }>(
    `select job.name, job.scope from call join route on route.token = call.route_token
     join job on job.id = route.job_id where call.id = ?`,
    callId,
  ))!;
}
