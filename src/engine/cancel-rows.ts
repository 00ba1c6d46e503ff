import type { CancelResult } from '../core/engine.ts';
import { statusName, TERMINAL_STATUSES } from '../core/job-status.ts';
import { appendEvent } from '../store/event-rows.ts';
import { getJob, moveJob, requestCancel } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { dropRoute } from './run-calls.ts';
import type { RunOf } from './settle-dependents.ts';

export interface CancelWords {
  reason: string;
  actor: string | null;
  /** The job because of which they are canceled, if it is not a user's doing. */
  because?: number;
}

/**
 * Cancels waiting jobs at once, running ones by way of their workers. What depends on the canceled ones has not been
 * told yet.
 */
export function* cancelRows(
  workflow: RunOf,
  ids: readonly number[],
  { reason, actor, because }: CancelWords,
  now: number,
): Script<CancelResult> {
  const result: CancelResult = { canceled: [], stopping: [] };
  const routes: number[] = [];
  for (const id of ids) {
    const job = yield* getJob(id);
    const status = statusName(job.status);
    if (TERMINAL_STATUSES.has(status)) continue;
    const place = { workflow_id: workflow.id, run_id: workflow.run_id, job_id: id, at: now };
    if (status === 'pending' || status === 'running') {
      result.stopping.push(id);
      if (job.cancel_requested === 1) continue;
      yield* requestCancel(id, reason);
      yield* appendEvent({ ...place, type: 'cancel_requested', actor, reason });
      continue;
    }
    result.canceled.push(id);
    if (job.route_token !== null) routes.push(job.route_token);
    yield* moveJob(job, [status], 'canceled', { reason, canceled_by: because ?? null });
    yield* appendEvent({ ...place, type: 'cancel', actor, reason, data: { status: 'canceled' } });
  }
  // Only now: a step that is canceled by name is not sent home because its caller is canceled too.
  for (const token of routes) yield* dropRoute(workflow, token, now);
  return result;
}
