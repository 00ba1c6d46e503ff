import type { CancelRequest, CancelResult } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { Script } from '../store/script.ts';
import { findWorkflow } from '../store/workflow-rows.ts';
import { type IsAlive, reapDeadWorkers } from './adopt-run.ts';
import { cancelOpenJobs, cancelReason, jobsToCancel, previewCancel } from './cancel-jobs.ts';
import { finishIfComplete } from './end-attempts.ts';

/** Somebody cancels a workflow, or some of its jobs. */
export function* cancelWorkflow(
  workflowId: number,
  request: CancelRequest,
  now: number,
  isAlive: IsAlive,
): Script<CancelResult> {
  const workflow = yield* findWorkflow(workflowId);
  if (workflow === undefined) throw new HoldfastError('WORKFLOW_NOT_FOUND', { id: workflowId });
  const ids = yield* jobsToCancel(workflowId, request.jobs);
  if (request.dry_run === true) return yield* previewCancel(workflowId, ids);
  yield* reapDeadWorkers(workflow, now, isAlive);
  const words = { reason: cancelReason(request), actor: request.actor };
  const result = yield* cancelOpenJobs(workflow, ids, words, now);
  yield* finishIfComplete(workflow.id, workflow.run_id, now);
  return result;
}
