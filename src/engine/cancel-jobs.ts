import type { CancelRequest, CancelResult, JobRef } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { statusName } from '../core/job-status.ts';
import { appendEvent } from '../store/event-rows.ts';
import { findJob, listOpenJobs, moveJob, requestCancel } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { findWorkflow } from '../store/workflow-rows.ts';
import { type IsAlive, reapDeadWorkers } from './adopt-run.ts';
import { finishIfComplete } from './end-attempts.ts';
import { settleDependents } from './settle-dependents.ts';

/** Cancels what has not ended: waiting jobs at once, running ones by way of their workers. */
export function* cancelJobs(
  workflowId: number,
  request: CancelRequest,
  now: number,
  isAlive: IsAlive,
): Script<CancelResult> {
  const workflow = yield* findWorkflow(workflowId);
  if (workflow === undefined) throw new HoldfastError('WORKFLOW_NOT_FOUND', { id: workflowId });
  const ids = request.jobs === undefined ? null : yield* resolveJobs(workflowId, request.jobs);
  if (request.dry_run !== true) yield* reapDeadWorkers(workflow, now, isAlive);

  const result: CancelResult = { canceled: [], stopping: [] };
  const open = yield* listOpenJobs(workflowId, ids);
  const reason = `canceled by ${request.actor}${request.reason ? `: ${request.reason}` : ''}`;
  for (const job of open) {
    const status = statusName(job.status);
    const isLive = status === 'pending' || status === 'running';
    (isLive ? result.stopping : result.canceled).push(job.id);
    if (request.dry_run === true) continue;
    const place = { workflow_id: workflow.id, run_id: workflow.run_id, job_id: job.id, at: now };
    if (isLive) {
      if (job.cancel_requested === 1) continue;
      yield* requestCancel(job.id, reason);
      yield* appendEvent({ ...place, type: 'cancel_requested', actor: request.actor, reason });
      continue;
    }
    yield* moveJob(job, [status], 'canceled', { reason });
    yield* appendEvent({
      ...place,
      type: 'cancel',
      actor: request.actor,
      reason,
      data: { status: 'canceled' },
    });
  }
  if (request.dry_run === true) return result;
  const canceled = new Set(result.canceled);
  // Only now: a job that was canceled by name is not canceled a second time as somebody's dependent.
  for (const job of open) {
    if (!canceled.has(job.id)) continue;
    yield* settleDependents(workflow, { id: job.id, name: job.name, succeeded: false }, now);
  }
  yield* finishIfComplete(workflow.id, workflow.run_id, now);
  return result;
}

function* resolveJobs(workflowId: number, refs: JobRef[]): Script<number[]> {
  const ids: number[] = [];
  for (const ref of refs) {
    const job = yield* findJob(workflowId, ref);
    if (job === undefined) throw new HoldfastError('JOB_NOT_FOUND', { job: ref, workflow: workflowId });
    ids.push(job.id);
  }
  return ids;
}
