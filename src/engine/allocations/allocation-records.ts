import type { AllocationRecord, SchedulerRecord } from '../../contract/records/allocation.ts';
import type { AllocationRow } from '../../store/rows/allocations/allocation-rows.ts';
import {
  decodeScheduler,
  decodeSeen,
  type SchedulerRow,
} from '../../store/rows/allocations/scheduler-rows.ts';

export function schedulerRecord(row: SchedulerRow): SchedulerRecord {
  return {
    workflow_id: row.workflow_id,
    name: row.name,
    model: decodeScheduler(row),
    paused: row.paused_at === null ? null : { at_ms: row.paused_at, reason: row.pause_reason! },
    refusals: row.refusals,
    refusal: row.refusal,
    next_try_at_ms: row.next_try_at,
    misses: row.misses,
    seen: decodeSeen(row),
    allocations: { queued: row.alive - row.running, running: row.running },
  };
}

export function allocationRecord(row: AllocationRow): AllocationRecord {
  return {
    id: row.id,
    workflow_id: row.workflow_id,
    run_id: row.run_id,
    scheduler: row.scheduler,
    tag: row.tag,
    state: row.state,
    cluster_id: row.cluster_id,
    word: row.word,
    why: row.why,
    never: row.never === 1,
    starts_at_ms: row.starts_at,
    ends_at_ms: row.ends_at,
    restarts: row.restarts,
    workers: row.workers_came,
    ordered_at_ms: row.ordered_at,
    submitted_at_ms: row.submitted_at,
    started_at_ms: row.started_at,
    ended_at_ms: row.ended_at,
    end: row.ending as AllocationRecord['end'],
    cancel_reason: row.cancel_reason,
    actor: row.actor,
  };
}
