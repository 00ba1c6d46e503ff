import type { EditedWorkflow, StoredWorkflow } from '../../core/rerun/edited-workflow.ts';
import type { UpdatePlan } from '../../core/rerun/update-plan.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';

/** An update: what there is, what is to be, and what has to be done. */
export interface WorkflowChange {
  workflow: WorkflowRow;
  stored: StoredWorkflow;
  edited: EditedWorkflow;
  plan: UpdatePlan;
}
