import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WorkflowPart } from '../../core/model/workflow-parts.ts';
import {
  type OpenItem,
  type PlannedUnit,
  planInventory,
  planRange,
  roundUnits,
} from '../../core/request/plan-units.ts';
import type { RequestModel } from '../../core/request/request-model.ts';
import { hasProcessEnded } from '../../host/process-name.ts';
import { type RoundUnit, roundSteps } from '../../spec/request/round-workflow.ts';
import { listOpenItems } from '../../store/rows/requests/inventory-rows.ts';
import { measureRounds } from '../../store/rows/requests/measure-rows.ts';
import {
  decodeModel,
  dropPlanning,
  findPlanner,
  getRequestRow,
  isPlanning,
  keepPlanning,
  lockRequest,
  moveRequest,
  type RequestRow,
  takePlanning,
} from '../../store/rows/requests/request-rows.ts';
import { insertRound, moveRound, newestRound, type RoundRow } from '../../store/rows/requests/round-rows.ts';
import { endPause } from '../../store/rows/workflows/pause-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { notifyRequest } from '../notify/order-notifications.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { recordRequest } from '../records/record-request.ts';
import { openSites } from '../rounds/ban-sites.ts';
import { completeRequest } from '../rounds/complete-request.ts';
import { overridesOf, settingsOf } from '../rounds/request-settings.ts';
import { hasWorkLeft } from '../rounds/work-left.ts';
import { inTurns } from '../submit/in-turns.ts';
import { storeWorkflow } from '../submit/store-workflow.ts';
import { prepareWorkflow, workflowParts } from '../submit/workflow-parts.ts';
import { unitParts } from './unit-parts.ts';

/** Another process may plan the round if this one is silent for so long. */
const PLANNING_MS = 15_000;
const ITEMS_AT_ONCE = 2_000;

/** Another process has planned the round meanwhile, or the request was failed. What was stored of it is removed. */
class PlanningLost extends Error {}

/**
 * Plans the next round of a request in PLANNING, in many short transactions, and makes the request ACTIVE in the last of
 * them. A stopped round is resumed instead. A request that cannot be planned is held. Returns false where another
 * process plans it, or there is nothing to plan.
 */
export async function planRound(store: Store, requestId: number, tender: string): Promise<boolean> {
  // One process may come back for a request that it still plans: what it began before has no claim to the next round.
  const planner = `${tender} ${randomUUID()}`;
  const begun = await store.write((now) => beginPlanning(requestId, planner, now));
  if (begun === null) return false;
  if (begun === 'decided') return true;
  try {
    await storeRound(store, begun, planner);
    return true;
  } catch (error) {
    if (error instanceof PlanningLost) return false;
    if (isPassing(error)) {
      await store.write(() => dropPlanning(requestId, planner)).catch(() => {});
      throw error;
    }
    await store.write((now) => holdUnplanned(requestId, planner, (error as Error).message, now));
    return true;
  }
}

/** A full disk or a lost database says nothing about the request. */
function isPassing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.name === 'HoldfastError';
}

interface Begun {
  request: RequestRow;
  model: RequestModel;
  round: number;
  rounds: number;
}

/** null: not ours to plan. `decided`: there was nothing to plan, and the request has moved on. */
function* beginPlanning(id: number, planner: string, now: number): Script<Begun | 'decided' | null> {
  const before = yield* newestRound(id);
  const workflow = before === undefined ? null : yield* takeWorkflow(before.workflow_id);
  yield* lockRequest(id);
  const newest = yield* newestRound(id);
  // While the locks were awaited, another process planned a round: the next look finds the request as it is.
  if (newest?.workflow_id !== before?.workflow_id) return null;
  const request = yield* getRequestRow(id);
  if (!(yield* mayPlan(request, now))) return null;
  if (!(yield* takePlanning(id, planner, now + PLANNING_MS))) return null;
  const model = decodeModel(request.model);
  if (newest?.state === 'STOPPED') {
    yield* resumeRound(request, newest, workflow!, now);
    return 'decided';
  }
  if (!(yield* hasWorkLeft(id, model, BigInt(request.delivered)))) {
    yield* completeRequest(request, model, now);
    return 'decided';
  }
  if (model.sites !== null && (yield* openSites(id, model.sites, now)).length === 0) {
    const text = `every site of the request is banned: ${model.sites.join(', ')}`;
    yield* holdRequest(request, 'no_sites', text, now);
    return 'decided';
  }
  const rounds = newest?.number ?? 0;
  return { request, model, round: rounds + 1, rounds };
}

/**
 * Nobody else plans the round, or who did is dead. A server waits for the time of another one to pass: that may be in
 * another container with the same host name, where its process is not seen from here.
 */
function* mayPlan({ id, shared }: RequestRow, now: number): Script<boolean> {
  const current = yield* findPlanner(id);
  if (current === null || current.until <= now) return true;
  return shared === 0 && hasProcessEnded(current.planner);
}

/** The next run of a stopped round was begun when it was stopped; from now on its jobs are claimed. */
function* resumeRound(
  request: RequestRow,
  round: RoundRow,
  workflow: WorkflowRow,
  now: number,
): Script<void> {
  yield* endPause(workflow);
  yield* moveRound(round, 'SUBMITTED');
  yield* moveRequest(request, 'ACTIVE', now);
  yield* recordRequest(
    request,
    'round_resumed',
    { round: round.number, workflow_id: round.workflow_id },
    now,
  );
}

async function storeRound(store: Store, begun: Begun, planner: string): Promise<void> {
  const { request, model, round } = begun;
  const { units, cursor } = await planUnits(store, begun);
  const { memory_bytes, retries } = overridesOf(request);
  const planned = await inTurns(
    roundSteps({
      model,
      settings: settingsOf(request),
      overrides: {
        ...(memory_bytes !== undefined && { memory_bytes }),
        ...(retries !== undefined && { retries }),
      },
      version: request.version,
      round,
      firstUnit: request.next_unit,
      units,
      cwd: request.cwd,
      output_dir: request.output_dir,
    }),
  );
  const workflow = prepareWorkflow({
    model: planned.model,
    cwd: request.cwd,
    output_dir: request.output_dir,
    actor: request.actor,
    shared: request.shared === 1,
  });
  const unitRows = planned.units.reduce((sum, { item_ids }) => sum + 1 + item_ids.length, 0);
  const rows = workflow.head.rows + unitRows;
  const { access_groups } = request;
  const head = { ...workflow.head, rows, request_id: request.id, sites: model.sites, access_groups };
  const next = { cursor, next_unit: request.next_unit + units.length };
  await storeWorkflow(
    store,
    { ...workflow, head, owner: request.owned_by, executor: model.executor },
    inTime(allParts(planned.model, planned.units), () =>
      store.write((now) => keepPlanning(request.id, planner, now + PLANNING_MS)),
    ),
    (workflowId, now) => activate(begun, workflowId, planner, next, now),
  );
}

/** So many parts are stored between two renewals of the lease. */
const RENEW_AFTER = 2;

/** Ends with an error once the round is not to be planned here any more. */
async function* inTime(parts: Iterable<WorkflowPart>, renew: () => Promise<boolean>) {
  let count = 0;
  for (const part of parts) {
    yield part;
    count += 1;
    if (count % RENEW_AFTER === 0 && !(await renew())) throw new PlanningLost();
  }
}

function* allParts(model: Parameters<typeof workflowParts>[0], units: readonly RoundUnit[]) {
  yield* workflowParts(model);
  yield* unitParts(units);
}

/** In the transaction that shows the workflow. */
function* activate(
  { request, round }: Begun,
  workflowId: number,
  planner: string,
  next: { cursor: string | null; next_unit: number },
  now: number,
): Script<void> {
  yield* lockRequest(request.id);
  if (!(yield* isPlanning(request.id, planner))) throw new PlanningLost();
  yield* insertRound(request.id, round, workflowId);
  yield* moveRequest(request, 'ACTIVE', now, { next_number: next.cursor, next_unit: next.next_unit });
  const units = next.next_unit - request.next_unit;
  yield* recordRequest(request, 'round_planned', { round, workflow_id: workflowId, units }, now);
}

interface PlannedUnits {
  units: PlannedUnit[];
  cursor: string | null;
}

async function planUnits(store: Store, { request, model, rounds }: Begun): Promise<PlannedUnits> {
  const unit_ms = await store.read(() => measureRounds(request.id));
  const { work, jobs_per_unit, merge, cleanup } = model;
  const unitJobs = jobs_per_unit + (merge === null ? 0 : 1) + (cleanup === null ? 0 : 1);
  const most = roundUnits(model.round, { rounds, unit_ms }, unitJobs);
  if (work.kind === 'range') {
    const ledger = { cursor: BigInt(request.next_number!), delivered: BigInt(request.delivered) };
    const { units, cursor } = planRange(work, ledger, jobs_per_unit, most);
    return { units, cursor: String(cursor) };
  }
  const mostItems = most * jobs_per_unit * work.per_job;
  const fresh = await readItems(store, request.id, 'fresh', mostItems);
  const attempted = await readItems(store, request.id, 'attempted', mostItems - fresh.length);
  return { units: planInventory({ fresh, attempted }, work.per_job, jobs_per_unit, most), cursor: null };
}

async function readItems(
  store: Store,
  requestId: number,
  state: 'fresh' | 'attempted',
  most: number,
): Promise<OpenItem[]> {
  const items: OpenItem[] = [];
  while (items.length < most) {
    const wanted = Math.min(ITEMS_AT_ONCE, most - items.length);
    const after = items.at(-1)?.id ?? 0;
    const page = await store.read(() => listOpenItems(requestId, state, after, wanted));
    items.push(...page);
    if (page.length < wanted) break;
    await nextTurn();
  }
  return items;
}

function* holdUnplanned(id: number, planner: string, problem: string, now: number): Script<void> {
  yield* lockRequest(id);
  if (!(yield* isPlanning(id, planner))) return;
  yield* holdRequest(
    yield* getRequestRow(id),
    'planning',
    `the next round cannot be planned: ${problem}`,
    now,
  );
}

function* holdRequest(
  request: RequestRow,
  code: 'planning' | 'no_sites',
  text: string,
  now: number,
): Script<void> {
  const settings = settingsOf(request);
  const hold = {
    code,
    round: (yield* newestRound(request.id))?.number ?? null,
    failed_units: 0,
    total_units: 0,
    failure_ratio: 0,
    threshold: settings.error_hold_threshold,
    rescue_count: 0,
    max_rescue_attempts: settings.error_max_rescue_attempts,
    text,
  };
  yield* moveRequest(request, 'HELD', now, { hold: JSON.stringify(hold) });
  yield* recordRequest(request, 'request_held', hold, now);
  yield* notifyRequest(request, 'held', { state: 'HELD', reason: text }, now);
}
