import type { OutputEvent } from '../../../core/request/output-hook.ts';
import { all, change, changeOne, first, insert, run, type Script } from '../../script.ts';

/** What the errand of outputs is about, as it is stored. */
export interface OutputErrandData {
  event: OutputEvent;
  reason: string | null;
  actor: string;
  /** When the outputs became what the event says. */
  at: number;
  /** How the last try failed. */
  problem: string | null;
}

export interface OutputErrandRow {
  id: number;
  request_id: number;
  workflow_id: number;
  run_id: number;
  data: string;
  due_at: number;
  tries: number;
  worker_id: number | null;
  started_at: number | null;
}

const COLUMNS = `errand.id, errand.request_id, errand.workflow_id, errand.run_id, errand.data, errand.due_at, errand.tries,
  errand.worker_id, errand.started_at`;

const OPEN = `errand.kind = 'outputs' and errand.finished_at is null`;

/** One errand of a request at a time: what was registered first is invalidated last. */
const ONE_RUNS = `exists (select 1 from errand as other where other.request_id = errand.request_id
  and other.kind = 'outputs' and other.finished_at is null and other.started_at is not null)`;

export interface NewOutputErrand {
  request_id: number;
  workflow_id: number;
  run_id: number;
  data: OutputErrandData;
  timeout_ms: number;
}

export function* insertOutputErrand(errand: NewOutputErrand, now: number): Script<number> {
  return yield* insert(
    `insert into errand (workflow_id, run_id, kind, holder, request_id, data, timeout_ms, ordered_at, due_at)
     values (?, ?, 'outputs', 'worker', ?, ?, ?, ?, ?)`,
    errand.workflow_id,
    errand.run_id,
    errand.request_id,
    JSON.stringify(errand.data),
    errand.timeout_ms,
    now,
    now,
  );
}

export function* getOutputErrand(id: number): Script<OutputErrandRow> {
  return (yield* first<OutputErrandRow>(`select ${COLUMNS} from errand where id = ?`, id))!;
}

/** Whose outputs a worker sees to: those of all requests of a server, or of all versions of one request. */
export type OutputOwner = 'shared' | { request_id: number };

/** Errands that have not begun, in the order of their due times. */
export function* listWaitingOutputs(owner: OutputOwner, limit: number): Script<OutputErrandRow[]> {
  const whose =
    owner === 'shared' ? 'request.shared = 1' : 'request.name = (select name from request where id = ?)';
  return yield* all<OutputErrandRow>(
    `select ${COLUMNS} from errand join request on request.id = errand.request_id
     where ${OPEN} and errand.started_at is null and ${whose} order by errand.due_at, errand.id limit ?`,
    ...(owner === 'shared' ? [] : [owner.request_id]),
    limit,
  );
}

/** Whether an errand of outputs of a server's requests can be begun; the placeholder is the time. */
export const HAS_DUE_OUTPUTS = `exists (select 1 from errand join request on request.id = errand.request_id
  where ${OPEN} and errand.started_at is null and errand.due_at <= ? and request.shared = 1 and not ${ONE_RUNS})`;

/** When the next of them becomes due; the placeholder is the time. */
export const nextDueOutputs = `(select min(errand.due_at) from errand join request on request.id = errand.request_id
  where ${OPEN} and errand.started_at is null and errand.due_at > ? and request.shared = 1)`;

export interface OpenOutputErrand extends OutputErrandRow {
  version: number;
  timeout_ms: number;
}

/** Errands that have not ended, of all versions of the request. */
export function* listOpenOutputs(requestId: number): Script<OpenOutputErrand[]> {
  return yield* all<OpenOutputErrand>(
    `select ${COLUMNS}, errand.timeout_ms, request.version from errand
     join request on request.id = errand.request_id
     where ${OPEN} and request.name = (select name from request where id = ?) order by errand.id`,
    requestId,
  );
}

/** A worker begins. False if another one has, or one of the same request runs. The request is locked. */
export function* startOutputs(id: number, workerId: number, now: number): Script<boolean> {
  const changes = yield* change(
    `update errand set worker_id = ?, started_at = ?, tries = tries + 1
     where id = ? and ${OPEN} and started_at is null and not ${ONE_RUNS}`,
    workerId,
    now,
    id,
  );
  return changes === 1;
}

/** Its next try is due at this time. */
export function* repeatOutputs(
  { id, tries }: Pick<OutputErrandRow, 'id' | 'tries'>,
  data: OutputErrandData,
  dueAt: number,
): Script<void> {
  yield* changeOne(
    `update errand set worker_id = null, started_at = null, tries = ?, data = ?, due_at = ?
     where id = ? and ${OPEN} and started_at is not null`,
    tries,
    JSON.stringify(data),
    dueAt,
    id,
  );
}

/** Those of one request that have not begun are not needed any more. */
export function* withdrawOutputs(requestId: number, now: number): Script<void> {
  yield* run(
    `update errand set finished_at = ?, result = ? where ${OPEN} and started_at is null and request_id = ?`,
    now,
    JSON.stringify({ withdrawn: true }),
    requestId,
  );
}

/** Ids of errands of one request that run. */
export function* listRunningOutputs(requestId: number): Script<number[]> {
  const rows = yield* all<{ id: number }>(
    `select errand.id from errand where ${OPEN} and errand.started_at is not null and errand.request_id = ?
     order by errand.id`,
    requestId,
  );
  return rows.map(({ id }) => id);
}
