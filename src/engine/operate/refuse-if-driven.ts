import { HoldfastError } from '../../core/errors.ts';
import { listWorkersOf } from '../../store/rows/workers/worker-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { IsAlive } from '../workers/adopt-run.ts';

/** No new run begins while a process drives the current one. */
export function* refuseIfDriven(workflow: WorkflowRow, now: number, isAlive: IsAlive): Script<void> {
  for (const worker of yield* listWorkersOf(workflow.id, workflow.run_id)) {
    if (isAlive(worker, now)) throw new HoldfastError('RUN_ACTIVE', { id: workflow.id, pid: worker.pid });
  }
}
