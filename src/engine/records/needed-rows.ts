import { HoldfastError } from '../../core/errors.ts';
import type { JobRef } from '../../core/job/job-ref.ts';
import { lockWorkflow } from '../../store/lock-rows.ts';
import { findJob, type JobRow } from '../../store/rows/jobs/job-rows.ts';
import { findWorkflow, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

// Rows without which nothing can be done.

export function* needWorkflow(id: number): Script<WorkflowRow> {
  const workflow = yield* findWorkflow(id);
  if (workflow === undefined) throw new HoldfastError('WORKFLOW_NOT_FOUND', { id });
  return workflow;
}

/** For those who change something of it: nobody else does meanwhile. */
export function* takeWorkflow(id: number): Script<WorkflowRow> {
  yield* lockWorkflow(id);
  return yield* needWorkflow(id);
}

export function* needJob(workflowId: number, ref: JobRef): Script<JobRow> {
  const job = yield* findJob(workflowId, ref);
  if (job === undefined) throw new HoldfastError('JOB_NOT_FOUND', { job: ref, workflow: workflowId });
  return job;
}
