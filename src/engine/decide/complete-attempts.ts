import { serveWaitingCall } from '../../core/flow/calls.ts';
import { causeOf, describeOutcome } from '../../core/job/outcome.ts';
import { type AttemptEnd, finishAttempts } from '../../store/rows/attempts/attempt-rows.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { appendEvents, type NewEvent } from '../../store/rows/events/event-rows.ts';
import { listCalledFor } from '../../store/rows/flow/route-rows.ts';
import { listMembershipsOf } from '../../store/rows/jobs/dependency-rows.ts';
import { toCompleted } from '../../store/rows/jobs/job-transitions.ts';
import { type Script, together } from '../../store/script.ts';
import { followFlow } from '../flow/follow-flow.ts';
import { settleSuccesses } from '../flow/settle-successes.ts';
import type { EndReport } from './end-report.ts';
import { judgeAttempt } from './judge-attempt.ts';

/** An attempt that simply succeeded, together with everything that is written about it. */
export interface PlainSuccess {
  live: LiveAttempt;
  end: AttemptEnd;
}

/**
 * The decision about an attempt that succeeded, if nothing that anybody wrote has a say in what follows, and nobody
 * called its job: then many of them can be ended together. Otherwise null, and nothing was asked of the database.
 */
export function* plainSuccess(live: LiveAttempt, report: EndReport): Script<PlainSuccess | null> {
  const { config } = live;
  const isPlain =
    !live.is_called &&
    !live.overtaken &&
    !config.for_each &&
    config.on_success === null &&
    config.user_data.outputs.length === 0 &&
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
    decision:
      report.note === undefined ? decision : { ...decision, reason: withNote(decision.reason, report.note) },
    route: null,
    evaluations: [],
    fingerprint: report.fingerprint ?? null,
    actor: null,
    post: null,
  };
  return { live, end };
}

export function withNote(reason: string, note: string | undefined): string {
  return note === undefined ? reason : `${reason}; ${note}`;
}

/**
 * What `endAttempt` does, for many successes at once: a few statements, however many there are. Returns whether more jobs
 * may have ended by it.
 */
export function* completeAttempts(successes: readonly PlainSuccess[], now: number): Script<boolean> {
  if (successes.length === 0) return false;
  yield* finishAttempts(successes.map(({ live, end }) => ({ token: live.id, end })));
  const byReason = new Map<string, number[]>();
  for (const { live, end } of successes) {
    const alike = byReason.get(end.decision.reason) ?? [];
    byReason.set(end.decision.reason, alike);
    alike.push(live.job_id);
  }
  for (const [reason, jobIds] of byReason) yield* toCompleted(jobIds, reason);
  yield* appendEvents(successes.map((success) => completion(success, now)));
  const awaited = successes.flatMap(({ live }) => {
    const { job_id: id, job_name: name, workflow_id, run_id } = live;
    return live.is_awaited ? { id, name, workflow_id, run_id } : [];
  });
  if (awaited.length === 0) return false;
  const ids = awaited.map(({ id }) => id);
  const [memberships, called] = yield* together(listMembershipsOf(ids), listCalledFor(ids));
  const hasFollowed = yield* settleSuccesses(awaited, memberships, now);
  for (const id of called) {
    const { workflow_id, run_id } = awaited.find((job) => job.id === id)!;
    yield* followFlow({ id: workflow_id, run_id }, now, (draft) => serveWaitingCall(draft, id));
  }
  return hasFollowed || called.length > 0;
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
