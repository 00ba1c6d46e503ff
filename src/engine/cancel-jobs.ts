import type { CancelRequest, CancelResult, JobRef } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { statusName } from '../core/job-status.ts';
import { appendEvent } from '../store/event-rows.ts';
import { findJob, listOpenJobs, moveJob, requestCancel } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { settleDependents } from './settle-dependents.ts';

/** The jobs a request names; null for all. */
export function* jobsToCancel(workflowId: number, refs: JobRef[] | undefined): Script<number[] | null> {
  if (refs === undefined) return null;
  const ids: number[] = [];
  for (const ref of refs) {
    const job = yield* findJob(workflowId, ref);
    if (job === undefined) throw new HoldfastError('JOB_NOT_FOUND', { job: ref, workflow: workflowId });
    ids.push(job.id);
  }
  return ids;
}

/** What a cancellation would do. */
export function* previewCancel(workflowId: number, ids: number[] | null): Script<CancelResult> {
  const result: CancelResult = { canceled: [], stopping: [] };
  for (const job of yield* listOpenJobs(workflowId, ids)) {
    (isLive(job.status) ? result.stopping : result.canceled).push(job.id);
  }
  return result;
}

/** Cancels what has not ended: waiting jobs at once, running ones by way of their workers. */
export function* cancelOpenJobs(
  workflow: { id: number; run_id: number },
  ids: number[] | null,
  { reason, actor }: { reason: string; actor: string | null },
  now: number,
): Script<CancelResult> {
  const result: CancelResult = { canceled: [], stopping: [] };
  const open = yield* listOpenJobs(workflow.id, ids);
  for (const job of open) {
    const place = { workflow_id: workflow.id, run_id: workflow.run_id, job_id: job.id, at: now };
    if (isLive(job.status)) {
      result.stopping.push(job.id);
      if (job.cancel_requested === 1) continue;
      yield* requestCancel(job.id, reason);
      yield* appendEvent({ ...place, type: 'cancel_requested', actor, reason });
      continue;
    }
    result.canceled.push(job.id);
    yield* moveJob(job, [statusName(job.status)], 'canceled', { reason });
    yield* appendEvent({ ...place, type: 'cancel', actor, reason, data: { status: 'canceled' } });
  }
  // Only now: a job that was canceled by name is not canceled a second time as somebody's dependent.
  const canceled = new Set(result.canceled);
  for (const job of open) {
    if (canceled.has(job.id)) {
      yield* settleDependents(workflow, { id: job.id, name: job.name, succeeded: false }, now);
    }
  }
  return result;
}

export function cancelReason({ actor, reason }: CancelRequest): string {
  return `canceled by ${actor}${reason ? `: ${reason}` : ''}`;
}

function isLive(status: number): boolean {
  const name = statusName(status);
  return name === 'pending' || name === 'running';
}
