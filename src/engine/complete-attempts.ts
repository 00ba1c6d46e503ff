import type { FinishReport } from '../core/exchange.ts';
import { causeOf, describeOutcome } from '../core/outcome.ts';
import type { JobConfig } from '../core/workflow-model.ts';
import { type AttemptEnd, finishAttempts, type LiveAttempt } from '../store/attempt-rows.ts';
import { listMembershipsOf } from '../store/dependency-rows.ts';
import { appendEvents, type NewEvent } from '../store/event-rows.ts';
import { toCompleted } from '../store/job-rows.ts';
import { listCalledFor } from '../store/route-rows.ts';
import { type Script, together } from '../store/script.ts';
import { judgeAttempt } from './judge-attempt.ts';
import { serveWaitingCall } from './run-calls.ts';
import { settleSuccesses } from './settle-dependents.ts';

/** An attempt that simply succeeded, together with everything that is written about it. */
export interface PlainSuccess {
  live: LiveAttempt;
  end: AttemptEnd;
}

/**
 * The decision about an attempt that succeeded, if nothing that anybody wrote has a say in what follows, and nobody
 * called its job: then many of them can be ended together. Otherwise null, and nothing was asked of the database.
 */
export function* plainSuccess(
  live: LiveAttempt,
  report: Omit<FinishReport, 'token'>,
  config: JobConfig,
): Script<PlainSuccess | null> {
  const isPlain =
    live.call_id === null &&
    live.superseded === 0 &&
    !config.forEach &&
    config.onSuccess === null &&
    config.userData.outputs.length === 0 &&
    report.post === undefined &&
    (report.evaluations ?? []).length === 0 &&
    causeOf(report.outcome) === null;
  if (!isPlain) return null;
  const { decision, outcome, startedAt } = yield* judgeAttempt(live, report, config);
  if (decision.verdict.kind !== 'complete') return null;
  const end: AttemptEnd = {
    started_at: startedAt,
    finished_at: report.finished_at_ms,
    outcome,
    usage: report.usage,
    output: report.output,
    decision,
    route: null,
    evaluations: [],
    fingerprint: report.fingerprint ?? null,
    counts_as: null,
    actor: null,
  };
  return { live, end };
}

/** What `endAttempt` does, for many successes at once: a few statements, however many there are. */
export function* completeAttempts(successes: readonly PlainSuccess[], now: number): Script<void> {
  if (successes.length === 0) return;
  yield* finishAttempts(successes.map(({ live, end }) => ({ token: live.id, end })));
  const byReason = new Map<string, number[]>();
  for (const { live, end } of successes) {
    const alike = byReason.get(end.decision.reason) ?? [];
    byReason.set(end.decision.reason, alike);
    alike.push(live.job_id);
  }
  for (const [reason, jobIds] of byReason) yield* toCompleted(jobIds, reason);
  yield* appendEvents(successes.map((success) => completion(success, now)));
  const jobs = successes.map(({ live }) => ({ ...live, id: live.job_id, name: live.job_name }));
  const ids = jobs.map(({ id }) => id);
  const [memberships, called] = yield* together(listMembershipsOf(ids), listCalledFor(ids));
  yield* settleSuccesses(jobs, memberships, now);
  for (const id of called) yield* serveWaitingCall(id);
}

function completion({ live, end }: PlainSuccess, now: number): NewEvent {
  return {
    workflow_id: live.workflow_id,
    run_id: live.run_id,
    job_id: live.job_id,
    attempt_id: live.attempt_id,
    at: now,
    type: 'completed',
    reason: end.decision.reason,
    data: {
      status: 'completed',
      outcome: describeOutcome(end.outcome),
      duration_ms: end.started_at === null ? null : end.finished_at - end.started_at,
    },
  };
}
