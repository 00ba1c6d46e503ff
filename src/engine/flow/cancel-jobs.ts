import type { CanceledJobs, CancelRequest } from '../../contract/engine.ts';
import { type CancelWords, cancel } from '../../core/flow/cancel.ts';
import { statusName } from '../../core/job/job-status.ts';
import { listOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import type { Script } from '../../store/script.ts';
import { conclude } from './conclude.ts';
import { followFlow, partOf } from './follow-flow.ts';

/** What a cancellation would do. */
export function* previewCancel(workflowId: number, ids: number[] | null): Script<CanceledJobs> {
  const result: CanceledJobs = { canceled: [], stopping: [] };
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
): Script<CanceledJobs> {
  const open = (yield* listOpenJobs(workflow.id, ids)).map(({ id }) => id);
  const part = yield* partOf(open);
  const result = yield* followFlow(workflow, now, (draft) => cancel(draft, open, words), part);
  // Only now: a job that was canceled by name is not canceled a second time as a dependent.
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
