import { HoldfastError } from '../core/errors.ts';
import type { Exchange, ExchangeResult, StartReport } from '../core/exchange.ts';
import { findLiveAttempt, listTokensToCancel, observeAttempt, startAttempt } from '../store/attempt-rows.ts';
import { nextDueTime, toRunning, wakeDueJobs } from '../store/job-rows.ts';
import { listHeldRecoveries } from '../store/recovery-rows.ts';
import type { Script } from '../store/script.ts';
import { findWorker, renewLease } from '../store/worker-rows.ts';
import { findWorkflow, listUnfinishedWorkflows, type WorkflowRow } from '../store/workflow-rows.ts';
import { claimJobs } from './claim-jobs.ts';
import { endActions, takeDueActions } from './due-actions.ts';
import { type AttemptEnding, endAttempts } from './end-attempts.ts';
import { endRecovery } from './end-recovery.ts';
import { giveUpWaiting } from './give-up-waiting.ts';
import { acceptEvaluation, openQuestion, takeDueQuestions } from './open-question.ts';

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
    evaluate: [],
    next_due_at_ms: null,
  };
  for (const report of request.started) {
    if (!(yield* acceptStart(workerId, report))) result.rejected.push(report.token);
  }
  const endings = new Map<number, AttemptEnding>();
  for (const report of request.finished) {
    const live = endings.has(report.token) ? undefined : yield* findLiveAttempt(report.token, workerId);
    const question = live === undefined ? 'repeated' : yield* openQuestion(live, report);
    if (question === 'repeated') result.rejected.push(report.token);
    else if (question === null) endings.set(report.token, { live: live!, report });
    else {
      yield* observeAttempt(live!.id, live!.started_at ?? report.started_at_ms, JSON.stringify(report));
      if (question === 'post') result.post.push(report.token);
      else result.evaluate.push(question);
    }
  }
  for (const { token, evaluations } of request.evaluated) {
    const answered = yield* acceptEvaluation(workerId, token, evaluations, now);
    if (answered !== null) endings.set(token, answered);
  }
  result.recover = yield* endAttempts([...endings.values()], now, { workerId });
  const recovered = yield* acceptRecoveries(workerId, request.recovered, now);

  const acted = yield* endActions(workerId, request.acted, now);

  let gaveUp = 0;
  if (request.capacity !== null || request.leaving === true) {
    for (const workflow of yield* claimable(request.workflow_id)) {
      result.act.push(...(yield* takeDueActions(workflow, workerId, request.leaving === true, now)));
      result.evaluate.push(...(yield* takeDueQuestions(workflow, workerId, now)));
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
  const reports =
    request.started.length + endings.size + result.post.length + result.evaluate.length + recovered + acted;
  const answers = request.evaluated.length;
  return { ...result, changed: reports + answers + result.claims.length + result.act.length + gaveUp > 0 };
}

function* acceptStart(workerId: number, { token, started_at_ms }: StartReport): Script<boolean> {
  const live = yield* findLiveAttempt(token, workerId);
  if (live === undefined || live.started_at !== null) return false;
  yield* startAttempt(token, started_at_ms);
  yield* toRunning(live.job_id, live.attempt_id);
  return true;
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
