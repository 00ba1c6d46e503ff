import { decide } from '../core/decide.ts';
import { type Decision, type History, NO_HISTORY, PLAIN_END } from '../core/decision.ts';
import { type Evaluation, evaluationOf, failIfProblem } from '../core/evaluation.ts';
import type { FinishReport } from '../core/exchange.ts';
import { causeOf, type Outcome } from '../core/outcome.ts';
import type { JobConfig } from '../core/workflow-model.ts';
import { type LiveAttempt, loadHistory } from '../store/attempt-rows.ts';
import { findScope } from '../store/scope-rows.ts';
import type { Script } from '../store/script.ts';
import { checkRoutes } from './check-routes.ts';
import { loadPolicy, NO_POLICY } from './load-policy.ts';

export interface Judgement {
  decision: Decision;
  outcome: Outcome;
  startedAt: number | null;
  failIf: string | null;
  evaluations: Evaluation[];
}

/** What the failure path says about an attempt; nothing is changed. */
export function* judgeAttempt(
  live: LiveAttempt,
  report: Omit<FinishReport, 'token'>,
  config: JobConfig,
): Script<Judgement> {
  const evaluations = report.evaluations ?? [];
  const failIf = failIfProblem(evaluations);
  // A job that does not succeed while it is being canceled is canceled, whatever ended it.
  const succeeded =
    causeOf(report.outcome) === null &&
    failIf === null &&
    (report.post === undefined || report.post.exitCode === 0);
  const outcome =
    live.cancel_requested === 1 && !succeeded
      ? { ...report.outcome, canceled: true, lost: false, stopped: false }
      : report.outcome;
  const startedAt = live.started_at ?? report.started_at_ms;
  const ended = {
    outcome,
    attemptId: live.attempt_id,
    startedAt,
    finishedAt: report.finished_at_ms,
    seed: live.id,
    post: report.post ?? null,
    stderrMatches: report.stderr_matches ?? [],
  };
  const isPlain =
    causeOf(outcome) === null &&
    ended.post === null &&
    config.onSuccess === null &&
    evaluations.length === 0 &&
    live.superseded === 0;
  if (isPlain) {
    const decision = decide({ ...ended, ...PLAIN_END }, { ...NO_POLICY, retry: config.retry }, NO_HISTORY);
    return { decision, outcome, startedAt, failIf, evaluations: [] };
  }
  const place = { ...live, name: live.job_name };
  const checked = evaluations.length === 0 ? null : yield* checkRoutes(place, evaluations);
  const condition = evaluationOf(evaluations, 'if');
  const decision = decide(
    {
      ...ended,
      superseded: live.superseded === 1,
      disabled: condition?.ok === true && !condition.value,
      failIf,
      dynamic: checked?.dynamic ?? {},
    },
    yield* loadPolicy(live, config),
    yield* historyOf(live, config),
  );
  return { decision, outcome, startedAt, failIf, evaluations: checked?.evaluations ?? [] };
}

function* historyOf(live: LiveAttempt, config: JobConfig): Script<History> {
  const hasRoutes = config.onFail !== null || config.onSuccess !== null;
  return {
    ...(yield* loadHistory(live.job_id, live.run_id, live.visit)),
    loops: hasRoutes ? (yield* findScope(live.workflow_id, live.scope)).loops : 0,
  };
}
