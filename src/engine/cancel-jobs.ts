import type { CancelRequest, CancelResult } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { JobRef } from '../core/job-ref.ts';
import { statusName } from '../core/job-status.ts';
import { findJob, listOpenJobs } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { type CancelWords, cancelRows } from './cancel-rows.ts';
import { conclude } from './conclude.ts';

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
  words: CancelWords,
  now: number,
): Script<CancelResult> {
  const open = yield* listOpenJobs(workflow.id, ids);
  const result = yield* cancelRows(
    workflow,
    open.map(({ id }) => id),
    words,
    now,
  );
  // Only now: a job that was canceled by name is not canceled a second time as somebody's dependent.
  yield* conclude(workflow, result.canceled, now);
  return result;
}

export function cancelReason({ actor, reason }: CancelRequest): string {
  return `canceled by ${actor}${reason ? `: ${reason}` : ''}`;
}

function isLive(status: number): boolean {
  const name = statusName(status);
  return name === 'pending' || name === 'running';
}
