import { HoldfastError } from '../core/errors.ts';
import { evaluationOf } from '../core/evaluation.ts';
import type { FinishReport } from '../core/exchange.ts';
import { causeOf, outcome } from '../core/outcome.ts';
import { crashedPost } from '../core/post-result.ts';
import { listHeldActions } from '../store/action-rows.ts';
import { findObservedAttempt, type LiveAttempt, listHeldAttempts } from '../store/attempt-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { decodeConfig } from '../store/job-rows.ts';
import { lockHeldWorkflows, lockWorker } from '../store/lock-rows.ts';
import { listHeldRecoveries } from '../store/recovery-rows.ts';
import { listHandedOver, putRoute, releaseHeldRoutes, setRouteState } from '../store/route-rows.ts';
import type { Script } from '../store/script.ts';
import { findWorker, listWorkersOf, retire, type WorkerRow } from '../store/worker-rows.ts';
import { findRun, findWorkflow, setDriver, type WorkflowRow } from '../store/workflow-rows.ts';
import { endAction } from './due-actions.ts';
import { type AttemptEnding, endAttempts, finishIfComplete } from './end-attempts.ts';
import { endRecovery } from './end-recovery.ts';
import { openQuestion } from './open-question.ts';

/** Whether the worker may still be at work: not retired, and alive or within its lease. */
export type IsAlive = (worker: WorkerRow, now: number) => boolean;

/**
 * What a worker still holds is lost with it, and it may report no more. An attempt that had ended, and only waits for
 * its code to be evaluated, waits for the heir if there is one. Returns how many attempts were closed.
 */
export function* retireWorker(workerId: number, now: number, hasHeir = false): Script<number> {
  if (!(yield* retire(workerId, now))) return 0;
  const endings: AttemptEnding[] = [];
  for (const live of yield* listHeldAttempts(workerId)) {
    if (hasHeir && (yield* waitsForCode(live))) yield* handOver(live);
    else endings.push({ live, report: lastReport(live, now), reporter: null });
  }
  yield* endAttempts(endings, now);
  for (const recovery of yield* listHeldRecoveries(workerId)) {
    yield* endRecovery(recovery, outcome({ lost: true }), now);
  }
  for (const action of yield* listHeldActions(workerId)) {
    yield* endAction(action, workerId, outcome({ lost: true }), now);
  }
  yield* releaseHeldRoutes(workerId);
  return endings.length;
}

function* waitsForCode(live: LiveAttempt): Script<boolean> {
  if (live.observed === null) return false;
  const question = yield* openQuestion(
    { ...live, observed: null },
    JSON.parse(live.observed) as FinishReport,
  );
  return question !== null && typeof question === 'object';
}

function* handOver(live: LiveAttempt): Script<void> {
  yield* putRoute({
    token: live.id,
    workflow_id: live.workflow_id,
    job_id: live.job_id,
    kind: 'attempt',
    not_before: null,
    state: 'due',
  });
}

/** What ended before its worker did is judged by how it ended; only its post script was cut off. */
function lastReport(live: LiveAttempt, now: number): Omit<FinishReport, 'token'> {
  const observed = live.observed === null ? null : (JSON.parse(live.observed) as FinishReport);
  const config = decodeConfig(live.config);
  const unchecked = config.failIf !== null && evaluationOf(observed?.evaluations ?? [], 'fail_if') === null;
  if (observed === null || (unchecked && causeOf(observed.outcome) === null)) {
    return {
      started_at_ms: live.started_at,
      finished_at_ms: now,
      outcome: outcome({ lost: true }),
      usage: null,
    };
  }
  if (config.post === null || observed.post !== undefined) return observed;
  return { ...observed, post: crashedPost('it was cut off when its worker died') };
}

/** Retires the dead workers of a workflow. Returns how many attempts were lost with them. */
export function* reapDeadWorkers(
  workflow: WorkflowRow,
  now: number,
  isAlive: IsAlive,
  hasHeir = false,
): Script<number> {
  let lost = 0;
  for (const worker of yield* listWorkersOf(workflow.id, workflow.run_id)) {
    if (isAlive(worker, now) || !(yield* takeDeadWorker(worker.id, now, isAlive))) continue;
    const held = yield* retireWorker(worker.id, now, hasHeir);
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
  if (!hasHeir) yield* closeHandedOver(workflow.id, now);
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

/** Nobody will evaluate the code of these attempts: their static keys apply. */
function* closeHandedOver(workflowId: number, now: number): Script<void> {
  const endings: AttemptEnding[] = [];
  for (const { token } of yield* listHandedOver(workflowId)) {
    yield* setRouteState(token, 'ended');
    const live = yield* findObservedAttempt(token);
    if (live !== undefined) endings.push({ live, report: lastReport(live, now), reporter: null });
  }
  yield* endAttempts(endings, now);
}

export type AdoptionRow = { mode: 'drive'; lost: number } | { mode: 'follow'; worker: WorkerRow };

/** Makes the worker the driver of the run, unless another live worker is. */
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
  if (run.finished_at !== null) throw new HoldfastError('WORKFLOW_COMPLETE', { id: workflowId });
  if (run.driver_id !== null && run.driver_id !== workerId) {
    const driver = yield* findWorker(run.driver_id);
    if (driver !== undefined && driver.retired_at === null && isAlive(driver, now)) {
      return { mode: 'follow', worker: driver };
    }
  }
  const lost = yield* reapDeadWorkers(workflow, now, isAlive, true);
  yield* setDriver(workflow.id, workflow.run_id, workerId, now);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    at: now,
    type: run.started_at === null ? 'run_started' : 'run_resumed',
    data: { worker_id: workerId, ...(lost > 0 ? { lost } : {}) },
  });
  // A workflow whose steps are all on call has nothing to do.
  yield* finishIfComplete(workflow.id, workflow.run_id, now);
  return { mode: 'drive', lost };
}
