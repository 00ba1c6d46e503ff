import { appendEvent } from '../store/event-rows.ts';
import { listHeldWorkflows, lockWorker, lockWorkflows } from '../store/lock-rows.ts';
import type { Script } from '../store/script.ts';
import { findWorker, type WorkerRow } from '../store/worker-rows.ts';
import { findWorkflow } from '../store/workflow-rows.ts';
import { type IsAlive, retireWorker } from './adopt-run.ts';

/** Gives up a worker whose lease is over, with all that it holds. False if it came back meanwhile. */
export function* giveUpWorker(worker: WorkerRow, now: number, isAlive: IsAlive): Script<boolean> {
  yield* lockWorker(worker.id);
  const current = yield* findWorker(worker.id);
  if (current === undefined || current.retired_at !== null || isAlive(current, now)) return false;
  const workflows = yield* listHeldWorkflows(worker.id);
  yield* lockWorkflows(workflows);
  // Code that is still to be evaluated waits for the next worker that comes by.
  const attempts = yield* retireWorker(worker.id, now, true);
  for (const id of workflows) {
    const { run_id } = (yield* findWorkflow(id))!;
    yield* appendEvent({
      workflow_id: id,
      run_id,
      at: now,
      type: 'worker_lost',
      reason: `worker ${worker.id} (${worker.host}, process ${worker.pid}) is gone`,
      data: { worker_id: worker.id, attempts },
    });
  }
  return true;
}
