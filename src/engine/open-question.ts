import { type CodeKey, type Evaluation, evaluationOf, failIfProblem } from '../core/evaluation.ts';
import type { EvaluationOrder, FinishReport } from '../core/exchange.ts';
import { logFiles } from '../core/log-files.ts';
import { causeOf } from '../core/outcome.ts';
import type { RoutingConfig } from '../core/routes.ts';
import type { JobConfig } from '../core/workflow-model.ts';
import { findAttempt, findObservedAttempt, type LiveAttempt } from '../store/attempt-rows.ts';
import { decodeConfig, getJob } from '../store/job-rows.ts';
import { findHeldRoute, holdRoute, listDueRoutes, setRouteState } from '../store/route-rows.ts';
import type { Script } from '../store/script.ts';
import type { WorkflowRow } from '../store/workflow-rows.ts';
import { askCode, type CodeOwner, codeOwner, codesOf, errorOf } from './ask-code.ts';
import { checkRoutes } from './check-routes.ts';
import { afterCalls, conclude } from './conclude.ts';
import { type AttemptEnding, endAttempts, finishIfComplete } from './end-attempts.ts';
import { judgeAttempt } from './judge-attempt.ts';

/**
 * What has to be heard before an attempt can be decided: `fail_if`, then the post script, then the code of the route
 * that applies. `repeated`: the report says nothing that is not known. null: nothing, it can be decided.
 */
export function* openQuestion(
  live: LiveAttempt,
  report: FinishReport,
): Script<'post' | 'repeated' | EvaluationOrder | null> {
  if (live.observed !== null) {
    const observed = JSON.parse(live.observed) as FinishReport;
    if (answersIn(report) <= answersIn(observed) && causeOf(report.outcome) !== 'stopped') return 'repeated';
  }
  const config = decodeConfig(live.config);
  if (!hasQuestions(config)) return null;
  const cause = causeOf(report.outcome);
  if (live.cancel_requested === 1 || live.superseded === 1) return null;
  if (cause === 'lost' || cause === 'stopped' || cause === 'canceled') return null;
  const answers = report.evaluations ?? [];
  const condition = evaluationOf(answers, 'if');
  if (condition?.ok === true && !condition.value) return null;

  if (config.failIf !== null && cause === null && evaluationOf(answers, 'fail_if') === null) {
    return yield* order(live, report, config, ['fail_if'], false);
  }
  if (config.post !== null && report.post === undefined) return 'post';
  const { decision } = yield* judgeAttempt(live, report, config);
  if (decision.verdict.kind !== 'evaluate') return null;
  return yield* order(live, report, config, decision.verdict.keys, decision.rule === 'routes');
}

function hasQuestions({ failIf, post, onFail, onSuccess }: JobConfig): boolean {
  if (failIf !== null || post !== null) return true;
  return [onFail, onSuccess].some((routes) => routes?.runJs != null || routes?.gotoJs != null);
}

function answersIn({ post, evaluations }: FinishReport): number {
  return (post === undefined ? 0 : 1) + (evaluations?.length ?? 0);
}

function* order(
  live: LiveAttempt,
  report: FinishReport,
  config: JobConfig,
  keys: readonly CodeKey[],
  failed: boolean,
): Script<EvaluationOrder> {
  const owner: CodeOwner = {
    ...live,
    name: live.job_name,
    config,
    routing: JSON.parse(live.routing) as RoutingConfig,
  };
  const question = yield* askCode(owner, codesOf(config, keys, failed), {
    isOpen: true,
    error: failed ? errorOf(report.outcome, failIfProblem(report.evaluations ?? [])) : null,
    output: report.output,
  });
  return { of: 'attempt', token: live.id, ...question };
}

/**
 * Questions that are nobody's yet: after the steps of a success, or left open by a worker that died. What needs no
 * answer any more, because it was canceled meanwhile, is closed.
 */
export function* takeDueQuestions(
  workflow: WorkflowRow,
  workerId: number,
  now: number,
): Script<EvaluationOrder[]> {
  const orders: EvaluationOrder[] = [];
  for (const route of yield* listDueRoutes(workflow.id)) {
    yield* holdRoute(route.token, workerId);
    if (route.kind === 'attempt') {
      const live = (yield* findObservedAttempt(route.token))!;
      const report = JSON.parse(live.observed!) as FinishReport;
      const question = yield* openQuestion({ ...live, observed: null }, report);
      if (question === null || typeof question === 'string') {
        yield* setRouteState(route.token, 'ended');
        yield* endAttempts([{ live, report, reporter: null }], now);
        continue;
      }
      const files = logFiles(live);
      const logs = {
        stdout: `${workflow.output_dir}/${files.stdout}`,
        stderr: `${workflow.output_dir}/${files.stderr}`,
      };
      orders.push({ ...question, of: 'route', logs });
      continue;
    }
    const job = yield* getJob(route.job_id);
    const config = decodeConfig(job.config);
    const { output } = yield* findAttempt(route.token);
    const owner = codeOwner(workflow, job, config);
    const question = yield* askCode(owner, codesOf(config, ['goto_js'], false), {
      isOpen: false,
      error: null,
      output: output === null ? null : JSON.parse(output),
    });
    orders.push({ of: 'route', token: route.token, ...question });
  }
  return orders;
}

/** An answer to such a question. Returns the attempt that can be decided with it, if it was about one. */
export function* acceptEvaluation(
  workerId: number,
  token: number,
  evaluations: Evaluation[],
  now: number,
): Script<Omit<AttemptEnding, 'reporter'> | null> {
  const route = yield* findHeldRoute(token, workerId);
  if (route === undefined) return null;
  if (route.kind === 'attempt') {
    yield* setRouteState(token, 'ended');
    const live = yield* findObservedAttempt(token);
    if (live === undefined) return null;
    const report = JSON.parse(live.observed!) as FinishReport;
    return { live, report: { ...report, evaluations: [...(report.evaluations ?? []), ...evaluations] } };
  }
  const job = yield* getJob(route.job_id);
  const workflow = { id: route.workflow_id, run_id: (yield* findAttempt(token)).run_id };
  const place = { workflow_id: workflow.id, job_id: job.id, name: job.name, scope: job.scope };
  const checked = yield* checkRoutes(place, evaluations);
  const ended = yield* afterCalls(workflow, route, checked.evaluations, checked.dynamic, now);
  yield* conclude(workflow, ended, now);
  yield* finishIfComplete(workflow.id, workflow.run_id, now);
  return null;
}
