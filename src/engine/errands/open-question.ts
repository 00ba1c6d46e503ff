import { type CodeKey, type Evaluation, evaluationOf } from '../../core/job/evaluation.ts';
import { causeOf } from '../../core/job/outcome.ts';
import type { JobConfig } from '../../core/model/workflow-model.ts';
import type { RoutingConfig } from '../../core/policy/routes.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import type { Script } from '../../store/script.ts';
import type { ObservedEnd } from '../decide/end-report.ts';
import { type Judgement, judgeOrAsk } from '../decide/judge-attempt.ts';
import { askCode, type CodeOwner, codesOf, errorOf, type Question } from './ask-code.ts';

/** What the end of an attempt leads to. */
export type NextStep =
  /** The post script has to run first. */
  | { kind: 'post' }
  /** Code has to be evaluated first. */
  | { kind: 'evaluate'; question: Question }
  /** The attempt can be decided; it already was where that was the way to find out. */
  | { kind: 'decide'; judged: Judgement | null };

/**
 * What has to be heard before an attempt can be decided: `fail_if`, then the post script, then the code of the route
 * that applies. The rules are walked only where an answer that is missing could make a difference.
 */
export function* openQuestion(live: LiveAttempt, report: ObservedEnd): Script<NextStep> {
  const { config } = live;
  const cause = causeOf(report.outcome);
  if (cause === 'lost' || cause === 'stopped' || cause === 'canceled') return DECIDE;
  const answers = report.evaluations ?? [];
  const condition = evaluationOf(answers, 'if');
  if (condition?.ok === true && !condition.value) return DECIDE;

  // One that a goto overtook counts for its caller only.
  const counts = !live.overtaken || live.is_called;
  const isUnchecked = config.fail_if !== null && cause === null && evaluationOf(answers, 'fail_if') === null;
  if (isUnchecked && counts) return yield* evaluate(live, report, config, ['fail_if'], false);
  // Neither a post script nor routes apply to what was canceled, overtaken, or ended to be retried.
  if (live.order?.kind === 'cancel' || live.overtaken) return DECIDE;
  if (live.order !== null && cause !== null) return DECIDE;
  if (config.post !== null && report.post === undefined) return { kind: 'post' };
  if (!hasOpenCode(config, answers)) return DECIDE;
  const { judgement, open } = yield* judgeOrAsk(live, report, config);
  if (judgement !== null) return { kind: 'decide', judged: judgement };
  return yield* evaluate(live, report, config, open.keys, open.failed);
}

const DECIDE: NextStep = { kind: 'decide', judged: null };

/** Whether a route of the job has code that was not evaluated. */
function hasOpenCode(
  { on_fail: onFail, on_success: onSuccess }: JobConfig,
  answers: readonly Evaluation[],
): boolean {
  return (['run_js', 'goto_js'] as const).some(
    (key) =>
      [onFail, onSuccess].some((routes) => routes?.[key] != null) && evaluationOf(answers, key) === null,
  );
}

function* evaluate(
  live: LiveAttempt,
  report: ObservedEnd,
  config: JobConfig,
  keys: readonly CodeKey[],
  failed: boolean,
): Script<NextStep> {
  const owner: CodeOwner = {
    ...live,
    name: live.job_name,
    config,
    routing: JSON.parse(live.routing) as RoutingConfig,
  };
  const question = yield* askCode(owner, codesOf(config, keys, failed), {
    isOpen: true,
    error: failed ? errorOf(report) : null,
    output: report.output,
  });
  return { kind: 'evaluate', question };
}
