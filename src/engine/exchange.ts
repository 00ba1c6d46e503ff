import type { Exchange, ExchangeResult, FinishReport, StartReport } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { causeOf } from '../core/outcome.ts';
import {
  findLiveAttempt,
  type LiveAttempt,
  listTokensToCancel,
  observeAttempt,
  startAttempt,
} from '../store/attempt-rows.ts';
import { decodeConfig, nextDueTime, toRunning, wakeDueJobs } from '../store/job-rows.ts';
import { listHeldRecoveries } from '../store/recovery-rows.ts';
import type { Script } from '../store/script.ts';
import { findWorker, renewLease } from '../store/worker-rows.ts';
import { findWorkflow, listUnfinishedWorkflows, type WorkflowRow } from '../store/workflow-rows.ts';
import { claimJobs } from './claim-jobs.ts';
import { endActions, takeDueActions } from './due-actions.ts';
import { type AttemptEnding, endAttempts } from './end-attempts.ts';
import { endRecovery } from './end-recovery.ts';
import { giveUpWaiting } from './give-up-waiting.ts';

/** A lease is renewed when less than this part of it is left. */
const RENEW_BELOW = 0.7;

/**
 * A worker's reports and claims in one transaction. A report about an attempt that has ended, or that this
 * worker never held, changes nothing and is named in `rejected`.
 */
export function* exchange(
  workerId: number,
  request: Exchange,
  now: number,
  leaseMs: number,
): Script<ExchangeResult & { changed: boolean }> {
  const worker = yield* findWorker(workerId);
  if (worker === undefined || worker.retired_at !== null) {
    throw new HoldfastError('WORKER_RETIRED', { worker: workerId });
  }
  // Not with every exchange: one that changes nothing else then costs no commit.
  if (worker.lease_expires_at < now + leaseMs * RENEW_BELOW) yield* renewLease(workerId, now + leaseMs);

  const result: ExchangeResult = {
    claims: [],
    rejected: [],
    cancel: [],
    post: [],
    recover: [],
    act: [],
    next_due_at_ms: null,
  };
  for (const report of request.started) {
    if (!(yield* acceptStart(workerId, report))) result.rejected.push(report.token);
  }
  const endings = new Map<number, AttemptEnding>();
  for (const report of request.finished) {
    const live = endings.has(report.token) ? undefined : yield* findLiveAttempt(report.token, workerId);
    if (live === undefined) result.rejected.push(report.token);
    else if (!asksPost(live, report)) endings.set(report.token, { live, report });
    else if (live.observed === null) {
      yield* observeAttempt(live.id, live.started_at ?? report.started_at_ms, JSON.stringify(report));
      result.post.push(report.token);
    } else result.rejected.push(report.token);
  }
  result.recover = yield* endAttempts([...endings.values()], now, { workerId });
  const recovered = yield* acceptRecoveries(workerId, request.recovered, now);

  const acted = yield* endActions(workerId, request.acted, now);

  let gaveUp = 0;
  if (request.capacity !== null || request.leaving === true) {
    for (const workflow of yield* claimable(request.workflow_id)) {
      result.act.push(...(yield* takeDueActions(workflow, workerId, request.leaving === true, now)));
    }
  }
  if (request.capacity !== null) {
    const left = { ...request.capacity };
    for (const workflow of yield* claimable(request.workflow_id)) {
      yield* wakeDueJobs(workflow.id, now);
      gaveUp += yield* giveUpWaiting(workflow, now);
      result.claims.push(...(yield* claimJobs(workflow, workerId, left, now)));
      const due = yield* nextDueTime(workflow.id);
      if (due !== null) result.next_due_at_ms = Math.min(due, result.next_due_at_ms ?? due);
    }
  }
  result.cancel = yield* listTokensToCancel(workerId);
  const reports = request.started.length + endings.size + result.post.length + recovered + acted;
  return { ...result, changed: reports + result.claims.length + result.act.length + gaveUp > 0 };
}

function* acceptStart(workerId: number, { token, started_at_ms }: StartReport): Script<boolean> {
  const live = yield* findLiveAttempt(token, workerId);
  if (live === undefined || live.started_at !== null) return false;
  yield* startAttempt(token, started_at_ms);
  yield* toRunning(live.job_id, live.attempt_id);
  return true;
}

/** Whether the job's post script is to be heard before anything is decided. */
function asksPost(live: LiveAttempt, report: FinishReport): boolean {
  if (report.post !== undefined || live.cancel_requested === 1) return false;
  const cause = causeOf(report.outcome);
  if (cause === 'lost' || cause === 'stopped' || cause === 'canceled') return false;
  return decodeConfig(live.config).post !== null;
}

function* acceptRecoveries(workerId: number, reports: Exchange['recovered'], now: number): Script<number> {
  if (reports.length === 0) return 0;
  const held = new Map((yield* listHeldRecoveries(workerId)).map((recovery) => [recovery.token, recovery]));
  for (const { token, outcome } of reports) {
    const recovery = held.get(token);
    if (recovery !== undefined) yield* endRecovery(recovery, outcome, now);
    held.delete(token);
  }
  return reports.length;
}

function* claimable(workflowId: number | undefined): Script<WorkflowRow[]> {
  if (workflowId === undefined) return yield* listUnfinishedWorkflows();
  const workflow = yield* findWorkflow(workflowId);
  return workflow === undefined ? [] : [workflow];
}
