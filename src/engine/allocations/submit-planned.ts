import type { AllocationOrder, Allocator } from '../../contract/allocator.ts';
import { banOf } from '../../core/allocation/allocation-offer.ts';
import { backOffMs } from '../../core/allocation/back-off.ts';
import { type ErrorCode, HoldfastError } from '../../core/errors.ts';
import {
  type AllocationRow,
  findAllocation,
  listAlive,
  moveAllocation,
} from '../../store/rows/allocations/allocation-rows.ts';
import {
  clearRefusals,
  decodeScheduler,
  getScheduler,
  noteRefusal,
  type SchedulerRow,
} from '../../store/rows/allocations/scheduler-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { loadPlaces } from '../claim/places.ts';
import { needWorkflow, takeWorkflow } from '../records/needed-rows.ts';
import { schedulerFacts } from './read-situation.ts';
import { recordAllocation } from './record-allocation.ts';

/** Nothing was submitted: the cluster does not want it, or its files cannot be written. */
const REFUSALS = new Set<ErrorCode>(['CLUSTER_REFUSED', 'STATE_UNUSABLE']);
/** Of a chain one runs, and the next one waits for its end. */
const CHAIN_LENGTH = 2;

/**
 * Submits what is planned, one after the other. That one is about to be submitted is written down before the cluster is
 * asked, and its result afterwards: whatever dies in between, its tag shows what happened. An absent cluster ends
 * this with its error. Returns whether anything changed.
 */
export async function submitPlanned(
  store: Store,
  allocator: Allocator,
  workflowId: number,
  keepLease: () => Promise<void>,
): Promise<boolean> {
  const refused = new Set<number>();
  let changed = false;
  for (;;) {
    const next = await store.read(function* (now) {
      return yield* nextToSubmit(yield* needWorkflow(workflowId), refused, now);
    });
    if (next === undefined) return changed;
    await keepLease();
    changed = true;
    if (!(await submitOne(store, allocator, next))) refused.add(next.row.scheduler_id);
  }
}

interface Next {
  row: AllocationRow;
  order: AllocationOrder;
  /** The allocation that has to end before it. */
  afterId: number | null;
}

function* nextToSubmit(
  workflow: WorkflowRow,
  refused: ReadonlySet<number>,
  now: number,
): Script<Next | undefined> {
  // A workflow that is held asks for nothing; one that is over has canceled what it asked for.
  if (workflow.paused_at !== null) return undefined;
  const alive = yield* listAlive(workflow.id);
  const places = yield* loadPlaces(workflow, now);
  for (const row of alive) {
    if (row.state !== 'planned' || row.cancel_at !== null || refused.has(row.scheduler_id)) continue;
    const scheduler = yield* getScheduler(row.scheduler_id);
    if (isHeld(scheduler, now) || banOf(schedulerFacts(scheduler), places, now) !== null) continue;
    const model = decodeScheduler(scheduler);
    const before = model.serialize ? chainBefore(row, alive) : null;
    if (before === 'wait') continue;
    const order = {
      tag: row.tag,
      workflow_id: workflow.id,
      scheduler: model,
      one_worker_per_node: row.one_worker_per_node === 1,
      max_parallel: row.max_parallel,
      after: before?.cluster_id ?? null,
    };
    return { row, order, afterId: before?.id ?? null };
  }
  return undefined;
}

function isHeld({ paused_at, next_try_at }: SchedulerRow, now: number): boolean {
  return paused_at !== null || (next_try_at !== null && next_try_at > now);
}

/** The newest of its chain; null if there is none. */
function chainBefore(row: AllocationRow, alive: readonly AllocationRow[]): AllocationRow | 'wait' | null {
  const chain = alive.filter(
    ({ scheduler_id, state }) => scheduler_id === row.scheduler_id && state !== 'planned',
  );
  const last = chain.at(-1);
  if (last === undefined) return null;
  return chain.length >= CHAIN_LENGTH || last.cluster_id === null ? 'wait' : last;
}

/** False if it was refused. */
async function submitOne(
  store: Store,
  allocator: Allocator,
  { row, order, afterId }: Next,
): Promise<boolean> {
  const begunAt = await store.write((now) => beginSubmission(row, afterId, now));
  if (begunAt === null) return true;
  let clusterId: string;
  try {
    clusterId = await allocator.cluster.submit(await allocator.plan(order));
  } catch (error) {
    if (!(error instanceof HoldfastError) || !REFUSALS.has(error.code)) throw error;
    await store.write((now) => recordRefusal(row, begunAt, error.message, now));
    return false;
  }
  await store.write((now) => recordSubmission(row, begunAt, clusterId, now));
  return true;
}

/** Returns the time that marks this submission; null if the allocation is not to be submitted any more. */
function* beginSubmission(
  { id, workflow_id }: AllocationRow,
  afterId: number | null,
  now: number,
): Script<number | null> {
  const { paused_at } = yield* takeWorkflow(workflow_id);
  const row = (yield* findAllocation(id))!;
  if (row.state !== 'planned' || row.cancel_at !== null || paused_at !== null) return null;
  yield* moveAllocation(row, 'submitting', { submitting_at: now, after_id: afterId });
  return now;
}

function* recordSubmission(
  { id, workflow_id }: AllocationRow,
  begunAt: number,
  clusterId: string,
  now: number,
): Script<void> {
  yield* takeWorkflow(workflow_id);
  const row = (yield* findAllocation(id))!;
  yield* clearRefusals(row.scheduler_id);
  const facts = { cluster_id: clusterId, submitted_at: now };
  // Its worker may have been faster than the answer, or another process may have given the submission up.
  if (row.state === 'planned') yield* moveAllocation(row, 'submitting', { submitting_at: begunAt });
  if (row.state === 'planned' || (row.state === 'submitting' && row.submitting_at === begunAt)) {
    yield* moveAllocation({ id, state: 'submitting' }, 'queued', facts);
  }
  const submitted = { ...row, cluster_id: clusterId };
  yield* recordAllocation(submitted, { type: 'allocation_submitted', reason: null }, row.run_id, now);
}

function* recordRefusal(
  { id, workflow_id }: AllocationRow,
  begunAt: number,
  message: string,
  now: number,
): Script<void> {
  yield* takeWorkflow(workflow_id);
  const row = (yield* findAllocation(id))!;
  if (row.state !== 'submitting' || row.submitting_at !== begunAt) return;
  yield* moveAllocation(row, 'planned');
  const { refusals } = yield* getScheduler(row.scheduler_id);
  const wait = backOffMs(refusals + 1);
  yield* noteRefusal(row.scheduler_id, refusals + 1, message, now + wait);
  const data = { next_try_at_ms: now + wait };
  yield* recordAllocation(row, { type: 'allocation_refused', reason: message, data }, row.run_id, now);
}
