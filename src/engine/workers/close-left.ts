import { listWaitingEvaluations } from '../../store/rows/errands/errand-rows.ts';
import { listWorkersOf } from '../../store/rows/workers/worker-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { closeWaitingForCode, type IsAlive, reapDeadWorkers } from './adopt-run.ts';

/** Closes what dead workers left open, before a run is replaced. */
export function* closeLeft(workflow: WorkflowRow, now: number, isAlive: IsAlive): Script<void> {
  yield* reapDeadWorkers(workflow, now, isAlive);
  yield* closeWaitingForCode(workflow.id, 'all', now);
}

/** Whether that would change anything. */
export function* isAnyLeft({ id, run_id }: WorkflowRow, now: number, isAlive: IsAlive): Script<boolean> {
  const workers = yield* listWorkersOf(id, run_id);
  if (workers.some((worker) => !isAlive(worker, now))) return true;
  return (yield* listWaitingEvaluations(id)).length > 0;
}
