import { type Decision, decide, type History, type Verdict } from '../core/decide.ts';
import type { FinishReport } from '../core/engine.ts';
import type { JobStatus } from '../core/job-status.ts';
import { causeOf, describeOutcome } from '../core/outcome.ts';
import type { EventType } from '../core/records.ts';
import { finishAttempt, type LiveAttempt, loadHistory } from '../store/attempt-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { decodeConfig, moveJob } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { settleDependents } from './settle-dependents.ts';

const EVENT_OF: Record<Verdict['kind'], EventType> = {
  complete: 'completed',
  retry: 'retry',
  requeue: 'requeue',
  fail: 'failure',
  cancel: 'cancel',
};

const NO_HISTORY: History = { failures: 0, preemptions: 0, lossesInRow: 0, firstStartedAt: null };

/** The one decision: close the attempt, judge it, move the job, settle its dependents, write it down. */
export function* endAttempt(
  live: LiveAttempt,
  report: Omit<FinishReport, 'token'>,
  now: number,
  actor: string | null,
): Script<Decision> {
  // A job that fails while it is being canceled is canceled, whatever ended it.
  const canceled = live.cancel_requested === 1 && causeOf(report.outcome) !== null;
  const outcome = canceled
    ? { ...report.outcome, canceled: true, lost: false, stopped: false }
    : report.outcome;
  const startedAt = live.started_at ?? report.started_at_ms;
  const config = decodeConfig(live.config);
  const history =
    causeOf(outcome) === null ? NO_HISTORY : yield* loadHistory(live.job_id, live.run_id, live.visit);
  const decision = decide(
    {
      outcome,
      attemptId: live.attempt_id,
      startedAt,
      finishedAt: report.finished_at_ms,
      seed: live.id,
    },
    { retry: config.retry, deadlineMs: config.deadlineMs },
    history,
  );

  yield* finishAttempt(live.id, {
    started_at: startedAt,
    finished_at: report.finished_at_ms,
    outcome,
    usage: report.usage,
    output: report.output,
    decision,
    counts_as: countsAs(decision, startedAt),
    actor,
  });
  const workflow = { id: live.workflow_id, run_id: live.run_id };
  const { status, notBefore } = nextStatus(decision.verdict);
  yield* moveJob({ id: live.job_id, attempt_id: live.attempt_id }, ['pending', 'running'], status, {
    reason: decision.reason,
    not_before: notBefore,
  });
  yield* appendEvent({
    workflow_id: live.workflow_id,
    run_id: live.run_id,
    job_id: live.job_id,
    attempt_id: live.attempt_id,
    at: now,
    type: EVENT_OF[decision.verdict.kind],
    actor,
    reason: decision.reason,
    data: {
      status,
      outcome: describeOutcome(outcome),
      duration_ms: startedAt === null ? null : report.finished_at_ms - startedAt,
      ...(notBefore === null ? {} : { retry_available_at_ms: notBefore }),
    },
  });
  if (status !== 'ready') {
    yield* settleDependents(
      workflow,
      { id: live.job_id, name: live.job_name, succeeded: status === 'completed' },
      now,
    );
  }
  return decision;
}

function nextStatus(verdict: Verdict): { status: JobStatus; notBefore: number | null } {
  switch (verdict.kind) {
    case 'complete':
      return { status: 'completed', notBefore: null };
    case 'retry':
    case 'requeue':
      return { status: 'ready', notBefore: verdict.notBefore };
    case 'fail':
      return { status: verdict.status, notBefore: null };
    case 'cancel':
      return { status: 'canceled', notBefore: null };
  }
}

/** Which budget the attempt is charged to; stopped, canceled and never started ones are free. */
function countsAs(decision: Decision, startedAt: number | null): 'failure' | 'preemption' | null {
  if (decision.cause === 'lost') return startedAt === null ? null : 'preemption';
  return decision.verdict.kind === 'retry' || decision.verdict.kind === 'fail' ? 'failure' : null;
}
