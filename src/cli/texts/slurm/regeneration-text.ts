import { allocationText } from '../../../views/scheduler-text.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { WorkflowProposal } from '../../slurm/propose-for-workflow.ts';
import type { View } from '../../terminal/view.ts';

/** What `slurm regenerate` proposes, and did. */
export interface Regeneration {
  workflowId: number;
  /** The workflow has the schedulers now. */
  stored: boolean;
  proposals: WorkflowProposal[];
  /** Ids of allocations. */
  ordered: number[];
}

export const regenerationView: View<Regeneration> = {
  json: ({ workflowId, stored, proposals, ordered }) => ({
    workflow_id: workflowId,
    stored,
    schedulers: proposals.map(({ model, allocations, because }) => ({ ...model, allocations, because })),
    ordered,
  }),
  table: ({ workflowId, stored, proposals, ordered }) => [
    ...proposals.map(({ model, allocations }) =>
      visibleText(`scheduler ${model.name}: ${allocations} × ${allocationText(model)}`),
    ),
    stored
      ? `workflow ${workflowId} has ${proposals.length === 1 ? 'this scheduler' : 'these schedulers'} now`
      : 'nothing was changed',
    ...(ordered.length === 0
      ? []
      : [`ordered ${ordered.length === 1 ? 'allocation' : 'allocations'} ${ordered.join(', ')}`]),
  ],
  quiet: ({ proposals, ordered }) =>
    ordered.length > 0 ? ordered : proposals.map(({ model }) => model.name),
};
