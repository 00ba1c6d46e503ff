import type { Decision, Verdict } from '../core/decision.ts';
import type { CodeKey, Evaluation } from '../core/evaluation.ts';
import type { FinishReport } from '../core/exchange.ts';
import type { JobStatus } from '../core/job-status.ts';
import { describeOutcome } from '../core/outcome.ts';
import type { EventType } from '../core/records.ts';
import type { JobConfig } from '../core/workflow-model.ts';
import { finishAttempt, type LiveAttempt } from '../store/attempt-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { changeResources } from '../store/job-resources.ts';
import { decodeConfig, moveJob } from '../store/job-rows.ts';
import { insertRecovery } from '../store/recovery-rows.ts';
import type { Script } from '../store/script.ts';
import { setUserData } from '../store/user-data-rows.ts';
import { applyVerdict, takeLoop } from './apply-verdict.ts';
import { type Judgement, judgeAttempt } from './judge-attempt.ts';

const EVENT_OF: Record<Verdict['kind'], EventType> = {
  complete: 'completed',
  call: 'completed',
  retry: 'retry',
  requeue: 'requeue',
  fail: 'failure',
  abort: 'abort',
  ask: 'ask',
  cancel: 'cancel',
  goto: 'goto',
  loop_abort: 'loop_abort',
  supersede: 'supersede',
  disable: 'disable',
  evaluate: 'failure',
};

/** How long a retry waits for another worker than the one on which it failed. */
const AVOID_MS = 30_000;

/**
 * The one decision: close the attempt, judge it, move the job, settle what follows, write it down. `reporter` is the
 * worker that tells of its end; null: its worker was found dead.
 */
export function* endAttempt(
  live: LiveAttempt,
  report: Omit<FinishReport, 'token'>,
  now: number,
  reporter: number | null,
): Script<Decision> {
  const config = decodeConfig(live.config);
  const { decision, outcome, startedAt, failIf, evaluations } = yield* judgeToTheEnd(live, report, config);
  const { verdict } = decision;
  const route = yield* takeLoop(live, decision);
  const reason = route?.reason ?? decision.reason;
  const charged = countsAs(decision, startedAt);

  yield* finishAttempt(live.id, {
    started_at: startedAt,
    finished_at: report.finished_at_ms,
    outcome,
    usage: report.usage,
    output: report.output,
    decision: { ...decision, reason },
    route: route?.taken ?? null,
    evaluations,
    fingerprint: report.fingerprint ?? null,
    counts_as: charged,
    actor: null,
  });
  if (isSuccess(verdict)) {
    yield* storeUserData(live.workflow_id, config.userData.outputs, report.user_data ?? {});
  }
  // A script runs where the attempt failed; without that worker the retry goes on without it.
  const recovers = decision.recoveryScript !== null && reporter !== null;
  if (recovers) yield* insertRecovery(live.id, live.job_id, reporter, now);
  const { status, notBefore } = nextStatus(verdict);
  const calls = verdict.kind === 'call' || (verdict.kind === 'retry' && verdict.run.length > 0);
  const waits = recovers || (calls && status === 'ready');
  yield* moveJob({ id: live.job_id, attempt_id: live.attempt_id }, ['pending', 'running'], status, {
    reason: verdict.kind === 'cancel' ? (live.job_reason ?? reason) : reason,
    not_before: waits ? (notBefore ?? now) : isFuture(notBefore, now) ? notBefore : null,
    recovery_token: recovers ? live.id : null,
    route_token: calls ? live.id : null,
    avoid:
      charged === null
        ? null
        : { worker_id: live.worker_id, until: Math.max(now, notBefore ?? 0) + AVOID_MS },
  });
  yield* changeResources(live.job_id, decision, config);
  yield* appendEvent({
    workflow_id: live.workflow_id,
    run_id: live.run_id,
    job_id: live.job_id,
    attempt_id: live.attempt_id,
    at: now,
    type: EVENT_OF[verdict.kind],
    reason,
    data: {
      status,
      outcome: failIf ?? (verdict.kind === 'disable' ? 'not run' : describeOutcome(outcome)),
      duration_ms: startedAt === null ? null : report.finished_at_ms - startedAt,
      ...(notBefore === null ? {} : { retry_available_at_ms: notBefore }),
      ...(decision.recoveryScript === null ? {} : { recovery_script: recovers }),
      ...(report.post == null ? {} : { post: report.post }),
      ...(route === null ? {} : { route: route.taken }),
      ...(evaluations.length === 0 ? {} : { evaluations }),
    },
  });
  yield* applyVerdict(live, decision, reason, now);
  return decision;
}

/** Code that nobody is left to ask has failed: the static keys apply. */
function* judgeToTheEnd(
  live: LiveAttempt,
  report: Omit<FinishReport, 'token'>,
  config: JobConfig,
): Script<Judgement> {
  let answers = report.evaluations ?? [];
  for (;;) {
    const judgement = yield* judgeAttempt(live, { ...report, evaluations: answers }, config);
    const { verdict } = judgement.decision;
    if (verdict.kind !== 'evaluate') return judgement;
    answers = [...answers, ...verdict.keys.map(cutOff)];
  }
}

function cutOff(key: CodeKey): Evaluation {
  return {
    key,
    result: { ok: false, problem: 'its worker died before it was evaluated' },
    ms: 0,
    inputs: {},
  };
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

function isSuccess(verdict: Verdict): boolean {
  return (
    verdict.kind === 'complete' ||
    verdict.kind === 'call' ||
    (verdict.kind === 'goto' && verdict.status === 'completed')
  );
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
    case 'loop_abort':
      return { status: verdict.status, notBefore: null };
    case 'ask':
      return { status: 'pending_failed', notBefore: null };
    case 'cancel':
      return { status: 'canceled', notBefore: null };
    case 'disable':
      return { status: 'disabled', notBefore: null };
    case 'call':
    case 'goto':
    case 'supersede':
      return { status: 'blocked', notBefore: null };
    case 'evaluate':
      throw new Error('code has to be asked before anything is decided');
  }
}

/** Which budget the attempt is charged to; stopped, canceled, overtaken and never started ones are free. */
function countsAs({ cause, verdict }: Decision, startedAt: number | null): 'failure' | 'preemption' | null {
  if (verdict.kind === 'supersede') return null;
  if (cause === 'lost') return startedAt === null ? null : 'preemption';
  const isCharged = ['retry', 'fail', 'abort', 'ask', 'goto', 'loop_abort'].includes(verdict.kind);
  return cause !== null && isCharged ? 'failure' : null;
}
