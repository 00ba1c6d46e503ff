import type { UnitCounts } from '../../../core/request/decide-round.ts';
import type { UnitOutput } from '../../../core/request/output-hook.ts';
import type { UnitState } from '../../../core/request/request-states.ts';
import { inParts, valueRows } from '../../many-rows.ts';
import {
  all,
  changeAll,
  first,
  insert,
  placeholders,
  run,
  type Script,
  type SqlValue,
} from '../../script.ts';

export interface NewUnit {
  number: number;
  set_id: number;
  first: string | null;
  last: string | null;
  size: number;
  outputs: string[];
}

export function* insertUnit(workflowId: number, unit: NewUnit): Script<number> {
  return yield* insert(
    `insert into unit (workflow_id, number, set_id, first_number, last_number, size, outputs)
     values (?, ?, ?, ?, ?, ?, ?)`,
    workflowId,
    unit.number,
    unit.set_id,
    unit.first,
    unit.last,
    unit.size,
    JSON.stringify(unit.outputs),
  );
}

export function* insertUnitItems(rows: readonly { unit_id: number; item_id: number }[]): Script<void> {
  for (const part of inParts(rows)) {
    const { sql, values } = valueRows(part.map(({ unit_id, item_id }) => [unit_id, item_id]));
    yield* changeAll(part.length, `insert into unit_item (unit_id, item_id) ${sql}`, ...values);
  }
}

/** Everything that must succeed in the unit has. */
const IS_DONE = `exists (select 1 from dependency_set where dependency_set.id = unit.set_id
  and dependency_set.remaining = 0 and dependency_set.unsuccessful = 0 and dependency_set.disabled = 0)`;

/** Units in which a job has failed for good. */
const WITH_FAILURES = `select unit.id from job
  join dependency_member on dependency_member.job_id = job.id
  join unit on unit.set_id = dependency_member.set_id
  where job.workflow_id = ? and job.status in (6, 8)`;

/** How the units of a round stand while it runs. */
export function* countUnits(workflowId: number): Script<UnitCounts> {
  const counts = yield* first<{ total: number; done: number }>(
    `select count(*) as total, coalesce(sum(case when ${IS_DONE} then 1 else 0 end), 0) as done
     from unit where workflow_id = ?`,
    workflowId,
  );
  const failed = yield* first<{ count: number }>(
    `select count(distinct id) as count from (${WITH_FAILURES}) as failed`,
    workflowId,
  );
  const { total, done } = counts!;
  return { total, done: Number(done), failed: failed!.count, not_run: 0 };
}

/** Records which units are done at the end of a run. Units that were done before stay so. */
function* settleDone(workflowId: number, runId: number): Script<void> {
  yield* run(
    `update unit set state = 'done', done_in_run = ? where workflow_id = ? and state <> 'done' and ${IS_DONE}`,
    runId,
    workflowId,
  );
}

/** The request was failed while the round was open: units that are not done have failed with it. */
export function* failUnits(workflowId: number, runId: number): Script<UnitCounts> {
  yield* settleDone(workflowId, runId);
  yield* run(`update unit set state = 'failed' where workflow_id = ? and state = 'open'`, workflowId);
  return yield* countSettledUnits(workflowId);
}

/** Records how each unit ended. */
export function* settleUnits(workflowId: number, runId: number): Script<UnitCounts> {
  yield* settleDone(workflowId, runId);
  yield* run(
    `update unit set state = 'failed' where workflow_id = ? and state <> 'done' and id in (${WITH_FAILURES})`,
    workflowId,
    workflowId,
  );
  yield* run(`update unit set state = 'not_run' where workflow_id = ? and state = 'open'`, workflowId);
  return yield* countSettledUnits(workflowId);
}

/** Units of a round whose run has ended. */
export function* countSettledUnits(workflowId: number): Script<UnitCounts> {
  const counts: UnitCounts = { total: 0, done: 0, failed: 0, not_run: 0 };
  const rows = yield* all<{ state: Exclude<UnitState, 'open'>; count: number }>(
    'select state, count(*) as count from unit where workflow_id = ? group by state',
    workflowId,
  );
  for (const { state, count } of rows) {
    counts[state] = count;
    counts.total += count;
  }
  return counts;
}

/** Units that are not done are open in the next run of the round. */
export function* reopenUnits(workflowId: number): Script<void> {
  yield* run(`update unit set state = 'open' where workflow_id = ? and state <> 'done'`, workflowId);
}

/** Numbers or items of all units of the round that are done. */
export function* deliveredBy(workflowId: number): Script<bigint> {
  const row = yield* first<{ sum: string | null }>(
    `select cast(sum(size) as text) as sum from unit where workflow_id = ? and state = 'done'`,
    workflowId,
  );
  return BigInt(row!.sum ?? '0');
}

export interface UnitRow {
  id: number;
  workflow_id: number;
  round: number;
  number: number;
  state: UnitState;
  set_id: number;
  first_number: string | null;
  last_number: string | null;
  size: number;
  outputs: string;
}

/** While the run is open, a unit is recorded as open and may be done. */
const SHOWN_STATE = `case when unit.state = 'open' and ${IS_DONE} then 'done' else unit.state end`;

/** In the order of their numbers, from above `after`. */
export function* listUnitRows(
  requestId: number,
  filter: { round: number | null; states: readonly UnitState[] | null; after: number; limit: number },
): Script<UnitRow[]> {
  const conditions = ['round.request_id = ?', 'unit.number > ?'];
  const values: SqlValue[] = [requestId, filter.after];
  if (filter.round !== null) {
    conditions.push('round.number = ?');
    values.push(filter.round);
  }
  if (filter.states !== null) {
    conditions.push(`${SHOWN_STATE} in ${placeholders(filter.states.length)}`);
    values.push(...filter.states);
  }
  return yield* all<UnitRow>(
    `select unit.id, unit.workflow_id, round.number as round, unit.number, ${SHOWN_STATE} as state, unit.set_id,
       unit.first_number, unit.last_number, unit.size, unit.outputs
     from unit join round on round.workflow_id = unit.workflow_id
     where ${conditions.join(' and ')} order by unit.number limit ?`,
    ...values,
    filter.limit,
  );
}

/** Outputs of units that are done, by their numbers: over all rounds of the request, or those of one run. */
export function* listDoneOutputs(
  requestId: number,
  of: { workflow_id: number; run_id: number } | null,
): Script<UnitOutput[]> {
  const rows = yield* all<{ number: number; outputs: string }>(
    `select unit.number, unit.outputs from unit join round on round.workflow_id = unit.workflow_id
     where round.request_id = ? and unit.state = 'done'${
       of === null ? '' : ' and unit.workflow_id = ? and unit.done_in_run = ?'
     } order by unit.number`,
    requestId,
    ...(of === null ? [] : [of.workflow_id, of.run_id]),
  );
  return rows.flatMap(({ number, outputs }) =>
    (JSON.parse(outputs) as string[]).map((path) => ({ unit: number, path })),
  );
}
