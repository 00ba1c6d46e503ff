import type { WorkflowRecord } from '../../contract/records/records.ts';
import { setArchived } from '../../store/rows/workflows/housekeeping-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { recordChange } from '../records/record-change.ts';
import { workflowRecord } from '../records/records.ts';
import { refuseIncomplete } from './refuse-busy.ts';

interface Request {
  actor: string;
  reason?: string;
}

/** One that is archived stays as it is. */
export function* archiveWorkflow(
  workflow: WorkflowRow,
  request: Request,
  now: number,
): Script<WorkflowRecord> {
  yield* refuseIncomplete(workflow);
  if (workflow.archived_at !== null) return workflowRecord(workflow);
  yield* setArchived(workflow.id, now);
  return yield* recordChange(workflow, 'workflow_archived', request, now);
}

export function* unarchiveWorkflow(
  workflow: WorkflowRow,
  request: Request,
  now: number,
): Script<WorkflowRecord> {
  if (workflow.archived_at === null) return workflowRecord(workflow);
  yield* setArchived(workflow.id, null);
  return yield* recordChange(workflow, 'workflow_unarchived', request, now);
}
