import type { Exchange, ExchangeResult } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { formatDuration } from '../core/quantity.ts';
import { findLiveAttempt, listTokensToCancel, startAttempt } from '../store/attempt-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import {
  decodeConfig,
  listUnscheduled,
  moveJob,
  nextDueTime,
  toRunning,
  wakeDueJobs,
} from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { findWorker, renewLease } from '../store/worker-rows.ts';
import { findWorkflow, listUnfinishedWorkflows, type WorkflowRow } from '../store/workflow-rows.ts';
import { claimJobs } from './claim-jobs.ts';
import { type AttemptEnding, endAttempts, finishIfComplete } from './end-attempts.ts';
import { settleDependents } from './settle-dependents.ts';

/** A lease is renewed when less than this part of it is left. */
const RENEW_BELOW = 0.7;

/**
 * A worker's reports and claims in one transaction. A report about an attempt that has ended, or that this
 * worker never held, changes nothing and is named in `rejected`.
 */
export function* exchange(
  workerId: number,
  { started, finished, capacity, workflow_id }: Exchange,
  now: number,
  leaseMs: number,
): Script<ExchangeResult & { changed: boolean }> {
  const worker = yield* findWorker(workerId);
  if (worker === undefined || worker.retired_at !== null) {
    throw new HoldfastError('WORKER_RETIRED', { worker: workerId });
  }
  // Not with every exchange: one that changes nothing else then costs no commit.
  if (worker.lease_expires_at < now + leaseMs * RENEW_BELOW) yield* renewLease(workerId, now + leaseMs);
  const rejected: number[] = [];
  for (const { token, started_at_ms } of started) {
    const live = yield* findLiveAttempt(token, workerId);
    if (live === undefined || live.started_at !== null) {
      rejected.push(token);
      continue;
    }
    yield* startAttempt(token, started_at_ms);
    yield* toRunning(live.job_id, live.attempt_id);
  }

  const endings = new Map<number, AttemptEnding>();
  for (const report of finished) {
    const live = endings.has(report.token) ? undefined : yield* findLiveAttempt(report.token, workerId);
    if (live === undefined) rejected.push(report.token);
    else endings.set(report.token, { live, report });
  }
  yield* endAttempts([...endings.values()], now, null);

  const result: ExchangeResult = { claims: [], rejected, cancel: [], next_due_at_ms: null };
  let gaveUp = 0;
  if (capacity !== null) {
    const left = { ...capacity };
    for (const workflow of yield* claimable(workflow_id)) {
      yield* wakeDueJobs(workflow.id, now);
      gaveUp += yield* giveUpWaiting(workflow, now);
      result.claims.push(...(yield* claimJobs(workflow, workerId, left, now)));
      const due = yield* nextDueTime(workflow.id);
      if (due !== null) result.next_due_at_ms = Math.min(due, result.next_due_at_ms ?? due);
    }
  }
  result.cancel = yield* listTokensToCancel(workerId);
  const changed = started.length + endings.size + result.claims.length + gaveUp > 0;
  return { ...result, changed };
}

function* claimable(workflowId: number | undefined): Script<WorkflowRow[]> {
  if (workflowId === undefined) return yield* listUnfinishedWorkflows();
  const workflow = yield* findWorkflow(workflowId);
  return workflow === undefined ? [] : [workflow];
}

/** Ready jobs that nobody could start within their scheduling timeout fail without an attempt. */
function* giveUpWaiting(workflow: WorkflowRow, now: number): Script<number> {
  const unscheduled = yield* listUnscheduled(workflow.id, now);
  for (const job of unscheduled) {
    const waited = formatDuration(decodeConfig(job.config).schedulingTimeoutMs ?? 0);
    const reason = `unschedulable: no worker had what it needs free within ${waited}`;
    yield* moveJob(job, ['ready'], 'failed', { reason });
    yield* appendEvent({
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      job_id: job.id,
      at: now,
      type: 'failure',
      reason,
      data: { status: 'failed' },
    });
    yield* settleDependents(workflow, { id: job.id, name: job.name, succeeded: false }, now);
  }
  if (unscheduled.length > 0) yield* finishIfComplete(workflow.id, workflow.run_id, now);
  return unscheduled.length;
}
