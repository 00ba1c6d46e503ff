import type { EventType, WorkflowRecord } from '../../contract/records/records.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { needWorkflow } from './needed-rows.ts';
import { workflowRecord } from './records.ts';

/** Appends the event of a change that a person ordered, and returns the workflow as it is now. */
export function* recordChange(
  { id, run_id }: WorkflowRow,
  type: EventType,
  { actor, reason }: { actor: string; reason?: string },
  now: number,
): Script<WorkflowRecord> {
  yield* appendEvent({
    workflow_id: id,
    run_id,
    at: now,
    type,
    actor,
    ...(reason !== undefined && { reason }),
  });
  return workflowRecord(yield* needWorkflow(id));
}
