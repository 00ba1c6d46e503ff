import type { StaleReason } from '../files/stale-reason.ts';
import { compareWorkflows } from './compare-workflows.ts';
import type { EditedWorkflow, StoredWorkflow } from './edited-workflow.ts';
import { planActive } from './plan-active.ts';
import { planResting } from './plan-resting.ts';
import type { UpdatePlan } from './update-plan.ts';
import { changedFields, editedValues, storedValues } from './workflow-changes.ts';

/**
 * Takes short steps, since there may be 100,000 jobs. What has to be done so that a stored workflow becomes the edited one, and nothing more: jobs that completed and are
 * what they were keep their results. `stale`: jobs, by id, whose files are known to be others than those of their
 * last attempt.
 */
export function* planUpdate(
  stored: StoredWorkflow,
  edited: EditedWorkflow,
  stale: ReadonlyMap<number, StaleReason>,
): Generator<void, UpdatePlan> {
  const compared = yield* compareWorkflows(stored, edited, stale);
  const plan = stored.is_active ? planActive(compared) : planResting(compared);
  const workflow = changedFields(storedValues(stored), editedValues(edited));
  const mode = plan.mode === 'nothing' && workflow.length > 0 ? 'same_run' : plan.mode;
  return { ...plan, workflow, mode, rows: compared.matched.rows };
}
