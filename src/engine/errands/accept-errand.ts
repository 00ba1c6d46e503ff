import type { ErrandOrder, ErrandReport } from '../../contract/records/errand.ts';
import type { Evaluation } from '../../core/job/evaluation.ts';
import { findAttempt } from '../../store/rows/attempts/attempt-rows.ts';
import { putFileMarks } from '../../store/rows/attempts/file-mark-rows.ts';
import { findObservedAttempt, type LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import {
  type ErrandRow,
  finishErrand,
  insertErrand,
  releaseErrand,
} from '../../store/rows/errands/errand-rows.ts';
import { findRoute } from '../../store/rows/flow/route-rows.ts';
import { getJob } from '../../store/rows/jobs/job-rows.ts';
import { findWorkflow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { AttemptEnding } from '../decide/end-attempts.ts';
import type { ObservedEnd } from '../decide/end-report.ts';
import { checkDynamicRoutes } from '../flow/check-routes.ts';
import { afterCalls, conclude } from '../flow/conclude.ts';
import { endRunIfComplete } from '../runs/end-run.ts';
import { endScript } from './end-script.ts';
import { errandOfLeft, observe, orderQuestion, stepLeft } from './order-question.ts';
import { orderOfLeft } from './take-evaluations.ts';

/** What follows from a report: an attempt that can be decided with it, or the next errand. */
export interface Accepted {
  ending?: Omit<AttemptEnding, 'reporter'>;
  order?: ErrandOrder;
}

/** Accepts how an errand ended that the reporting worker holds. */
export function* acceptErrand(errand: ErrandRow, report: ErrandReport, now: number): Script<Accepted> {
  if (report.kind === 'recovery' || report.kind === 'action' || report.kind === 'outputs') {
    yield* endScript(errand, report.outcome, now);
    return {};
  }
  const live = yield* findObservedAttempt(errand.token!);
  const answer = report.kind === 'post' ? report.post : report.evaluations;
  if (answer === null && errand.holder === 'worker') {
    yield* releaseErrand(errand.id);
    return {};
  }
  if (live !== undefined && report.kind === 'post' && report.files !== undefined) {
    yield* putFileMarks(live, report.files);
  }
  yield* finishErrand(errand.id, answer ?? { stopped: true }, now);
  if (live === undefined) {
    yield* followRouteCode(errand, answer as Evaluation[], now);
    return {};
  }
  const observed = JSON.parse(live.observed!) as ObservedEnd;
  // What ended together with its worker is not judged: the attempt counts as stopped or lost, too.
  if (answer === null) {
    const isTaken = report.kind === 'post' && report.lost === true;
    const how = isTaken ? { lost: true, allocation_ended: true as const } : { stopped: true };
    return { ending: { live, report: { ...observed, outcome: { ...observed.outcome, ...how } } } };
  }
  const heard = withAnswer(observed, report);
  if (errand.holder === 'worker') return yield* nextOfLeft(errand, live, heard, now);
  const { order, judged } = yield* orderQuestion(live, heard, now);
  return order === null ? { ending: { live, report: heard, judged } } : { order };
}

function withAnswer(
  observed: ObservedEnd,
  report: Extract<ErrandReport, { kind: 'post' | 'evaluation' }>,
): ObservedEnd {
  if (report.kind === 'post') return { ...observed, post: report.post! };
  return { ...observed, evaluations: [...(observed.evaluations ?? []), ...report.evaluations!] };
}

/** The worker continues with an attempt that another worker left. */
function* nextOfLeft(
  errand: ErrandRow,
  live: LiveAttempt,
  heard: ObservedEnd,
  now: number,
): Script<Accepted> {
  const { report, step, judged } = yield* stepLeft(live, heard);
  if (step === null) return { ending: { live, report, judged } };
  yield* observe(live, report);
  const id = yield* insertErrand(errandOfLeft(live, step, errand.worker_id), now);
  const workflow = (yield* findWorkflow(live.workflow_id))!;
  const observed = JSON.stringify(report);
  return { order: yield* orderOfLeft(id, step, { ...live, observed }, workflow) };
}

/** Where a success leads whose steps have ended. A route that was dropped has ended its errand itself. */
function* followRouteCode(
  { token, job_id, workflow_id, run_id }: ErrandRow,
  evaluations: Evaluation[],
  now: number,
): Script<void> {
  const job = yield* getJob(job_id!);
  const workflow = { id: workflow_id, run_id: (yield* findAttempt(token!)).run_id };
  const checked = yield* checkDynamicRoutes(
    { workflow_id, job_id: job.id, name: job.name, scope: job.scope },
    evaluations,
  );
  const route = yield* findRoute(token!);
  yield* conclude(
    workflow,
    yield* afterCalls(workflow, route, checked.evaluations, checked.dynamic, now),
    now,
  );
  yield* endRunIfComplete({ id: workflow_id, run_id }, now);
}
