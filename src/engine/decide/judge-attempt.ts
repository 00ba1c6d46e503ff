import { isDeepStrictEqual } from 'node:util';
import { type Evaluation, evaluationOf, failIfProblem } from '../../core/job/evaluation.ts';
import { causeOf, type Outcome } from '../../core/job/outcome.ts';
import type { JobConfig } from '../../core/model/workflow-model.ts';
import { decide, decideOrAsk } from '../../core/policy/decide.ts';
import {
  type Decision,
  type Ended,
  type History,
  NO_HISTORY,
  type OpenCode,
  PLAIN_END,
  type Policy,
} from '../../core/policy/decision.ts';
import { loadHistory } from '../../store/rows/attempts/attempt-rows.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { findScope } from '../../store/rows/flow/scope-rows.ts';
import type { Script } from '../../store/script.ts';
import { checkDynamicRoutes } from '../flow/check-routes.ts';
import type { EndReport } from './end-report.ts';
import { loadPolicy, NO_POLICY } from './load-policy.ts';

export interface Judgement {
  decision: Decision;
  outcome: Outcome;
  startedAt: number | null;
  failIf: string | null;
  evaluations: Evaluation[];
  /** The attempt as it was read for this decision, and the loops that had been taken in its scope. */
  of: { live: LiveAttempt; loops: number };
}

/** What the failure path says about an attempt whose code has all been evaluated; nothing is changed. */
export function* judgeAttempt(live: LiveAttempt, report: EndReport, config: JobConfig): Script<Judgement> {
  const { judgement, open } = yield* judgeOrAsk(live, report, config);
  if (judgement === null) throw new Error(`not evaluated before the decision: ${open.keys.join(', ')}`);
  return judgement;
}

/** The same, or the code that has to be evaluated first. */
export function* judgeOrAsk(
  live: LiveAttempt,
  report: EndReport,
  config: JobConfig,
): Script<{ judgement: Judgement; open: null } | { judgement: null; open: OpenCode }> {
  const evaluations = report.evaluations ?? [];
  const failIf = failIfProblem(evaluations);
  // A job that does not succeed while it is being canceled is canceled, whatever ended it.
  const succeeded =
    causeOf(report.outcome) === null &&
    failIf === null &&
    (report.post === undefined || report.post.exit_code === 0);
  const outcome =
    live.order !== null && !succeeded
      ? { ...report.outcome, canceled: true, lost: false, stopped: false }
      : report.outcome;
  const startedAt = live.started_at ?? report.started_at_ms;
  // Every key from the start: an object that is copied to add some took 14 µs of the 290 µs of a completion.
  const ended: Ended = {
    outcome,
    attemptId: live.attempt_id,
    startedAt,
    finishedAt: report.finished_at_ms,
    seed: live.id,
    post: report.post ?? null,
    stderrMatches: report.stderr_matches ?? [],
    cancelReason: live.order === null ? null : live.job_reason,
    superseded: PLAIN_END.superseded,
    disabled: PLAIN_END.disabled,
    retried: PLAIN_END.retried,
    failIf: PLAIN_END.failIf,
    dynamic: PLAIN_END.dynamic,
  };
  const isPlain =
    causeOf(outcome) === null &&
    ended.post === null &&
    config.on_success === null &&
    evaluations.length === 0 &&
    !live.overtaken;
  if (isPlain) {
    const decision = decide(ended, { ...NO_POLICY, retry: config.retry }, NO_HISTORY);
    const of = { live, loops: 0 };
    return { judgement: { decision, outcome, startedAt, failIf, evaluations: [], of }, open: null };
  }
  const place = { ...live, name: live.job_name };
  const checked = evaluations.length === 0 ? null : yield* checkDynamicRoutes(place, evaluations);
  const condition = evaluationOf(evaluations, 'if');
  const history = yield* historyOf(live, config);
  const { decision, open } = decideOrAsk(
    {
      ...ended,
      superseded: live.overtaken,
      retried: live.order?.kind === 'retry' ? live.job_reason : null,
      disabled: condition?.ok === true && !condition.value,
      failIf,
      dynamic: checked?.dynamic ?? {},
    },
    yield* policyOf(live, config),
    history,
  );
  if (decision === null) return { judgement: null, open };
  const of = { live, loops: history.loops };
  const judgement = {
    decision,
    outcome,
    startedAt,
    failIf,
    evaluations: checked?.evaluations ?? [],
    of,
  };
  return { judgement, open: null };
}

/** Whether nothing that the judgement depends on has changed since, now that the attempt was read again. */
export function* stillHolds({ of }: Judgement, live: LiveAttempt, config: JobConfig): Script<boolean> {
  if (live === of.live) return true;
  const isSame = (Object.keys(live) as (keyof LiveAttempt)[]).every(
    (key) => key === 'observed' || isDeepStrictEqual(live[key], of.live[key]),
  );
  return isSame && (yield* loopsOf(live, config)) === of.loops;
}

/** A job that succeeds while it is being canceled is complete; its routes would only start more work. */
function* policyOf(live: LiveAttempt, config: JobConfig): Script<Policy> {
  const policy = yield* loadPolicy(live, config);
  return live.order?.kind === 'cancel' ? { ...policy, routes: null } : policy;
}

function* historyOf(live: LiveAttempt, config: JobConfig): Script<History> {
  return {
    ...(yield* loadHistory(live.job_id, live.run_id, live.visit)),
    loops: yield* loopsOf(live, config),
  };
}

function* loopsOf({ workflow_id, scope }: LiveAttempt, config: JobConfig): Script<number> {
  const hasRoutes = config.on_fail !== null || config.on_success !== null;
  return hasRoutes ? (yield* findScope(workflow_id, scope)).loops : 0;
}
