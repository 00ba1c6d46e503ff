import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SubmittedUpdate } from '../../contract/engine.ts';
import type { UpdateResult } from '../../contract/records/update.ts';
import { HoldfastError } from '../../core/errors.ts';
import { EditedParts, type EditedWorkflow, type StoredWorkflow } from '../../core/rerun/edited-workflow.ts';
import { planUpdate } from '../../core/rerun/plan-update.ts';
import type { UpdatePlan } from '../../core/rerun/update-plan.ts';
import { rehearse } from '../../store/rehearse.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { listWorkersOf } from '../../store/rows/workers/worker-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { needWorkflow, takeWorkflow } from '../records/needed-rows.ts';
import { refuseRound } from '../requests/refuse-round.ts';
import { atOnce, inTurns } from '../submit/in-turns.ts';
import type { WorkflowParts } from '../submit/store-workflow.ts';
import { closeLeft, isAnyLeft } from '../workers/close-left.ts';
import { isAlive } from '../workers/is-alive.ts';
import { applyUpdate } from './apply-update.ts';
import { loadStored } from './load-stored.ts';
import { updateRecord } from './update-record.ts';

/**
 * Compares a stored workflow with an edited spec and makes it what the spec says, in one transaction: a crash leaves the
 * workflow as it was, and of two updates at once the second one is compared with what the first one stored.
 */
export async function storeUpdate(
  store: Store,
  workflowId: number,
  update: SubmittedUpdate,
  parts: WorkflowParts,
): Promise<UpdateResult> {
  const edited = await collect(update, parts);
  if (update.dry_run === true) {
    const { workflow, stored, stale, driver } = await loadForPlan(store, workflowId, update);
    await nextTurn();
    const plan = await inTurns(planUpdate(stored, edited, stale));
    refuseEndedRun(workflow, stored, plan, driver);
    await nextTurn();
    return updateRecord({ workflow, stored, edited, plan }, update);
  }
  return store.write(function* (now) {
    const taken = yield* takeWorkflow(workflowId);
    const { workflow, stored, stale, driver } = yield* closeAndLoad(taken, update, now);
    const plan = atOnce(planUpdate(stored, edited, stale));
    refuseEndedRun(workflow, stored, plan, driver);
    const result = updateRecord({ workflow, stored, edited, plan }, update);
    if (plan.mode === 'nothing') return result;
    const { run_id } = yield* applyUpdate({ workflow, stored, edited, plan }, now);
    yield* appendEvent({
      workflow_id: workflow.id,
      run_id,
      at: now,
      type: 'workflow_updated',
      actor: update.actor,
      reason: `${update.actor} applied an edited spec`,
      data: { mode: plan.mode, counts: result.counts, workflow: plan.workflow },
    });
    return result;
  });
}

/** So many parts are put together in one piece. */
const PARTS_AT_ONCE = 10;

async function collect({ head }: SubmittedUpdate, parts: WorkflowParts): Promise<EditedWorkflow> {
  const collected = new EditedParts(head);
  let count = 0;
  for await (const part of parts) {
    collected.add(part);
    count += 1;
    if (count % PARTS_AT_ONCE === 0) await nextTurn();
  }
  return collected.all();
}

/** Reads only, unless a dead worker has left something open: then it is closed, and that is taken back. */
async function loadForPlan(store: Store, workflowId: number, update: SubmittedUpdate) {
  const loaded = await store.read(function* (now) {
    const workflow = yield* needWorkflow(workflowId);
    return (yield* isAnyLeft(workflow, now, isAlive)) ? null : yield* load(workflow, update, now);
  });
  if (loaded !== null) return loaded;
  return store.write(function* (now) {
    return yield* rehearse(closeAndLoad(yield* takeWorkflow(workflowId), update, now));
  });
}

function* closeAndLoad(workflow: WorkflowRow, update: SubmittedUpdate, now: number) {
  if ((yield* findDriver(workflow, now)) === null) yield* closeLeft(workflow, now, isAlive);
  return yield* load(workflow, update, now);
}

/** What the edited spec is compared with. */
function* load(workflow: WorkflowRow, update: SubmittedUpdate, now: number) {
  yield* refuseRound(workflow, 'release');
  if (workflow.executor === 'htcondor') throw onDagman();
  const driver = yield* findDriver(workflow, now);
  const stored = yield* loadStored(workflow, driver !== null);
  const stale = new Map((update.stale ?? []).map(({ job_id, reason }) => [job_id, reason]));
  refuseStrangers(stored, stale, workflow.id);
  return { workflow, stored, stale, driver };
}

/** A run that has ended while its process is still there would not be continued by it. */
function refuseEndedRun(
  workflow: WorkflowRow,
  stored: StoredWorkflow,
  plan: UpdatePlan,
  driver: { pid: number } | null,
): void {
  const isEqual = plan.mode === 'nothing' && plan.jobs.length === 0;
  if (driver === null || stored.is_open || isEqual) return;
  throw new HoldfastError('RUN_ACTIVE', { id: workflow.id, pid: driver.pid });
}

/** A live process that drives the run, or runs jobs of it. */
function* findDriver(workflow: WorkflowRow, now: number): Script<{ pid: number } | null> {
  for (const worker of yield* listWorkersOf(workflow.id, workflow.run_id)) {
    if (isAlive(worker, now)) return worker;
  }
  return null;
}

function refuseStrangers(
  { jobs }: StoredWorkflow,
  stale: ReadonlyMap<number, unknown>,
  workflow: number,
): void {
  if (stale.size === 0) return;
  const known = new Set(jobs.map(({ id }) => id));
  for (const job of stale.keys()) {
    if (!known.has(job)) throw new HoldfastError('JOB_NOT_FOUND', { job, workflow });
  }
}

function onDagman(): HoldfastError {
  return new HoldfastError('UPDATE_REFUSED', {
    problem: 'DAGMan runs it, from files that were written when it was submitted',
    way_out: 'run the edited spec as a new workflow',
  });
}
