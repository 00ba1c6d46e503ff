import type { RecoveryOrder } from '../../contract/records/errand.ts';
import type { EventType } from '../../contract/records/records.ts';
import { causeOf, describeOutcome } from '../../core/job/outcome.ts';
import { withoutTail } from '../../core/job/post-result.ts';
import type { Decision, Verdict } from '../../core/policy/decision.ts';
import { finishAttempt } from '../../store/rows/attempts/attempt-rows.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { insertErrand } from '../../store/rows/errands/errand-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { changeResources } from '../../store/rows/jobs/job-resources.ts';
import { setUserData } from '../../store/rows/workflows/user-data-rows.ts';
import type { Script } from '../../store/script.ts';
import { recordEvaluationFailures } from '../flow/record-evaluation-failures.ts';
import { applyVerdict, takeLoop } from './apply-verdict.ts';
import { withNote } from './complete-attempts.ts';
import type { EndReport } from './end-report.ts';
import { type Judgement, judgeAttempt, stillHolds } from './judge-attempt.ts';
import { moveEndedJob } from './move-ended-job.ts';

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
};

/**
 * The one decision: close the attempt, classify it, move the job, settle what follows, write it down. `reporter` is the
 * worker that reports its end; null: its worker was found dead. A judgement that was made when the report came in is
 * used if it still holds. Returns the recovery script that the reporter has to run, too.
 */
export function* endAttempt(
  live: LiveAttempt,
  report: EndReport,
  now: number,
  reporter: number | null,
  judged: Judgement | null,
): Script<{ decision: Decision; recovery: RecoveryOrder | null }> {
  const { config } = live;
  const isUsable = judged !== null && (yield* stillHolds(judged, live, config));
  const judgement = isUsable ? judged : yield* judgeAttempt(live, report, config);
  const { decision, outcome, startedAt, failIf, evaluations } = judgement;
  const { verdict } = decision;
  const route = yield* takeLoop(live, decision);
  const reason = withNote(route?.reason ?? decision.reason, report.note);
  const isRetried = decision.cause === 'canceled' && verdict.kind === 'retry';
  const retriedBy = isRetried && live.order?.kind === 'retry' ? live.order.actor : null;

  yield* finishAttempt(live.id, {
    started_at: startedAt,
    finished_at: report.finished_at_ms,
    outcome,
    usage: report.usage,
    output: decision.succeeded || causeOf(outcome) === null ? report.output : undefined,
    decision: { ...decision, reason },
    route: route?.taken ?? null,
    evaluations,
    fingerprint: report.fingerprint ?? null,
    actor: retriedBy,
    post: report.post ?? null,
  });
  if (decision.succeeded) {
    yield* storeUserData(live.workflow_id, config.user_data.outputs, report.user_data ?? {});
  }
  // A script runs where the attempt failed; without that worker the retry is made without it.
  const recovery = reporter === null ? null : yield* orderRecovery(live, decision, reporter, now);
  const recovers = recovery !== null;
  const { notBefore } = decision;
  const status = yield* moveEndedJob(live, decision, recovers, reason, now);
  yield* changeResources(live.job_id, decision, config);
  const place = {
    workflow_id: live.workflow_id,
    run_id: live.run_id,
    job_id: live.job_id,
    attempt_id: live.attempt_id,
    at: now,
  };
  yield* recordEvaluationFailures(place, evaluations);
  yield* appendEvent({
    ...place,
    type: EVENT_OF[verdict.kind],
    actor: retriedBy,
    reason,
    data: {
      status,
      outcome: failIf ?? (verdict.kind === 'disable' ? 'not run' : describeOutcome(outcome)),
      duration_ms: startedAt === null ? null : report.finished_at_ms - startedAt,
      ...(notBefore === null ? {} : { retry_available_at_ms: notBefore }),
      ...(decision.recoveryScript === null ? {} : { recovery_script: recovers }),
      ...(report.post == null ? {} : { post: withoutTail(report.post) }),
      ...(route === null ? {} : { route: route.taken }),
      ...(evaluations.length === 0 ? {} : { evaluations }),
    },
  });
  yield* applyVerdict(live, decision, reason, now);
  return { decision, recovery };
}

function* orderRecovery(
  live: LiveAttempt,
  { recoveryScript, recoveryTimeoutMs, matchCode }: Decision,
  workerId: number,
  now: number,
): Script<RecoveryOrder | null> {
  if (recoveryScript === null) return null;
  const timeout_ms = recoveryTimeoutMs!;
  const errand = {
    kind: 'recovery',
    holder: 'attempt',
    attempt: live,
    worker_id: workerId,
    timeout_ms,
  } as const;
  const id = yield* insertErrand(errand, now);
  return {
    kind: 'recovery',
    id,
    token: live.id,
    script: recoveryScript,
    return_code: matchCode ?? 0,
    timeout_ms,
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
