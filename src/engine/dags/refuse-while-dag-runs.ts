import { HoldfastError } from '../../core/errors.ts';
import { hasOpenDagRun } from '../../store/rows/dags/dag-run-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

/** DAGMan has the whole run, and would not hear of a change to one job. */
export function* refuseWhileDagRuns(
  { id, executor }: WorkflowRow,
  action: 'retried' | 'canceled' | 'changed' | 'started over',
): Script<void> {
  if (executor === 'htcondor' && (yield* hasOpenDagRun(id))) {
    throw new HoldfastError('DAG_RUNNING', { id, action });
  }
}
