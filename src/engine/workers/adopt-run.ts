import { HoldfastError } from '../../core/errors.ts';
import { outcome } from '../../core/job/outcome.ts';
import { isRunEnd } from '../../core/run/run-transitions.ts';
import { lockHeldWorkflows, lockWorker } from '../../store/lock-rows.ts';
import {
  findObservedAttempt,
  type LiveAttempt,
  listHeldAttempts,
} from '../../store/rows/attempts/live-attempt-rows.ts';
import { countUndoneActions, dropOwedActions, enrolWorker } from '../../store/rows/errands/action-rows.ts';
import {
  finishErrand,
  listHeldErrands,
  listWaitingEvaluations,
  releaseEvaluations,
} from '../../store/rows/errands/errand-rows.ts';
import { listOpenOutputs } from '../../store/rows/errands/output-errand-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { startRound } from '../../store/rows/requests/round-rows.ts';
import { findWorker, listWorkersOf, retire, type WorkerRow } from '../../store/rows/workers/worker-rows.ts';
import { findRun, setDriver } from '../../store/rows/workflows/run-rows.ts';
import { findWorkflow, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { type AttemptEnding, endAttempts } from '../decide/end-attempts.ts';
import type { EndReport, ObservedEnd } from '../decide/end-report.ts';
import { endScript } from '../errands/end-script.ts';
import { leaveAttempt } from '../errands/order-question.ts';
import { endRunIfComplete } from '../runs/end-run.ts';
import { mayHaveStarted } from './may-have-started.ts';

/** Whether the worker may still be at work: not retired, and alive or within its lease. */
export type IsAlive = (worker: WorkerRow, now: number) => boolean;

/**
 * The worker may report no more. Attempts that it still runs are lost. Those that have ended are decided by how they
 * ended; where code has to be evaluated first, the next worker of the workflow does it. Returns how many were closed.
 */
export function* retireWorker(workerId: number, now: number): Script<number> {
  if (!(yield* retire(workerId, now))) return 0;
  const endings: AttemptEnding[] = [];
  const worker = (yield* findWorker(workerId))!;
  for (const live of yield* listHeldAttempts(workerId)) {
    const end =
      live.observed === null
        ? { report: lostReport(yield* startOf(live, worker), now) }
        : yield* leaveAttempt(live, JSON.parse(live.observed) as ObservedEnd, now);
    if (end !== null) endings.push({ live, ...end, reporter: null });
  }
  yield* endAttempts(endings, now);
  // Scripts have effects: one that has begun does not begin again elsewhere.
  yield* releaseEvaluations(workerId);
  for (const errand of yield* listHeldErrands(workerId)) {
    yield* endScript(errand, outcome({ lost: true }), now);
  }
  yield* dropOwedActions(workerId);
  return endings.length;
}

/** When an attempt that its worker left began, as far as is known; null only if it certainly did not. */
function* startOf(live: LiveAttempt, worker: WorkerRow): Script<number | null> {
  if (live.started_at !== null) return live.started_at;
  const { output_dir } = (yield* findWorkflow(live.workflow_id))!;
  return mayHaveStarted(live, worker, output_dir) ? live.claimed_at : null;
}

function lostReport(startedAt: number | null, now: number): EndReport {
  return { started_at_ms: startedAt, finished_at_ms: now, outcome: outcome({ lost: true }), usage: null };
}

/** Retires the dead workers of a workflow, and those that see to outputs of its request. Returns how many attempts were lost with them. */
export function* reapDeadWorkers(workflow: WorkflowRow, now: number, isAlive: IsAlive): Script<number> {
  let lost = 0;
  const workers = yield* listWorkersOf(workflow.id, workflow.run_id);
  if (workflow.request_id !== null) {
    const known = new Set(workers.map(({ id }) => id));
    for (const { worker_id } of yield* listOpenOutputs(workflow.request_id)) {
      if (worker_id === null || known.has(worker_id)) continue;
      known.add(worker_id);
      workers.push((yield* findWorker(worker_id))!);
    }
  }
  for (const worker of workers) {
    if (isAlive(worker, now) || !(yield* takeDeadWorker(worker.id, now, isAlive))) continue;
    const held = yield* retireWorker(worker.id, now);
    lost += held;
    yield* appendEvent({
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      at: now,
      type: 'worker_lost',
      reason: `worker ${worker.id} (${worker.host}, process ${worker.pid}) is gone`,
      data: { worker_id: worker.id, attempts: held },
    });
  }
  return lost;
}

/**
 * Locks the worker and everything that it holds, unless it shows itself alive meanwhile. The workflow at hand is locked
 * already, so that this is out of order: who waits for whom then is found out by the database, and run again.
 */
function* takeDeadWorker(workerId: number, now: number, isAlive: IsAlive): Script<boolean> {
  yield* lockWorker(workerId);
  const worker = yield* findWorker(workerId);
  if (worker === undefined || worker.retired_at !== null || isAlive(worker, now)) return false;
  yield* lockHeldWorkflows([workerId]);
  return true;
}

/**
 * Closes attempts that wait for a worker to evaluate their code, where none may ever come: all of them as lost, because a
 * new run begins, or those that were canceled meanwhile.
 */
export function* closeWaitingForCode(
  workflowId: number,
  which: 'all' | 'canceled',
  now: number,
): Script<void> {
  const endings: AttemptEnding[] = [];
  for (const { id, token } of yield* listWaitingEvaluations(workflowId)) {
    const live = yield* findObservedAttempt(token!);
    if (live === undefined || (which === 'canceled' && live.order === null)) continue;
    yield* finishErrand(id, { canceled: true }, now);
    const report = which === 'all' ? lostReport(live.started_at, now) : canceledReport(live);
    endings.push({ live, report, reporter: null });
  }
  yield* endAttempts(endings, now);
}

/** A success that was not checked does not count. */
function canceledReport(live: LiveAttempt): ObservedEnd {
  const observed = JSON.parse(live.observed!) as ObservedEnd;
  return { ...observed, outcome: { ...observed.outcome, canceled: true } };
}

/** Whether a complete run leaves something to a worker: actions, or outputs of its request. */
function* hasErrandsLeft({ id, run_id, request_id }: WorkflowRow): Script<boolean> {
  if ((yield* countUndoneActions(id, run_id)) > 0) return true;
  return request_id !== null && (yield* listOpenOutputs(request_id)).length > 0;
}

export type AdoptionRow = { mode: 'drive'; lost: number } | { mode: 'follow'; worker: WorkerRow };

/**
 * Makes the worker the driver of the run, unless another live worker is. A worker may also come for the actions of a
 * run that was completed while no process drove it, and for outputs of a request.
 */
export function* adoptRun(
  workflowId: number,
  workerId: number,
  now: number,
  isAlive: IsAlive,
): Script<AdoptionRow> {
  const workflow = yield* findWorkflow(workflowId);
  if (workflow === undefined) throw new HoldfastError('WORKFLOW_NOT_FOUND', { id: workflowId });
  if ((yield* findWorker(workerId)) === undefined)
    throw new HoldfastError('WORKER_NOT_FOUND', { id: workerId });
  const run = yield* findRun(workflow.id, workflow.run_id);
  if (isRunEnd(run.state) && !(yield* hasErrandsLeft(workflow))) {
    throw new HoldfastError('WORKFLOW_COMPLETE', { id: workflowId });
  }
  if (run.driver_id !== null && run.driver_id !== workerId) {
    const driver = yield* findWorker(run.driver_id);
    if (driver !== undefined && driver.retired_at === null && isAlive(driver, now)) {
      return { mode: 'follow', worker: driver };
    }
  }
  const lost = yield* reapDeadWorkers(workflow, now, isAlive);
  // The loss of a worker may end the last job, so the state is read again.
  const current = yield* findRun(workflow.id, workflow.run_id);
  // Only actions and outputs are left to do; nothing resumes.
  if (isRunEnd(current.state)) return { mode: 'drive', lost };
  yield* setDriver(workflow.id, current, workerId, now);
  yield* enrolWorker(workflow.id, workflow.run_id, workerId, now);
  if (workflow.request_id !== null) yield* startRound(workflow.id);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    at: now,
    type: run.started_at === null ? 'run_started' : 'run_resumed',
    data: { worker_id: workerId, ...(lost > 0 ? { lost } : {}) },
  });
  // A workflow whose steps are all on call has nothing to do.
  yield* endRunIfComplete(workflow, now);
  return { mode: 'drive', lost };
}
