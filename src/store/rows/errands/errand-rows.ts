import type { ErrandKind } from '../../../contract/records/errand.ts';
import { idLists } from '../../many-rows.ts';
import { all, changeOne, insert, placeholders, run, type Script } from '../../script.ts';

/** An errand that has not ended, and that a worker holds or is to hold. */
export interface ErrandRow {
  id: number;
  workflow_id: number;
  run_id: number;
  kind: ErrandKind;
  holder: 'attempt' | 'worker';
  /** The attempt that it is about; null for an action and for outputs. */
  token: number | null;
  job_id: number | null;
  action_id: number | null;
  worker_id: number | null;
  ordered_at: number;
  started_at: number | null;
  timeout_ms: number | null;
}

const COLUMNS = `errand.id, errand.workflow_id, errand.run_id, errand.kind, errand.holder, errand.token, errand.job_id,
  errand.action_id, errand.worker_id, errand.ordered_at, errand.started_at, errand.timeout_ms`;

/** Of an attempt. With a worker it has been started; without one it waits for any worker. */
export interface NewErrand {
  kind: Exclude<ErrandKind, 'action' | 'outputs'>;
  holder: 'attempt' | 'worker';
  attempt: { id: number; workflow_id: number; run_id: number; job_id: number };
  worker_id: number | null;
  timeout_ms: number | null;
}

export function* insertErrand(errand: NewErrand, now: number): Script<number> {
  const { id: token, workflow_id, run_id, job_id } = errand.attempt;
  return yield* insert(
    `insert into errand (workflow_id, run_id, kind, holder, token, job_id, worker_id, ordered_at, started_at, timeout_ms)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    workflow_id,
    run_id,
    errand.kind,
    errand.holder,
    token,
    job_id,
    errand.worker_id,
    now,
    errand.worker_id === null ? null : now,
    errand.timeout_ms,
  );
}

/** Errands that the worker has started and not reported. */
export function* listHeldErrands(workerId: number): Script<ErrandRow[]> {
  return yield* all<ErrandRow>(
    `select ${COLUMNS} from errand where worker_id = ? and finished_at is null and started_at is not null
     order by started_at, coalesce(action_id, 0), id`,
    workerId,
  );
}

/** Those of the errands that have been started and have not ended, by their ids. */
export function* findStartedErrands(ids: readonly number[]): Script<Map<number, ErrandRow>> {
  const found = new Map<number, ErrandRow>();
  for (const list of idLists(ids)) {
    const rows = yield* all<ErrandRow>(
      `select ${COLUMNS} from errand where id in ${placeholders(list.length)} and finished_at is null
         and started_at is not null and holder <> 'server'`,
      ...list,
    );
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

/** What has no effects of its own, so that any worker may do it again: evaluations, and built-in post steps. */
const REPEATABLE = `(errand.kind = 'evaluation' or (errand.kind = 'post' and errand.holder = 'worker'))`;

/** Evaluations and built-in post steps of the workflow that wait for any worker. */
export function* listWaitingEvaluations(workflowId: number): Script<ErrandRow[]> {
  return yield* all<ErrandRow>(
    `select ${COLUMNS} from errand where workflow_id = ? and finished_at is null and ${REPEATABLE}
       and started_at is null order by id`,
    workflowId,
  );
}

/** Whether there are any; for the workflow that the statement around it names `workflow.id`, or for a placeholder. */
export const hasWaitingEvaluations = (workflow: 'workflow.id' | '?') =>
  `exists (select 1 from errand where errand.workflow_id = ${workflow} and errand.finished_at is null
     and ${REPEATABLE} and errand.started_at is null)`;

/** A worker begins an errand that any worker may do. */
export function* startErrand(id: number, workerId: number, now: number): Script<void> {
  yield* changeOne(
    `update errand set worker_id = ?, started_at = ? where id = ? and started_at is null and holder = 'worker'`,
    workerId,
    now,
    id,
  );
}

/** The worker did not do it: the next worker may. Only for what has no effects of its own. */
export function* releaseErrand(id: number): Script<void> {
  yield* changeOne(
    `update errand set worker_id = null, started_at = null
     where id = ? and finished_at is null and ${REPEATABLE} and holder = 'worker'`,
    id,
  );
}

/** The same for all of these that a worker holds. */
export function* releaseEvaluations(workerId: number): Script<void> {
  yield* run(
    `update errand set worker_id = null, started_at = null
     where worker_id = ? and finished_at is null and ${REPEATABLE} and holder = 'worker'`,
    workerId,
  );
}

/** The errand has ended, for good. */
export function* finishErrand(id: number, result: unknown, now: number): Script<void> {
  yield* changeOne(
    'update errand set finished_at = ?, result = ? where id = ? and finished_at is null',
    now,
    JSON.stringify(result),
    id,
  );
}

/** Ends what the attempt, or its route, waits for: its worker is gone, or nothing is to be heard any more. */
export function* finishErrandsOf(token: number, result: unknown, now: number): Script<void> {
  yield* run(
    `update errand set finished_at = ?, result = ? where token = ? and finished_at is null
       and kind in ('post', 'evaluation')`,
    now,
    JSON.stringify(result),
    token,
  );
}

/** Ends open evaluations and left post steps of the workflow: what they would decide is void. */
export function* finishEvaluations(workflowId: number, result: unknown, now: number): Script<void> {
  yield* run(
    `update errand set finished_at = ?, result = ? where workflow_id = ? and finished_at is null
       and ${REPEATABLE}`,
    now,
    JSON.stringify(result),
    workflowId,
  );
}

/** Recovery scripts for which no retry waits any more: the job was canceled or overtaken. */
const UNNEEDED = `errand.kind = 'recovery'
  and (job.waiting_for is null or job.waiting_for <> 'recovery' or job.waiting_token <> errand.token)`;
/** Post scripts of attempts that are to be ended. */
const OF_CANCELED = `errand.kind = 'post' and job.ending is not null`;

/** Started errands that are to be stopped. */
export const ERRANDS_TO_CANCEL = `select errand.id, errand.worker_id from errand
  left join job on job.id = errand.job_id
  where errand.finished_at is null and errand.started_at is not null and errand.worker_id is not null
    and (errand.cancel_requested = 1 or (${UNNEEDED}) or (${OF_CANCELED}))`;

/** Ids of the errands that the workers are to stop, by the workers. */
export function* listErrandsToCancel(workerIds: readonly number[]): Script<Map<number, number[]>> {
  const errands = new Map<number, number[]>();
  for (const list of idLists(workerIds)) {
    const rows = yield* all<{ id: number; worker_id: number }>(
      `${ERRANDS_TO_CANCEL} and errand.worker_id in ${placeholders(list.length)} order by errand.id`,
      ...list,
    );
    for (const { id, worker_id } of rows) errands.set(worker_id, [...(errands.get(worker_id) ?? []), id]);
  }
  return errands;
}

/** Errands of actions of the run that have begun. */
export function* listStartedActions(workflowId: number, runId: number): Script<number[]> {
  const rows = yield* all<{ id: number }>(
    `select id from errand where workflow_id = ? and run_id = ? and finished_at is null and kind = 'action'
       and started_at is not null order by id`,
    workflowId,
    runId,
  );
  return rows.map(({ id }) => id);
}

/** Their holders are to stop them. */
export function* requestStops(ids: readonly number[]): Script<void> {
  for (const list of idLists(ids)) {
    yield* run(
      `update errand set cancel_requested = 1 where id in ${placeholders(list.length)} and finished_at is null`,
      ...list,
    );
  }
}
