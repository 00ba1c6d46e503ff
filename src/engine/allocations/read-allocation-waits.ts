import { explainAllocations } from '../../core/allocation/explain-allocations.ts';
import type { Requirement } from '../../core/model/workflow-model.ts';
import type { Shortage } from '../../core/placement/shortage.ts';
import { listAlive } from '../../store/rows/allocations/allocation-rows.ts';
import { findAllocator } from '../../store/rows/allocations/allocator-rows.ts';
import { listSchedulers } from '../../store/rows/allocations/scheduler-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { aliveAllocation, readSituation, schedulerFacts } from './read-situation.ts';

/** Why no allocation brings a worker for the ready job now. */
export function* readAllocationWaits(
  workflow: WorkflowRow,
  job: { requirement: Requirement; scheduler: string | null },
  now: number,
): Script<Shortage[]> {
  const allocator = (yield* findAllocator(workflow.id)) ?? (yield* findAllocator(0));
  const { absent_since: since = null, problem = null } = allocator ?? {};
  return explainAllocations(job, {
    ...(yield* readSituation(workflow, now)),
    schedulers: (yield* listSchedulers(workflow.id)).map((row) => ({
      ...schedulerFacts(row),
      pauseReason: row.pause_reason,
      refusal: row.refusal,
    })),
    allocations: (yield* listAlive(workflow.id)).map((row) => ({
      ...aliveAllocation(row),
      clusterId: row.cluster_id,
      word: row.word,
      why: row.why,
      never: row.never === 1,
      startsAt: row.starts_at,
    })),
    absent: since === null ? null : { problem: problem!, since },
  });
}

/** Whether some process drives the allocations of a workflow that no server has. */
export function* isAllocated({ id, executor }: WorkflowRow, now: number): Script<boolean> {
  if (executor !== 'slurm') return false;
  return ((yield* findAllocator(id))?.lease_expires_at ?? 0) > now;
}
