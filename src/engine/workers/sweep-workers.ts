import { hostname } from 'node:os';
import { HoldfastError } from '../../core/errors.ts';
import { heardAt, SUSPECT_AFTER_MS } from '../../core/worker/worker-silence.ts';
import { listHeldWorkflows, lockWorker, lockWorkflows } from '../../store/lock-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import {
  findWorker,
  listOverdueWorkers,
  listPredecessors,
  type WorkerRow,
} from '../../store/rows/workers/worker-rows.ts';
import { findWorkflow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { type IsAlive, retireWorker } from './adopt-run.ts';
import { auditWorker } from './audit-worker.ts';

/** Workers that are dead or whose lease is over, and that hold what others could do. */
export function* findDeadWorkers(now: number, isAlive: IsAlive): Script<WorkerRow[]> {
  const suspects = yield* listOverdueWorkers(now, hostname(), now - SUSPECT_AFTER_MS);
  return suspects.filter((worker) => !isAlive(worker, now));
}

/** Gives up a worker that is dead or whose lease is over. False if it came back meanwhile. */
export function* giveUpWorker(worker: WorkerRow, now: number, isAlive: IsAlive): Script<boolean> {
  yield* lockWorker(worker.id);
  const current = yield* findWorker(worker.id);
  if (current === undefined || current.retired_at !== null || isAlive(current, now)) return false;
  yield* loseWorker(current, now, `${nameOf(current)} is gone`);
  return true;
}

/** The allocation of the worker is gone, and it has been silent since a time. False if it was heard of meanwhile. */
export function* giveUpStranded(
  workerId: number,
  silentSince: number,
  why: string,
  now: number,
): Script<boolean> {
  yield* lockWorker(workerId);
  const worker = yield* findWorker(workerId);
  if (worker === undefined || worker.retired_at !== null || heardAt(worker) > silentSince) return false;
  yield* loseWorker(worker, now, `${nameOf(worker)} is gone: ${why}`);
  return true;
}

/** A worker that registers anew in a directory shows that the ones before it there are dead. */
export function* givePredecessorsUp(workerId: number, now: number): Script<void> {
  for (const id of yield* listPredecessors(workerId)) {
    yield* lockWorker(id);
    const older = (yield* findWorker(id))!;
    if (older.retired_at !== null) continue;
    yield* loseWorker(older, now, `${nameOf(older)} is gone: worker ${workerId} took its place`);
  }
}

/** An operator knows that the worker is dead. */
export function* declareWorkerLost(workerId: number, actor: string, now: number): Script<WorkerRow> {
  yield* lockWorker(workerId);
  const worker = yield* findWorker(workerId);
  if (worker === undefined) throw new HoldfastError('WORKER_NOT_FOUND', { id: workerId });
  if (worker.retired_at !== null) throw new HoldfastError('WORKER_RETIRED', { worker: workerId });
  yield* loseWorker(worker, now, `${nameOf(worker)} was declared lost by ${actor}`, actor);
  yield* auditWorker(worker, 'worker_lost', actor, now);
  return (yield* findWorker(workerId))!;
}

/** Everything that the worker holds is lost. The worker is locked. */
function* loseWorker(worker: WorkerRow, now: number, reason: string, actor?: string): Script<void> {
  const workflows = yield* listHeldWorkflows(worker.id);
  yield* lockWorkflows(workflows);
  const attempts = yield* retireWorker(worker.id, now);
  for (const id of workflows) {
    const { run_id } = (yield* findWorkflow(id))!;
    yield* appendEvent({
      workflow_id: id,
      run_id,
      at: now,
      type: 'worker_lost',
      reason,
      ...(actor !== undefined && { actor }),
      data: { worker_id: worker.id, attempts },
    });
  }
}

function nameOf({ id, host, pid }: WorkerRow): string {
  return `worker ${id} (${host}, process ${pid})`;
}
