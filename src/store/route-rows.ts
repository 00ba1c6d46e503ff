import { idLists } from './many-rows.ts';
import { all, changeOne, first, insert, placeholders, run, type Script } from './script.ts';

/** What follows an attempt once the steps it calls have ended, or once code was asked about it. */
export interface RouteRow {
  token: number;
  workflow_id: number;
  job_id: number;
  /** `attempt`: the attempt itself waits for its code, because its worker died before it was asked. */
  kind: 'on_fail' | 'on_success' | 'attempt';
  /** When a re-attempt is due. */
  not_before: number | null;
  state: 'calling' | 'due' | 'evaluating' | 'ended';
}

const ROUTE = 'token, workflow_id, job_id, kind, not_before, state';

/** An attempt that was handed over may have a route of its own afterwards. */
export function* putRoute(route: RouteRow): Script<void> {
  yield* run(
    `insert into route (token, workflow_id, job_id, kind, not_before, state) values (?, ?, ?, ?, ?, ?)
     on conflict (token) do update set kind = excluded.kind, not_before = excluded.not_before,
       state = excluded.state, worker_id = null`,
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
  yield* changeOne('update route set state = ?, worker_id = null where token = ?', state, token);
}

/** Routes whose code nobody has been asked to evaluate. */
export function* listDueRoutes(workflowId: number): Script<RouteRow[]> {
  return yield* all<RouteRow>(
    `select ${ROUTE} from route where workflow_id = ? and state = 'due' order by token`,
    workflowId,
  );
}

export function* holdRoute(token: number, workerId: number): Script<void> {
  yield* changeOne(
    `update route set state = 'evaluating', worker_id = ? where token = ? and state = 'due'`,
    workerId,
    token,
  );
}

/** The route if the worker was asked to evaluate its code. */
export function* findHeldRoute(token: number, workerId: number): Script<RouteRow | undefined> {
  return yield* first<RouteRow>(
    `select ${ROUTE} from route where token = ? and worker_id = ? and state = 'evaluating'`,
    token,
    workerId,
  );
}

/** Attempts of a workflow that wait for somebody to evaluate their code. */
export function* listHandedOver(workflowId: number): Script<RouteRow[]> {
  return yield* all<RouteRow>(
    `select ${ROUTE} from route where workflow_id = ? and kind = 'attempt' and state = 'due' order by token`,
    workflowId,
  );
}

/** A new run begins: nothing of the routes of the one before is followed any more. */
export function* endRoutes(workflowId: number): Script<void> {
  yield* run(
    `update call set state = 'dropped' where state in ('queued', 'waiting', 'active')
       and route_token in (select token from route where workflow_id = ?)`,
    workflowId,
  );
  yield* run(
    `update route set state = 'ended', worker_id = null where workflow_id = ? and state <> 'ended'`,
    workflowId,
  );
}

/** What a dead worker did not answer is asked again. */
export function* releaseHeldRoutes(workerId: number): Script<void> {
  yield* run(
    `update route set state = 'due', worker_id = null where worker_id = ? and state = 'evaluating'`,
    workerId,
  );
}

/** One step that a route runs. */
export interface CallRow {
  id: number;
  route_token: number;
  /** The step that is called. */
  job_id: number;
  position: number;
  /** queued: others of the route come first. waiting: the step is busy. */
  state: 'queued' | 'waiting' | 'active' | 'ended' | 'dropped';
}

const CALL = 'id, route_token, job_id, position, state';

export function* insertCall(routeToken: number, jobId: number, position: number): Script<number> {
  return yield* insert(
    `insert into call (route_token, job_id, position, state) values (?, ?, ?, 'queued')`,
    routeToken,
    jobId,
    position,
  );
}

export function* findCall(id: number): Script<CallRow> {
  return (yield* first<CallRow>(`select ${CALL} from call where id = ?`, id))!;
}

export function* setCallState(id: number, state: CallRow['state']): Script<void> {
  yield* changeOne('update call set state = ? where id = ?', state, id);
}

export function* listCalls(routeToken: number): Script<CallRow[]> {
  return yield* all<CallRow>(`select ${CALL} from call where route_token = ? order by position`, routeToken);
}

/** The call of the route that is not over: running, or waiting for its step. */
export function* findCurrentCall(routeToken: number): Script<CallRow | undefined> {
  return yield* first<CallRow>(
    `select ${CALL} from call where route_token = ? and state in ('waiting', 'active') order by position limit 1`,
    routeToken,
  );
}

/** The first call that waits for the step to be free. */
export function* findWaitingCall(jobId: number): Script<CallRow | undefined> {
  return yield* first<CallRow>(
    `select ${CALL} from call where job_id = ? and state = 'waiting' order by id limit 1`,
    jobId,
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
