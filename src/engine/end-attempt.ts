import { type Decision, decide, type History, type Policy, type Verdict } from '../core/decide.ts';
import type { FinishReport } from '../core/engine.ts';
import type { JobStatus } from '../core/job-status.ts';
import { causeOf, describeOutcome } from '../core/outcome.ts';
import type { EventType } from '../core/records.ts';
import { finishAttempt, type LiveAttempt, loadHistory } from '../store/attempt-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { changeResources, decodeConfig, moveJob } from '../store/job-rows.ts';
import { insertRecovery } from '../store/recovery-rows.ts';
import type { Script } from '../store/script.ts';
import { setUserData } from '../store/user-data-rows.ts';
import { cancelOpenJobs } from './cancel-jobs.ts';
import { loadPolicy } from './load-policy.ts';
import { settleDependents } from './settle-dependents.ts';

const EVENT_OF: Record<Verdict['kind'], EventType> = {
  complete: 'completed',
  retry: 'retry',
  requeue: 'requeue',
  fail: 'failure',
  abort: 'abort',
  ask: 'ask',
  cancel: 'cancel',
};

const NO_HISTORY: History = { failures: 0, preemptions: 0, lossesInRow: 0, firstStartedAt: null };

/** Who closes the attempt: the worker that held it, or somebody who found that worker dead. */
export type Closer = { workerId: number } | 'reaper';

/** The one decision: close the attempt, judge it, move the job, settle its dependents, write it down. */
export function* endAttempt(
  live: LiveAttempt,
  report: Omit<FinishReport, 'token'>,
  now: number,
  closer: Closer,
): Script<Decision> {
  // A job that does not succeed while it is being canceled is canceled, whatever ended it.
  const succeeded =
    causeOf(report.outcome) === null && (report.post === undefined || report.post.exitCode === 0);
  const canceled = live.cancel_requested === 1 && !succeeded;
  const outcome = canceled
    ? { ...report.outcome, canceled: true, lost: false, stopped: false }
    : report.outcome;
  const startedAt = live.started_at ?? report.started_at_ms;
  const config = decodeConfig(live.config);
  const isPlainSuccess = causeOf(outcome) === null && (report.post ?? null) === null;
  const history = isPlainSuccess ? NO_HISTORY : yield* loadHistory(live.job_id, live.run_id, live.visit);
  const policy: Policy = isPlainSuccess
    ? { ...NO_POLICY, retry: config.retry }
    : yield* loadPolicy(live, config);
  const decision = decide(
    {
      outcome,
      attemptId: live.attempt_id,
      startedAt,
      finishedAt: report.finished_at_ms,
      seed: live.id,
      post: report.post ?? null,
      stderrMatches: report.stderr_matches ?? [],
    },
    policy,
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
    actor: null,
  });
  if (decision.verdict.kind === 'complete') {
    yield* storeUserData(live.workflow_id, config.userData.outputs, report.user_data ?? {});
  }
  // A script runs where the attempt failed; without that worker the retry goes on without it.
  const recovers = decision.recoveryScript !== null && closer !== 'reaper';
  if (recovers) yield* insertRecovery(live.id, live.job_id, closer.workerId, now);
  const { status, notBefore } = nextStatus(decision.verdict);
  yield* moveJob({ id: live.job_id, attempt_id: live.attempt_id }, ['pending', 'running'], status, {
    reason: decision.verdict.kind === 'cancel' ? (live.job_reason ?? decision.reason) : decision.reason,
    not_before: recovers ? (notBefore ?? now) : isFuture(notBefore, now) ? notBefore : null,
    recovery_token: recovers ? live.id : null,
  });
  yield* changeResources(live.job_id, decision, config);
  yield* appendEvent({
    workflow_id: live.workflow_id,
    run_id: live.run_id,
    job_id: live.job_id,
    attempt_id: live.attempt_id,
    at: now,
    type: EVENT_OF[decision.verdict.kind],
    reason: decision.reason,
    data: {
      status,
      outcome: describeOutcome(outcome),
      duration_ms: startedAt === null ? null : report.finished_at_ms - startedAt,
      ...(notBefore === null ? {} : { retry_available_at_ms: notBefore }),
      ...(decision.recoveryScript === null ? {} : { recovery_script: recovers }),
      ...(report.post == null ? {} : { post: report.post }),
    },
  });
  yield* settle(live, status, decision, now);
  return decision;
}

/** What the job declared and set; anything else is not its to change. */
function* storeUserData(
  workflowId: number,
  names: readonly string[],
  values: Record<string, unknown>,
): Script<void> {
  for (const name of names) {
    if (Object.hasOwn(values, name)) yield* setUserData(workflowId, name, values[name]);
  }
}

/** What is due already need not wait for anybody to notice. */
function isFuture(time: number | null, now: number): boolean {
  return time !== null && time > now;
}

const NO_POLICY: Omit<Policy, 'retry'> = {
  handler: null,
  deadlineMs: null,
  usePendingFailed: false,
  memoryBytes: null,
  runtimeMs: null,
};

function* settle(live: LiveAttempt, status: JobStatus, decision: Decision, now: number): Script<void> {
  if (status === 'ready' || status === 'pending_failed') return;
  const workflow = { id: live.workflow_id, run_id: live.run_id };
  const ended = { id: live.job_id, name: live.job_name, succeeded: status === 'completed' };
  if (decision.verdict.kind === 'abort') {
    yield* cancelOpenJobs(
      workflow,
      null,
      { reason: `aborted: ${live.job_name}: ${decision.reason}`, actor: null },
      now,
    );
  }
  yield* settleDependents(workflow, ended, now);
}

function nextStatus(verdict: Verdict): { status: JobStatus; notBefore: number | null } {
  switch (verdict.kind) {
    case 'complete':
      return { status: 'completed', notBefore: null };
    case 'retry':
    case 'requeue':
      return { status: 'ready', notBefore: verdict.notBefore };
    case 'fail':
    case 'abort':
      return { status: verdict.status, notBefore: null };
    case 'ask':
      return { status: 'pending_failed', notBefore: null };
    case 'cancel':
      return { status: 'canceled', notBefore: null };
  }
}

/** Which budget the attempt is charged to; stopped, canceled and never started ones are free. */
function countsAs(decision: Decision, startedAt: number | null): 'failure' | 'preemption' | null {
  if (decision.cause === 'lost') return startedAt === null ? null : 'preemption';
  return ['retry', 'fail', 'abort', 'ask'].includes(decision.verdict.kind) ? 'failure' : null;
}
