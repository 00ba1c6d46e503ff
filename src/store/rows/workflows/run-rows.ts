import { assertRunTransition, type EndedRunState, type RunState } from '../../../core/run/run-transitions.ts';
import { change, changeOne, first, run, type Script } from '../../script.ts';

export interface RunRow {
  run_id: number;
  state: RunState;
  driver_id: number | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  attempts_finished: number;
  successes: number;
  success_ms: number;
}

/** Why a run began: it is the first, after failures of a round, after a stop of it, for a reset, or for an update. */
export type RunKind = 'first' | 'failure' | 'stop' | 'reset' | 'update';

export function* insertRun(workflowId: number, runId: number, kind: RunKind, now: number): Script<void> {
  yield* run(
    `insert into run (workflow_id, run_id, kind, state, created_at) values (?, ?, ?, 'created', ?)`,
    workflowId,
    runId,
    kind,
    now,
  );
}

export function* findRun(workflowId: number, runId: number): Script<RunRow> {
  const row = yield* first<RunRow>(
    `select run_id, state, driver_id, created_at, started_at, finished_at, attempts_finished, successes, success_ms
     from run where workflow_id = ? and run_id = ?`,
    workflowId,
    runId,
  );
  if (row === undefined) throw new Error(`workflow ${workflowId} has no run ${runId}`);
  return row;
}

/** The worker drives the run from now on, and starts it unless it has started. */
export function* setDriver(workflowId: number, row: RunRow, workerId: number, now: number): Script<void> {
  if (row.state !== 'running') assertRunTransition(row.state, 'running');
  yield* changeOne(
    `update run set state = 'running', driver_id = ?, started_at = coalesce(started_at, ?)
     where workflow_id = ? and run_id = ? and state = ?`,
    workerId,
    now,
    workflowId,
    row.run_id,
    row.state,
  );
}

/** True only for the call that starts the run. */
export function* startRun(workflowId: number, runId: number, now: number): Script<boolean> {
  const changes = yield* change(
    `update run set state = 'running', started_at = ? where workflow_id = ? and run_id = ? and state = 'created'`,
    now,
    workflowId,
    runId,
  );
  return changes === 1;
}

export function* finishRun(workflowId: number, row: RunRow, end: EndedRunState, now: number): Script<void> {
  assertRunTransition(row.state, end);
  yield* changeOne(
    'update run set state = ?, finished_at = ? where workflow_id = ? and run_id = ? and state = ?',
    end,
    now,
    workflowId,
    row.run_id,
    row.state,
  );
}

/** A run that has ended is open again, as it was before its end. */
export function* setRunOpen(workflowId: number, row: RunRow): Script<void> {
  const to = row.started_at === null ? 'created' : 'running';
  assertRunTransition(row.state, to);
  yield* changeOne(
    'update run set state = ?, finished_at = null where workflow_id = ? and run_id = ? and state = ?',
    to,
    workflowId,
    row.run_id,
    row.state,
  );
}

/** Totals for progress and estimates, kept so that no screen has to count attempts. */
export interface RunTotals {
  attempts_finished: number;
  successes: number;
  success_ms: number;
}

export function* addToRun(workflowId: number, runId: number, totals: RunTotals): Script<void> {
  yield* run(
    `update run set attempts_finished = attempts_finished + ?, successes = successes + ?, success_ms = success_ms + ?
     where workflow_id = ? and run_id = ?`,
    totals.attempts_finished,
    totals.successes,
    totals.success_ms,
    workflowId,
    runId,
  );
}
