import { first, insert, type Script } from '../../script.ts';

/**
 * The worker in whose name attempts are recorded that DAGMan ran at a site; made when the first one is. It has retired
 * from the beginning: nothing is given to it.
 */
export function* dagWorkerAt(site: string, now: number): Script<number> {
  const found = yield* first<{ id: number }>(`select id from worker where kind = 'dag' and site = ?`, site);
  if (found !== undefined) return found.id;
  return yield* insert(
    `insert into worker (kind, host, boot_id, pid, start_time, site, labels, cpus, memory_bytes, gpus, registered_at,
       lease_ms, lease_expires_at, retired_at, secret_hash)
     values ('dag', 'htcondor', '', 0, '', ?, '[]', 0, 0, 0, ?, 0, ?, ?, '')`,
    site,
    now,
    now,
    now,
  );
}
