import type { WorkerIdentity } from '../core/exchange.ts';
import { all, change, changeOne, first, insert, type Script } from './script.ts';

export interface WorkerRow {
  id: number;
  host: string;
  boot_id: string;
  pid: number;
  start_time: string;
  site: string;
  registered_at: number;
  lease_expires_at: number;
  retired_at: number | null;
}

const COLUMNS = `worker.id, worker.host, worker.boot_id, worker.pid, worker.start_time, worker.site,
  worker.registered_at, worker.lease_expires_at, worker.retired_at`;

export function* insertWorker(identity: WorkerIdentity, now: number, leaseMs: number): Script<number> {
  return yield* insert(
    `insert into worker (host, boot_id, pid, start_time, site, labels, registered_at, lease_expires_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    identity.host,
    identity.boot_id,
    identity.pid,
    identity.start_time,
    identity.site,
    JSON.stringify(identity.labels),
    now,
    now + leaseMs,
  );
}

export function* findWorker(id: number): Script<WorkerRow | undefined> {
  return yield* first<WorkerRow>(`select ${COLUMNS} from worker where id = ?`, id);
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

export function* renewLease(workerId: number, expiresAt: number): Script<void> {
  yield* changeOne(
    'update worker set lease_expires_at = ? where id = ? and retired_at is null',
    expiresAt,
    workerId,
  );
}

/** False if the worker had already retired. */
export function* retire(workerId: number, now: number): Script<boolean> {
  const changes = yield* change(
    'update worker set retired_at = ? where id = ? and retired_at is null',
    now,
    workerId,
  );
  return changes === 1;
}
