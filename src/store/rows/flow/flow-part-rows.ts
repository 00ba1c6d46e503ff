import {
  type FlowCall,
  type FlowJob,
  type FlowMember,
  type FlowNeed,
  type FlowPart,
  type FlowRoute,
  type FlowSet,
  type FlowTally,
  MEMBER_JOINED,
  sweepKey,
} from '../../../core/flow/flow-part.ts';
import { awaitedRoute } from '../../../core/job/full-state.ts';
import { idLists } from '../../many-rows.ts';
import { all, placeholders, type Script, type SqlValue } from '../../script.ts';
import { decodeServes, decodeState, STATE_COLUMNS, type StateColumns } from '../jobs/state-columns.ts';
import { inScope } from './scope-rows.ts';

/** The state is in columns, and flags are numbers. */
type FlowJobRow = StateColumns & {
  [K in Exclude<keyof FlowJob, 'state' | 'serves'>]: FlowJob[K] extends boolean ? number : FlowJob[K];
} & { serves: string | null };

const FLOW_JOB = `job.id, job.name, job.scope, ${STATE_COLUMNS}, job.visit, job.attempt_id, job.dependency_set_id,
  job.scheduling_timeout, job.cancel_on_failure, job.continue_on_failure, job.fail_fast, job.on_call,
  case when job.blueprint = 0 then 0 else 1 end as is_blueprint,
  case when job.config like '%"for_each":true%' then 1 else 0 end as has_items, job.settled, job.serves, job.reason`;

function flowJob(row: FlowJobRow): FlowJob {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    state: decodeState(row),
    visit: row.visit,
    attempt_id: row.attempt_id,
    dependency_set_id: row.dependency_set_id,
    scheduling_timeout: row.scheduling_timeout,
    cancel_on_failure: row.cancel_on_failure === 1,
    continue_on_failure: row.continue_on_failure === 1,
    fail_fast: row.fail_fast,
    on_call: row.on_call === 1,
    is_blueprint: row.is_blueprint === 1,
    has_items: row.has_items === 1,
    settled: row.settled,
    serves: decodeServes(row.serves),
    reason: row.reason,
  };
}

/** Loads what was missing into the part. */
export function* loadNeed(workflowId: number, part: FlowPart, need: FlowNeed): Script<void> {
  switch (need.kind) {
    case 'jobs':
      return yield* loadJobs(part, need.ids);
    case 'dependents':
      return yield* loadBlockedBy(workflowId, part, need.sets);
    case 'canceled_below':
      return yield* loadCanceledBelow(workflowId, part, need.jobs);
    case 'sweep':
      return yield* loadSweep(workflowId, part, need);
    case 'tallies':
      return yield* loadTallies(part, need.sets);
    case 'failed_members':
      return yield* loadFailedMembers(part, need.set);
    case 'routes':
      return yield* loadRoutes(part, need.tokens, []);
    case 'calls':
      return yield* loadRoutes(part, [], need.ids);
    case 'overtaken':
      return yield* loadOvertaken(workflowId, part);
  }
}

/** Jobs with their memberships and sets, the calls that wait for them, and the routes that they follow or serve. */
export function* loadJobs(part: FlowPart, ids: readonly number[]): Script<void> {
  const missing = [...new Set(ids)].filter((id) => !part.jobs.has(id));
  yield* addJobs(part, yield* selectIn<FlowJobRow>(`select ${FLOW_JOB} from job where job.id in`, missing));
}

/** The job, and everything in the scope that waits for it, directly or not; steps on call wait for nothing. */
export function* loadDownstream(
  workflowId: number,
  part: FlowPart,
  jobId: number,
  scope: string,
): Script<number[]> {
  const within = inScope('job.scope', scope);
  const rows = yield* selectReached(
    `select 'job', cast(? as bigint)`,
    `job.on_call = 0 and job.blueprint < 2 and ${within.sql}`,
    workflowId,
    [jobId],
    within.values,
  );
  yield* addJobs(part, rows);
  return rows.map(({ id }) => id);
}

/** Beyond so many seeds, what lies below each of them is mostly the same, and all of it is loaded at once. */
const MANY_SEEDS = 64;

/** Everything that is blocked by the sets, directly or not. */
function* loadBlockedBy(workflowId: number, part: FlowPart, sets: readonly number[]): Script<void> {
  const seeds = sets.map(() => `select 'set', cast(? as bigint)`).join(' union all ');
  const rows =
    sets.length > MANY_SEEDS
      ? yield* selectAll(workflowId, 'job.status = 1')
      : yield* selectReached(seeds, 'job.status = 1', workflowId, sets, []);
  yield* addJobs(part, rows);
  for (const id of sets) part.dependents.add(id);
  for (const { id } of rows) {
    for (const { set_id } of part.memberships.get(id)!) part.dependents.add(set_id);
  }
}

/** The jobs, and everything below them that was canceled because of others. */
function* loadCanceledBelow(workflowId: number, part: FlowPart, jobIds: readonly number[]): Script<void> {
  const which = 'job.status = 7 and job.canceled_by is not null';
  if (jobIds.length > MANY_SEEDS) {
    yield* loadJobs(part, jobIds);
    yield* addJobs(part, yield* selectAll(workflowId, which));
  } else {
    const seeds = `select 'job', seed.id from job seed where seed.id in ${placeholders(jobIds.length)}`;
    yield* addJobs(part, yield* selectReached(seeds, which, workflowId, jobIds, []));
  }
  for (const id of jobIds) part.canceledBelow.add(id);
}

/** Jobs of the sweep that are open, failed, or were canceled because of another one. */
function* loadSweep(
  workflowId: number,
  part: FlowPart,
  place: { sweep: string; scope: string },
): Script<void> {
  const rows = yield* all<FlowJobRow>(
    `select ${FLOW_JOB} from job where workflow_id = ? and fail_fast = ? and scope = ? and blueprint = 0
       and (status in (0, 1, 2, 3, 4, 6, 8, 10) or (status = 7 and canceled_by is not null)) order by id`,
    workflowId,
    place.sweep,
    place.scope,
  );
  yield* addJobs(part, rows);
  part.sweeps.set(
    sweepKey(place),
    rows.map(({ id }) => id),
  );
}

function* selectAll(workflowId: number, which: string): Script<FlowJobRow[]> {
  const sql = `select ${FLOW_JOB} from job where workflow_id = ? and ${which} order by id`;
  return yield* all<FlowJobRow>(sql, workflowId);
}

/** Sets are nodes of their own, so that a barrier is walked once and not once per member. */
function* selectReached(
  seeds: string,
  which: string,
  workflowId: number,
  seedValues: readonly SqlValue[],
  values: readonly SqlValue[],
): Script<FlowJobRow[]> {
  return yield* all<FlowJobRow>(
    `with recursive chosen (kind, id) as (
       ${seeds}
       union
       select case chosen.kind when 'job' then 'set' else 'job' end,
         case chosen.kind when 'job' then dependency_member.set_id else job.id end
       from chosen
       left join dependency_member on chosen.kind = 'job' and dependency_member.job_id = chosen.id
       left join job on chosen.kind = 'set' and job.dependency_set_id = chosen.id and ${which}
       where dependency_member.set_id is not null or job.id is not null
     )
     select ${FLOW_JOB} from job where workflow_id = ? and id in (select id from chosen where kind = 'job') order by id`,
    ...seedValues,
    ...values,
    workflowId,
  );
}

function* addJobs(part: FlowPart, rows: readonly FlowJobRow[]): Script<void> {
  const added = rows.filter(({ id }) => !part.jobs.has(id));
  if (added.length === 0) return;
  const ids = added.map(({ id }) => id);
  const jobs = added.map(flowJob);
  for (const job of jobs) {
    part.jobs.set(job.id, job);
    part.memberships.set(job.id, []);
  }
  const links = yield* selectIn<FlowMember>(
    'select set_id, job_id, kind from dependency_member where job_id in',
    ids,
  );
  for (const link of links.sort((a, b) => a.set_id - b.set_id)) part.memberships.get(link.job_id)!.push(link);
  const own = added.flatMap(({ dependency_set_id }) => dependency_set_id ?? []);
  yield* loadSets(part, [...own, ...links.map(({ set_id }) => set_id)]);
  const waiting = yield* selectIn<FlowCall>(
    `select ${CALL} from call where call.state = 'waiting' and call.job_id in`,
    ids,
  );
  const followed = jobs.flatMap(({ state }) => awaitedRoute(state) ?? []);
  const calls = jobs.flatMap(({ serves }) => serves?.call_id ?? []);
  yield* loadRoutes(part, [...followed, ...waiting.map(({ route_token }) => route_token)], calls);
}

export function* loadSets(part: FlowPart, ids: readonly number[]): Script<void> {
  const missing = [...new Set(ids)].filter((id) => !part.sets.has(id));
  const rows = yield* selectIn<FlowSet>(
    'select id, size, remaining, unsuccessful, disabled from dependency_set where id in',
    missing,
  );
  for (const row of rows) part.sets.set(row.id, row);
}

function* loadTallies(part: FlowPart, sets: readonly number[]): Script<void> {
  for (const id of sets) part.tallies.set(id, []);
  const rows = yield* selectIn<FlowTally & { set_id: number }>(
    `select set_id, kind, settled, count(*) as count from dependency_member
     join job on job.id = dependency_member.job_id where set_id in`,
    sets,
    'group by set_id, kind, settled',
  );
  for (const { set_id, ...tally } of rows) part.tallies.get(set_id)!.push(tally);
}

function* loadFailedMembers(part: FlowPart, setId: number): Script<void> {
  const rows = yield* all<{ id: number; name: string }>(
    `select job.id, job.name from dependency_member join job on job.id = dependency_member.job_id
     where set_id = ? and kind <> ${MEMBER_JOINED} and settled = 'failed' order by job.id`,
    setId,
  );
  part.failedMembers.set(setId, rows);
}

const ROUTE = 'route.token, route.job_id, route.kind, route.not_before, route.state';
const CALL = 'call.id, call.route_token, call.job_id, call.position, call.state';

/** Routes by their tokens and by one of their calls, with all of their calls. */
function* loadRoutes(part: FlowPart, tokens: readonly number[], callIds: readonly number[]): Script<void> {
  const unknown = callIds.filter((id) => !part.calls.has(id));
  const named = yield* selectIn<{ route_token: number }>('select route_token from call where id in', unknown);
  const wanted = [...new Set([...tokens, ...named.map(({ route_token }) => route_token)])];
  const missing = wanted.filter((token) => !part.routes.has(token));
  const routes = yield* selectIn<FlowRoute>(`select ${ROUTE} from route where route.token in`, missing);
  for (const route of routes) part.routes.set(route.token, route);
  const calls = yield* selectIn<FlowCall>(`select ${CALL} from call where call.route_token in`, missing);
  for (const call of calls) part.calls.set(call.id, call);
}

/** Jobs of the workflow whose attempt a goto has overtaken, and blocked ones that wait for these. */
function* loadOvertaken(workflowId: number, part: FlowPart): Script<void> {
  const rows = yield* all<{ id: number }>(
    `select id from job where workflow_id = ? and overtaken = 1
     union select id from job where workflow_id = ? and waiting_for = 'overtaken'`,
    workflowId,
    workflowId,
  );
  part.overtaken = rows.map(({ id }) => id);
  yield* loadJobs(part, part.overtaken);
}

function* selectIn<R>(sql: string, ids: readonly number[], rest = ''): Script<R[]> {
  const rows: R[] = [];
  for (const list of idLists(ids)) {
    rows.push(...(yield* all<R>(`${sql} ${placeholders(list.length)} ${rest}`, ...list)));
  }
  return rows;
}
