import { HoldfastError } from '../../core/errors.ts';
import type { JobRef } from '../../core/job/job-ref.ts';
import { nearNames, nearText } from '../../core/selection/near-names.ts';
import { Secrets } from '../../core/text/secrets.ts';
import { lockWorkflow } from '../../store/lock-rows.ts';
import { findJob, type JobRow } from '../../store/rows/jobs/job-rows.ts';
import { listNames } from '../../store/rows/jobs/selectable-rows.ts';
import { listEnvironments } from '../../store/rows/workflows/environment-rows.ts';
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
  if (job !== undefined) return job;
  const near = typeof ref === 'string' ? yield* suggestion(workflowId, ref) : '';
  throw new HoldfastError('JOB_NOT_FOUND', { job: ref, workflow: workflowId, near });
}

/** The nearest names, without secrets of the jobs: errors are shown to agents and over the network as they are. */
function* suggestion(workflowId: number, wanted: string): Script<string> {
  const names = nearNames(wanted, yield* listNames(workflowId));
  if (names.length === 0) return '';
  const { environments, next } = yield* listEnvironments(workflowId, 0);
  // Where not all secrets are known, nothing is suggested.
  if (next !== null) return '';
  const secrets = new Secrets(environments);
  return nearText(names.map((name) => secrets.text(name)));
}
