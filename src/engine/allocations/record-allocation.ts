import type { EventType } from '../../contract/records/records.ts';
import type { AllocationRow } from '../../store/rows/allocations/allocation-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import type { Script } from '../../store/script.ts';

/** Every step of an allocation is an event of its workflow. */
export function* recordAllocation(
  row: Pick<AllocationRow, 'id' | 'workflow_id' | 'scheduler' | 'tag' | 'cluster_id'>,
  event: { type: EventType; reason: string | null; actor?: string; data?: Record<string, unknown> },
  runId: number,
  now: number,
): Script<void> {
  const { type, reason, actor, data = {} } = event;
  yield* appendEvent({
    workflow_id: row.workflow_id,
    run_id: runId,
    at: now,
    type,
    reason,
    ...(actor !== undefined && { actor }),
    data: { allocation: row.id, scheduler: row.scheduler, tag: row.tag, cluster_id: row.cluster_id, ...data },
  });
}

/** As people know it: by the cluster's name for it, if it has one. */
export function nameOfAllocation({
  cluster_id,
  tag,
  scheduler,
}: Pick<AllocationRow, 'cluster_id' | 'tag' | 'scheduler'>): string {
  return `allocation ${cluster_id ?? tag} of scheduler ${scheduler}`;
}
