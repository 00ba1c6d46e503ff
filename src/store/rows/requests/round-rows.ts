import type { RoundRunEnd } from '../../../core/request/decide-round.ts';
import { assertRoundTransition, type RoundState } from '../../../core/request/request-states.ts';
import { all, change, changeOne, first, insert, type Script } from '../../script.ts';

export interface RoundRow {
  id: number;
  request_id: number;
  number: number;
  workflow_id: number;
  state: RoundState;
}

const COLUMNS = 'id, request_id, number, workflow_id, state';

export function* insertRound(requestId: number, number: number, workflowId: number): Script<number> {
  return yield* insert(
    `insert into round (request_id, number, workflow_id, state) values (?, ?, ?, 'SUBMITTED')`,
    requestId,
    number,
    workflowId,
  );
}

export function* findRoundOf(workflowId: number): Script<RoundRow | undefined> {
  return yield* first<RoundRow>(`select ${COLUMNS} from round where workflow_id = ?`, workflowId);
}

export function* findRound(requestId: number, number: number): Script<RoundRow | undefined> {
  return yield* first<RoundRow>(
    `select ${COLUMNS} from round where request_id = ? and number = ?`,
    requestId,
    number,
  );
}

export function* newestRound(requestId: number): Script<RoundRow | undefined> {
  return yield* first<RoundRow>(
    `select ${COLUMNS} from round where request_id = ? order by number desc limit 1`,
    requestId,
  );
}

/** Newest first, below the number `before`. */
export function* listRoundRows(requestId: number, before: number, limit: number): Script<RoundRow[]> {
  return yield* all<RoundRow>(
    `select ${COLUMNS} from round where request_id = ? and number < ? order by number desc limit ?`,
    requestId,
    before,
    limit,
  );
}

export function* countRounds(requestId: number): Script<number> {
  const row = yield* first<{ count: number }>(
    'select count(*) as count from round where request_id = ?',
    requestId,
  );
  return row!.count;
}

/** A named transition: compare-and-set on the state. */
export function* moveRound({ id, state }: Pick<RoundRow, 'id' | 'state'>, to: RoundState): Script<void> {
  assertRoundTransition(state, to);
  yield* changeOne('update round set state = ? where id = ? and state = ?', to, id, state);
}

/** How a run of a round ended, and what was decided then. */
export function* setRoundEnd(workflowId: number, runId: number, end: RoundRunEnd): Script<void> {
  yield* changeOne(
    'update run set round_end = ? where workflow_id = ? and run_id = ?',
    JSON.stringify(end),
    workflowId,
    runId,
  );
}

/** SUBMITTED → RUNNING with the first claim of a run. */
export function* startRound(workflowId: number): Script<void> {
  assertRoundTransition('SUBMITTED', 'RUNNING');
  yield* change(
    `update round set state = 'RUNNING' where workflow_id = ? and state = 'SUBMITTED'`,
    workflowId,
  );
}

export interface RoundRunRow {
  workflow_id: number;
  run_id: number;
  kind: 'first' | 'failure' | 'stop' | 'reset';
  started_at: number | null;
  finished_at: number | null;
  /** A `RoundRunEnd` in JSON; null while nothing has been decided about it, as after a stop. */
  round_end: string | null;
}

export function* listRoundRuns(workflowId: number): Script<RoundRunRow[]> {
  return yield* all<RoundRunRow>(
    `select workflow_id, run_id, kind, started_at, finished_at, round_end from run where workflow_id = ?
     order by run_id`,
    workflowId,
  );
}

/** Rescues after failures. Runs that continue a stopped one do not count. */
export function* countRescues(workflowId: number): Script<number> {
  const row = yield* first<{ count: number }>(
    `select count(*) as count from run where workflow_id = ? and kind = 'failure'`,
    workflowId,
  );
  return row!.count;
}
