import { lockHeldWorkflows, lockWorker } from '../../store/lock-rows.ts';
import { findWorker } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';
import { retireWorker } from './adopt-run.ts';
import { auditWorker } from './audit-worker.ts';

/** The worker leaves by itself. A worker that has left already, or is unknown, changes nothing. */
export function* leaveWorker(workerId: number, actor: string | undefined, now: number): Script<void> {
  yield* lockWorker(workerId);
  const worker = yield* findWorker(workerId);
  if (actor !== undefined && worker?.retired_at === null) {
    yield* auditWorker(worker, 'worker_retired', actor, now);
  }
  yield* lockHeldWorkflows([workerId]);
  yield* retireWorker(workerId, now);
}
