import type { WorkerIdentity } from '../core/exchange.ts';
import { idLists, inParts, valueTable } from './many-rows.ts';
import { all, change, changeAll, changeOne, first, insert, placeholders, type Script } from './script.ts';

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
  /** Attempts that it holds. */
  running: number;
  registered_at: number;
  lease_expires_at: number;
  retired_at: number | null;
}

const COLUMNS = `worker.id, worker.host, worker.boot_id, worker.pid, worker.start_time, worker.site, worker.labels,
  worker.kind, worker.draining, worker.cpus, worker.memory_bytes, worker.gpus, worker.registered_at,
  worker.lease_expires_at, worker.retired_at,
  (select count(*) from attempt where attempt.worker_id = worker.id and attempt.finished_at is null) as running`;

export function* insertWorker(identity: WorkerIdentity, now: number, leaseMs: number): Script<number> {
  return yield* insert(
    `insert into worker (host, boot_id, pid, start_time, site, labels, kind, cpus, memory_bytes, gpus, registered_at,
      lease_expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    now,
    now + leaseMs,
  );
}

/** Another process goes on as the worker. */
export function* replaceProcess(workerId: number, identity: WorkerIdentity, expiresAt: number): Script<void> {
  yield* changeOne(
    `update worker set host = ?, boot_id = ?, pid = ?, start_time = ?, site = ?, labels = ?, cpus = ?, memory_bytes = ?,
      gpus = ?, draining = 0, lease_expires_at = ?, last_seq = last_seq + 1, last_result = null
     where id = ? and retired_at is null`,
    identity.host,
    identity.boot_id,
    identity.pid,
    identity.start_time,
    identity.site,
    JSON.stringify(identity.labels),
    identity.cpus,
    identity.memory_bytes,
    identity.gpus,
    expiresAt,
    workerId,
  );
}

export function* findWorker(id: number): Script<WorkerRow | undefined> {
  return yield* first<WorkerRow>(`select ${COLUMNS} from worker where id = ?`, id);
}

/** What an exchange needs of its worker, without counting what it holds. */
export type ExchangingWorker = Pick<
  WorkerRow,
  'id' | 'kind' | 'draining' | 'lease_expires_at' | 'retired_at'
> & {
  last_seq: number;
};

const EXCHANGING = 'select id, kind, draining, lease_expires_at, retired_at, last_seq from worker';

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

/** Newest first, below the id `before`. */
export function* listWorkers(before: number, limit: number): Script<WorkerRow[]> {
  return yield* all<WorkerRow>(
    `select ${COLUMNS} from worker where id < ? order by id desc limit ?`,
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

/** Those of the workers that some ready job shuns at this time. */
export function* listShunned(workerIds: readonly number[], now: number): Script<number[]> {
  const shunned: number[] = [];
  for (const list of idLists(workerIds)) {
    const rows = yield* all<{ id: number }>(
      `select distinct avoid_worker_id as id from job
       where avoid_worker_id in ${placeholders(list.length)} and status = 2 and avoid_until > ?`,
      ...list,
      now,
    );
    shunned.push(...rows.map(({ id }) => id));
  }
  return shunned;
}

/** What other workers of a server offer who take jobs now. */
export function* listOtherOffers(
  workerId: number,
  now: number,
): Script<Pick<WorkerRow, 'cpus' | 'memory_bytes' | 'gpus'>[]> {
  return yield* all<Pick<WorkerRow, 'cpus' | 'memory_bytes' | 'gpus'>>(
    `select distinct cpus, memory_bytes, gpus from worker
     where retired_at is null and kind = 'service' and draining = 0 and lease_expires_at > ? and id <> ?`,
    now,
    workerId,
  );
}

/** Workers that have not retired, though their lease is over. */
export function* listOverdueWorkers(now: number): Script<WorkerRow[]> {
  return yield* all<WorkerRow>(
    `select ${COLUMNS} from worker where retired_at is null and lease_expires_at <= ? order by id`,
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
    yield* changeAll(
      part.length,
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
  yield* changeOne('update worker set draining = 1 where id = ? and retired_at is null', workerId);
}

/** False if the worker had already retired. */
export function* retire(workerId: number, now: number): Script<boolean> {
  const changes = yield* change(
    'update worker set retired_at = ?, last_result = null where id = ? and retired_at is null',
    now,
    workerId,
  );
  return changes === 1;
}

/**
 * Workers to which something is to be said: jobs of theirs are to be canceled, they are to leave, or somebody reads
 * a log that they have.
 */
export function* listWorkersToTell(now: number): Script<number[]> {
  const rows = yield* all<{ id: number }>(
    `select attempt.worker_id as id from job join attempt on attempt.job_id = job.id and attempt.finished_at is null
       where job.cancel_requested = 1
     union select id from worker where retired_at is null and draining = 1
     union select attempt.worker_id from log_reader join attempt on attempt.id = log_reader.token
       where log_reader.until > ? and attempt.finished_at is null`,
    now,
  );
  return rows.map((row) => row.id);
}
