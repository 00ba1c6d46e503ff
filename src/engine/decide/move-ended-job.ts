import { canceled, type ReadyWait } from '../../core/job/full-state.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import type { Avoidance } from '../../core/placement/eligibility.ts';
import type { Decision } from '../../core/policy/decision.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { toBlocked, toEnded, toPendingFailed, toRetry } from '../../store/rows/jobs/job-transitions.ts';
import { findExchangingWorker } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';
import { notifyWaiting } from '../notify/order-notifications.ts';

/** How long a retry waits for another place than the one at which it failed. */
const AVOID_MS = 30_000;

/**
 * The job of an ended attempt moves as was decided; `recovers`: a recovery script has been ordered. Returns its status:
 * a job that was to be ready is blocked if its dependencies are not met any more.
 */
export function* moveEndedJob(
  live: LiveAttempt,
  decision: Decision,
  recovers: boolean,
  reason: string,
  now: number,
): Script<JobStatus> {
  const job = { id: live.job_id, attempt_id: live.attempt_id };
  const { status, verdict } = decision;
  switch (status) {
    case 'ready': {
      const avoids = yield* avoidanceOf(live, decision, Math.max(now, decision.notBefore ?? 0));
      return yield* toRetry(job, retryWait(live.id, decision, recovers, now), avoids, reason);
    }
    case 'blocked':
      yield* toBlocked(
        job,
        verdict.kind === 'call' ? { for: 'route', token: live.id } : { for: 'dependencies' },
        reason,
      );
      return status;
    case 'pending_failed':
      yield* toPendingFailed(job, reason);
      yield* notifyWaiting({ id: live.workflow_id, run_id: live.run_id }, now);
      return status;
    case 'canceled': {
      const because = live.order?.kind === 'cancel' ? live.order.because : null;
      yield* toEnded(job, canceled(because), live.job_reason ?? reason);
      return status;
    }
    case 'completed':
    case 'failed':
    case 'terminated':
    case 'disabled':
      yield* toEnded(job, { status }, reason);
      return status;
    default:
      throw new Error(`no attempt ends with its job ${status}`);
  }
}

/** A rule with a recovery script runs no steps, and a route has no script. */
function retryWait(
  token: number,
  { notBefore, verdict }: Decision,
  recovers: boolean,
  now: number,
): ReadyWait {
  if (recovers) return { for: 'recovery', token, until: notBefore ?? now };
  if (verdict.kind === 'retry' && verdict.run.length > 0) {
    return { for: 'route', token, until: notBefore ?? now };
  }
  // A retry that is due can be claimed at once, without being woken first.
  return notBefore !== null && notBefore > now
    ? { for: 'retry', until: notBefore }
    : { for: 'worker', gives_up_at: null };
}

/**
 * Infrastructure is what the workers of a site share; after any other failure another worker will do. Of a worker that
 * was lost nothing is known but that.
 */
function* avoidanceOf(
  { worker_id }: LiveAttempt,
  { category, charge }: Decision,
  from: number,
): Script<Avoidance | null> {
  if (charge === null) return null;
  const isOfSite = charge === 'failure' && category === 'infrastructure';
  const worker = isOfSite ? yield* findExchangingWorker(worker_id) : undefined;
  return { worker_id, site: worker?.site ?? null, until: from + AVOID_MS };
}
