import type { EvaluationOrder, PostOrder } from '../../contract/records/errand.ts';
import type { FinishReport } from '../../contract/records/exchange.ts';
import { logPaths } from '../../core/job/log-files.ts';
import { findAttempt } from '../../store/rows/attempts/attempt-rows.ts';
import { findObservedAttempt, type LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import {
  type ErrandRow,
  finishErrand,
  listWaitingEvaluations,
  startErrand,
} from '../../store/rows/errands/errand-rows.ts';
import { decodeConfig, getJob } from '../../store/rows/jobs/job-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { endAttempts } from '../decide/end-attempts.ts';
import type { ObservedEnd } from '../decide/end-report.ts';
import { askCode, codeOwner, codesOf, type Question } from './ask-code.ts';
import { orderPost } from './order-post.ts';
import { type LeftStep, stepLeft } from './order-question.ts';

/**
 * Errands that any worker may do: code after the steps of a success, and code or built-in post steps that a worker left
 * when it died. An attempt that needs none any more, because it was canceled meanwhile, is closed.
 */
export function* takeEvaluations(
  workflow: WorkflowRow,
  workerId: number,
  now: number,
): Script<(EvaluationOrder | PostOrder)[]> {
  const orders: (EvaluationOrder | PostOrder)[] = [];
  for (const errand of yield* listWaitingEvaluations(workflow.id)) {
    yield* startErrand(errand.id, workerId, now);
    const live = yield* findObservedAttempt(errand.token!);
    if (live === undefined) {
      orders.push(orderOf(errand.id, errand.token!, yield* questionOfRoute(workflow, errand)));
      continue;
    }
    const { report, step, judged } = yield* stepLeft(live, JSON.parse(live.observed!) as ObservedEnd);
    if (step !== null) orders.push(yield* orderOfLeft(errand.id, step, live, workflow));
    else {
      yield* finishErrand(errand.id, { canceled: true }, now);
      yield* endAttempts([{ live, report, reporter: null, judged }], now);
    }
  }
  return orders;
}

/** The order for a worker that did not run the attempt itself. */
export function* orderOfLeft(
  id: number,
  step: LeftStep,
  live: LiveAttempt,
  workflow: WorkflowRow,
): Script<EvaluationOrder | PostOrder> {
  const { config } = live;
  const { cwd, output_dir } = workflow;
  if (step.kind === 'post') {
    const { workflow_id, run_id, job_id, job_name, scope, attempt_id, memory_bytes } = live;
    const place = { workflow_id, run_id, job_id, job_name, scope, attempt_id, cwd, output_dir };
    const observed = JSON.parse(live.observed!) as FinishReport;
    return { ...(yield* orderPost(id, live)), left: { ...place, config, memory_bytes, observed } };
  }
  const logs = logPaths(live, output_dir, config.stdio.mode);
  return { ...orderOf(id, live.id, step.question), logs };
}

function orderOf(id: number, token: number, question: Question): EvaluationOrder {
  return { kind: 'evaluation', id, token, ...question };
}

/** The code that says where a success leads whose steps have ended. */
function* questionOfRoute(workflow: WorkflowRow, { token, job_id }: ErrandRow): Script<Question> {
  const job = yield* getJob(job_id!);
  const config = decodeConfig(job.config);
  const { output } = yield* findAttempt(token!);
  return yield* askCode(codeOwner(workflow, job, config), codesOf(config, ['goto_js'], false), {
    isOpen: false,
    error: null,
    output: output === null ? null : JSON.parse(output),
  });
}
