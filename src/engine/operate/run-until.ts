import type { UntilRequest } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { setUntil, writeHeld } from '../../store/rows/workflows/until-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { needWorkflow } from '../records/needed-rows.ts';
import { workflowRecord } from '../records/records.ts';
import { holdBack } from '../runs/hold-back.ts';

/** The run ends at some jobs, or with everything again. What runs already is let finish. */
export function* setRunUntil(
  workflow: WorkflowRow,
  { until, actor }: UntilRequest,
  now: number,
): Script<WorkflowRecord> {
  if (until === null && workflow.until === null) return workflowRecord(workflow);
  if (workflow.executor === 'htcondor') throw onDagman();
  let held = 0;
  if (until !== null) {
    if (!(yield* hasOpenJobs(workflow.id))) throw new HoldfastError('WORKFLOW_COMPLETE', { id: workflow.id });
    held = yield* holdBack(workflow.id, until, now);
  } else {
    yield* setUntil(workflow.id, null);
    yield* writeHeld(workflow.id, [], now);
  }
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    at: now,
    type: 'workflow_until',
    actor,
    reason: until === null ? 'runs to its end' : `runs until ${until.join(', ')}`,
    data: { until, held },
  });
  return workflowRecord(yield* needWorkflow(workflow.id));
}

function onDagman(): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: 'until',
    problem: 'DAGMan runs all of a DAG',
  });
}
