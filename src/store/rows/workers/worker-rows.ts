import type { WorkerIdentity } from '../../../contract/records/exchange.ts';
import { statesBefore } from '../../../core/state-transition.ts';
import { WORKER_TRANSITIONS, type WorkerRowState } from '../../../core/worker/worker-transitions.ts';
import { idLists, inParts, valueTable } from '../../many-rows.ts';
import { all, change, changeOne, first, insert, placeholders, run, type Script } from '../../script.ts';

export interface WorkerRow {
  id: number;
  host: string;
  boot_id: string;
  pid: number;
  start_time: string;
  site: string;
  labels: string;
  kind: 'run' | 'service';
  draining: number;
  cpus: number;
  memory_bytes: number;
  gpus: number;
  nodes: number | null;
  max_parallel: number | null;
  ends_at: number | null;
  /** Attempts that it holds. */
  running: number;
  registered_at: number;
  lease_ms: number;
  lease_expires_at: number;
  /** Its state directory, if it has said. */
  directory: string | null;
  retired_at: number | null;
  /** The allocation that it runs in; null: it runs outside of one. */
  allocation_id: number | null;
  allocation_restarts: number | null;
}

const COLUMNS = `worker.id, worker.host, worker.boot_id, worker.pid, worker.start_time, worker.site, worker.labels,
  worker.kind, worker.draining, worker.cpus, worker.memory_bytes, worker.gpus, worker.nodes, worker.max_parallel,
  worker.ends_at, worker.registered_at, worker.lease_ms, worker.lease_expires_at, worker.directory, worker.retired_at,
  worker.allocation_id, worker.allocation_restarts,
  (select count(*) from attempt where attempt.worker_id = worker.id and attempt.finished_at is null) as running`;

export function* insertWorker(
  identity: WorkerIdentity,
  now: number,
  leaseMs: number,
  registeredBy: string | null,
  secretHash: string,
): Script<number> {
  return yield* insert(
    `insert into worker (host, boot_id, pid, start_time, site, labels, kind, cpus, memory_bytes, gpus, nodes,
      max_parallel, ends_at, registered_at, lease_ms, lease_expires_at, directory, registered_by, secret_hash)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    identity.host,
    identity.boot_id,
    identity.pid,
    identity.start_time,
    identity.site,
    JSON.stringify(identity.labels),
    identity.kind,
    identity.cpus,
    identity.memory_bytes,
    identity.gpus,
    identity.nodes ?? null,
    identity.max_parallel ?? null,
    endOf(identity, now),
    now,
    leaseMs,
    now + leaseMs,
    identity.directory ?? null,
    registeredBy,
    secretHash,
  );
}

/** The columns in each state. */
const STATE_COLUMNS: Record<WorkerRowState, string> = {
  active: 'retired_at is null and draining = 0',
  draining: 'retired_at is null and draining = 1',
  retired: 'retired_at is not null',
};

/** The condition that a worker may move to this state. */
function mayBecome(to: WorkerRowState): string {
  const conditions = statesBefore(WORKER_TRANSITIONS, to).map((from) => `(${STATE_COLUMNS[from]})`);
  return `(${conditions.join(' or ')})`;
}

/** Another process continues as the worker, with a fresh lease. */
export function* replaceProcess(
  workerId: number,
  identity: WorkerIdentity,
  now: number,
  leaseMs: number,
): Script<void> {
  yield* changeOne(
    `update worker set host = ?, boot_id = ?, pid = ?, start_time = ?, site = ?, labels = ?, cpus = ?, memory_bytes = ?,
      gpus = ?, nodes = ?, max_parallel = ?, ends_at = ?, directory = ?, draining = 0, lease_ms = ?,
      lease_expires_at = ?, last_seq = last_seq + 1, last_result = null
     where id = ? and ((${STATE_COLUMNS.active}) or ${mayBecome('active')})`,
    identity.host,
    identity.boot_id,
    identity.pid,
    identity.start_time,
    identity.site,
    JSON.stringify(identity.labels),
    identity.cpus,
    identity.memory_bytes,
    identity.gpus,
    identity.nodes ?? null,
    identity.max_parallel ?? null,
    endOf(identity, now),
    identity.directory ?? null,
    leaseMs,
    now + leaseMs,
    workerId,
  );
}

function endOf({ time_left_ms }: WorkerIdentity, now: number): number | null {
  return time_left_ms === undefined ? null : now + time_left_ms;
}

export function* findWorker(id: number): Script<WorkerRow | undefined> {
  return yield* first<WorkerRow>(`select ${COLUMNS} from worker where id = ?`, id);
}

export function* findSecretHash(id: number): Script<string | null> {
  const row = yield* first<{ secret_hash: string }>('select secret_hash from worker where id = ?', id);
  return row?.secret_hash ?? null;
}

/** What an exchange needs of its worker, without counting what it holds. */
export type ExchangingWorker = Pick<
  WorkerRow,
  | 'id'
  | 'kind'
  | 'site'
  | 'labels'
  | 'ends_at'
  | 'draining'
  | 'lease_ms'
  | 'lease_expires_at'
  | 'retired_at'
  | 'allocation_id'
> & {
  last_seq: number;
};

const EXCHANGING =
  'select id, kind, site, labels, ends_at, draining, lease_ms, lease_expires_at, retired_at, allocation_id, last_seq from worker';

export function* findExchangingWorker(id: number): Script<ExchangingWorker | undefined> {
  return yield* first<ExchangingWorker>(`${EXCHANGING} where id = ?`, id);
}

/** Those that there are, by their ids. */
export function* findExchangingWorkers(ids: readonly number[]): Script<Map<number, ExchangingWorker>> {
  const found = new Map<number, ExchangingWorker>();
  for (const list of idLists(ids)) {
    const rows = yield* all<ExchangingWorker>(
      `${EXCHANGING} where id in ${placeholders(list.length)}`,
      ...list,
    );
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

/** Newest first, below the id `before`; `isPresent`: only those that have not left. */
export function* listWorkers(before: number, limit: number, isPresent: boolean): Script<WorkerRow[]> {
  return yield* all<WorkerRow>(
    `select ${COLUMNS} from worker where id < ?${isPresent ? ' and retired_at is null' : ''} order by id desc limit ?`,
    before,
    limit,
  );
}

/** Workers that have not retired and hold live attempts of the workflow or drive its run. */
export function* listWorkersOf(workflowId: number, runId: number): Script<WorkerRow[]> {
  return yield* all<WorkerRow>(
    `select ${COLUMNS} from worker where retired_at is null and (
       worker.id = (select driver_id from run where workflow_id = ? and run_id = ?)
       or exists (select 1 from attempt where attempt.worker_id = worker.id and attempt.finished_at is null
         and attempt.workflow_id = ?)
     ) order by worker.id`,
    workflowId,
    runId,
    workflowId,
  );
}

/** Workers that have not retired though their lease is over, and those of a host that are silent since a time. */
export function* listOverdueWorkers(now: number, host: string, silentSince: number): Script<WorkerRow[]> {
  return yield* all<WorkerRow>(
    `select ${COLUMNS} from worker where retired_at is null
       and (lease_expires_at <= ? or (host = ? and lease_expires_at - lease_ms <= ?)) order by id`,
    now,
    host,
    silentSince,
  );
}

/** Workers that have not retired and have not been heard of since a time. */
export function* listSilentWorkers(since: number, limit: number): Script<WorkerRow[]> {
  return yield* all<WorkerRow>(
    `select ${COLUMNS} from worker where retired_at is null and lease_expires_at - lease_ms <= ? order by id limit ?`,
    since,
    limit,
  );
}

/** Workers of a server with an older registration of the same owner for the same directory of the same host. */
export function* listPredecessors(workerId: number): Script<number[]> {
  const rows = yield* all<{ id: number }>(
    `select older.id from worker as older join worker as newer on newer.id = ?
     where older.id < newer.id and older.retired_at is null and older.kind = 'service' and newer.kind = 'service'
       and older.host = newer.host and older.directory = newer.directory
       and coalesce(older.registered_by, '') = coalesce(newer.registered_by, '') order by older.id`,
    workerId,
  );
  return rows.map(({ id }) => id);
}

/** Time that does not count: every lease lasts that much longer, but no longer than a fresh one. */
export function* extendLeases(byMs: number, now: number): Script<void> {
  yield* run(
    `update worker set lease_expires_at = case when lease_expires_at + ? < lease_ms + ? then lease_expires_at + ?
       else lease_ms + ? end
     where retired_at is null`,
    byMs,
    now,
    byMs,
    now,
  );
}

/** No lease lasts longer than a fresh one, as it would after the clock was set back. */
export function* shortenLeases(now: number): Script<void> {
  yield* run(
    `update worker set lease_expires_at = lease_ms + ? where retired_at is null and lease_expires_at > lease_ms + ?`,
    now,
    now,
  );
}

export function* renewLease(workerId: number, expiresAt: number): Script<void> {
  yield* changeOne(
    'update worker set lease_expires_at = ? where id = ? and retired_at is null',
    expiresAt,
    workerId,
  );
}

/** The newest exchange of each of the workers, and what was answered. */
export function* keepAnswers(
  answers: readonly { workerId: number; seq: number; answer: string }[],
): Script<void> {
  for (const part of inParts(answers)) {
    const table = valueTable(
      ['bigint', 'bigint', 'text'],
      part.map(({ workerId, seq, answer }) => [workerId, seq, answer]),
    );
    // Each of them was locked and read in this transaction.
    yield* run(
      `update worker set last_seq = kept.column2, last_result = kept.column3 from ${table.sql} as kept
       where worker.id = kept.column1`,
      ...table.values,
    );
  }
}

export function* findAnswer(workerId: number): Script<string | null> {
  const row = yield* first<{ last_result: string | null }>(
    'select last_result from worker where id = ?',
    workerId,
  );
  return row?.last_result ?? null;
}

export function* startDraining(workerId: number): Script<void> {
  yield* changeOne(`update worker set draining = 1 where id = ? and ${mayBecome('draining')}`, workerId);
}

/** False if the worker had already retired. */
export function* retire(workerId: number, now: number): Script<boolean> {
  const changes = yield* change(
    `update worker set retired_at = ?, last_result = null where id = ? and ${mayBecome('retired')}`,
    now,
    workerId,
  );
  return changes === 1;
}

/** It runs in the allocation. */
export function* setAllocation(
  workerId: number,
  allocationId: number,
  node: number,
  restarts: number,
): Script<void> {
  yield* changeOne(
    'update worker set allocation_id = ?, allocation_node = ?, allocation_restarts = ? where id = ?',
    allocationId,
    node,
    restarts,
    workerId,
  );
}
