import type { WorkerRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { lockWorker } from '../../store/lock-rows.ts';
import { findWorker, startDraining } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';
import { workerRecord } from '../records/records.ts';
import { auditWorker } from './audit-worker.ts';
import { isAlive } from './is-alive.ts';

/** The worker is asked to leave with its next exchange. */
export function* drainWorker(workerId: number, actor: string, now: number): Script<WorkerRecord> {
  yield* lockWorker(workerId);
  const before = yield* findWorker(workerId);
  if (before === undefined) throw new HoldfastError('WORKER_NOT_FOUND', { id: workerId });
  if (before.retired_at !== null) throw new HoldfastError('WORKER_RETIRED', { worker: workerId });
  if (before.draining === 0) {
    yield* startDraining(workerId);
    yield* auditWorker(before, 'worker_drained', actor, now);
  }
  const worker = (yield* findWorker(workerId))!;
  return workerRecord(worker, isAlive(worker, now), now);
}
