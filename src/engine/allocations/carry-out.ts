import { type AllocationDecision, decideAllocations } from '../../core/allocation/decide-allocations.ts';
import {
  type AllocationRow,
  findAllocation,
  moveAllocation,
  orderCancel,
} from '../../store/rows/allocations/allocation-rows.ts';
import { findScheduler } from '../../store/rows/allocations/scheduler-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { needWorkflow, takeWorkflow } from '../records/needed-rows.ts';
import { orderAllocation } from './order-allocation.ts';
import { readSituation } from './read-situation.ts';
import { recordAllocation } from './record-allocation.ts';

/** A worker in an allocation that is to be canceled has so long to leave. */
const LEAVING_MS = 30_000;

/** Decides about the allocations of a workflow, and writes that down. Returns whether there was anything to write. */
export async function decideWorkflow(store: Store, workflowId: number): Promise<boolean> {
  const foreseen = await store.read((now) => decide(() => needWorkflow(workflowId), now));
  // Most looks change nothing, and need no writer.
  if (isEmpty(foreseen.decision)) return false;
  return store.write(function* (now) {
    const { workflow, decision } = yield* decide(() => takeWorkflow(workflowId), now);
    yield* writeDown(workflow, decision, now);
    return !isEmpty(decision);
  });
}

function* decide(
  find: () => Script<WorkflowRow>,
  now: number,
): Script<{ workflow: WorkflowRow; decision: AllocationDecision }> {
  const workflow = yield* find();
  return { workflow, decision: decideAllocations(yield* readSituation(workflow, now)) };
}

function isEmpty({ order, cancel }: AllocationDecision): boolean {
  return order.length + cancel.length === 0;
}

function* writeDown(workflow: WorkflowRow, { order, cancel }: AllocationDecision, now: number): Script<void> {
  for (const { id, reason, unneeded } of cancel) {
    const row = (yield* findAllocation(id))!;
    yield* recordAllocation(row, { type: 'allocation_canceled', reason }, workflow.run_id, now);
    const at = row.state === 'running' ? now + LEAVING_MS : now;
    yield* orderCancel(id, { at, reason, unneeded });
    if (row.state === 'planned') yield* dropPlanned(row, now);
  }
  for (const { actionId, scheduler, oneWorkerPerNode, maxParallel, why } of order) {
    const facts = {
      one_worker_per_node: oneWorkerPerNode,
      max_parallel: maxParallel,
      action_id: actionId,
      actor: null,
      why,
    };
    yield* orderAllocation(workflow, (yield* findScheduler(workflow.id, scheduler))!, facts, now);
  }
}

/** The cluster was never asked for it. */
export function* dropPlanned(row: AllocationRow, now: number): Script<void> {
  yield* moveAllocation(row, 'ended', { ended_at: now, ending: 'unsubmitted' });
}
