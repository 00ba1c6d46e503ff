import { appendAudit } from '../store/audit-rows.ts';
import type { Script } from '../store/script.ts';
import type { WorkerRow } from '../store/worker-rows.ts';

/** Writes down who had a worker come, go on or leave; a worker is given what its jobs may not show. */
export function* auditWorker(
  { id, host, pid }: Pick<WorkerRow, 'id' | 'host' | 'pid'>,
  action: 'worker_registered' | 'worker_resumed' | 'worker_drained' | 'worker_retired',
  actor: string,
  now: number,
): Script<void> {
  yield* appendAudit({ at: now, actor, action, subject: `worker ${id} (${host}, process ${pid})` });
}
