import { HoldfastError } from '../errors.ts';
import { type FullState, orderOf } from '../job/full-state.ts';
import type { JobStatus } from '../job/job-status.ts';

/** What a job must be in to be tried once more in the same run. */
export const RETRYABLE_STATUSES: readonly JobStatus[] = ['running', 'failed', 'terminated'];

/** Why a job cannot be retried; null if it can. */
export function retryProblem(
  job: { label: string; state: FullState; attempt_id: number },
  workflow: number,
  maxRetries: number | undefined,
): HoldfastError | null {
  const { label, state, attempt_id: attempt } = job;
  const { status } = state;
  if (status === 'pending_failed') return new HoldfastError('DECISION_PENDING', { job: label, workflow });
  if (!RETRYABLE_STATUSES.includes(status) || orderOf(state)?.kind === 'cancel') {
    return new HoldfastError('NOT_RETRYABLE', { job: label, status, workflow });
  }
  if (maxRetries !== undefined && attempt >= maxRetries) {
    return new HoldfastError('RETRIES_EXCEEDED', { job: label, attempt, limit: maxRetries });
  }
  return null;
}
