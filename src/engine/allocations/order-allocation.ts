import { findAllocation, insertAllocation } from '../../store/rows/allocations/allocation-rows.ts';
import type { SchedulerRow } from '../../store/rows/allocations/scheduler-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { newTag } from './new-tag.ts';
import { recordAllocation } from './record-allocation.ts';

export interface OrderFacts {
  one_worker_per_node: boolean;
  max_parallel: number | null;
  action_id: number | null;
  actor: string | null;
  why: string;
}

/** Writes down an allocation that is to be submitted. The workflow is locked. Returns its id. */
export function* orderAllocation(
  { id: workflow_id, run_id }: Pick<WorkflowRow, 'id' | 'run_id'>,
  scheduler: Pick<SchedulerRow, 'id'>,
  { why, ...facts }: OrderFacts,
  now: number,
): Script<number> {
  const order = { workflow_id, run_id, scheduler_id: scheduler.id, tag: newTag(), ...facts };
  const id = yield* insertAllocation(order, now);
  const { actor } = facts;
  yield* recordAllocation(
    (yield* findAllocation(id))!,
    { type: 'allocation_ordered', reason: why, ...(actor !== null && { actor }) },
    run_id,
    now,
  );
  return id;
}
