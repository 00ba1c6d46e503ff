import type { RetryRequest } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { statusName } from '../core/job-status.ts';
import { recountSetsOf } from '../store/dependency-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { setSettled } from '../store/job-route-rows.ts';
import { type JobRow, listCanceledBecauseOf, moveJob } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { reopenRun, type WorkflowRow } from '../store/workflow-rows.ts';

/** One more attempt for a job that ended without success, in the same run; its dependents wait for it again. */
export function* retryJob(
  workflow: WorkflowRow,
  job: JobRow,
  request: RetryRequest,
  now: number,
): Script<void> {
  if (request.run_id !== undefined && request.run_id !== workflow.run_id) {
    throw new HoldfastError('WRONG_RUN', { run: request.run_id, current: workflow.run_id });
  }
  const status = statusName(job.status);
  if (status === 'pending_failed') {
    throw new HoldfastError('DECISION_PENDING', { job: job.name, workflow: workflow.id });
  }
  if (status !== 'failed' && status !== 'terminated') {
    throw new HoldfastError('NOT_RETRYABLE', { job: job.name, status, workflow: workflow.id });
  }
  if (request.max_retries !== undefined && job.attempt_id >= request.max_retries) {
    throw new HoldfastError('RETRIES_EXCEEDED', {
      job: job.name,
      attempt: job.attempt_id,
      limit: request.max_retries,
    });
  }
  const reason = `retried by ${request.actor}`;
  yield* moveJob(job, [status], 'ready', { reason });
  yield* reviveDependents(job);
  yield* reopenRun(workflow.id, workflow.run_id);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: job.id,
    attempt_id: job.attempt_id,
    at: now,
    type: 'manual_retry',
    actor: request.actor,
    reason,
  });
}

/** Undoes what the failure did down the graph: those canceled because of it are blocked again. */
function* reviveDependents(job: { id: number }): Script<void> {
  const revived = [job];
  for (let next = revived.pop(); next !== undefined; next = revived.pop()) {
    yield* setSettled(next.id, null);
    for (const set of yield* recountSetsOf([next.id])) {
      // Another member that did not succeed still cancels them.
      if (set.unsuccessful > 0) continue;
      for (const dependent of yield* listCanceledBecauseOf(set.id)) {
        yield* moveJob(dependent, ['canceled'], 'blocked', { reason: 'its dependency is retried' });
        revived.push(dependent);
      }
    }
  }
}
