import { appendAudit } from '../../store/rows/access/audit-rows.ts';
import type { WorkerRow } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';

/** Records who registered, resumed, drained or retired a worker, or declared it lost. */
export function* auditWorker(
  { id, host, pid }: Pick<WorkerRow, 'id' | 'host' | 'pid'>,
  action: 'worker_registered' | 'worker_resumed' | 'worker_drained' | 'worker_lost' | 'worker_retired',
  actor: string,
  now: number,
): Script<void> {
  yield* appendAudit({ at: now, actor, action, subject: `worker ${id} (${host}, process ${pid})` });
}
