import type { WorkerIdentity } from '../../contract/records/exchange.ts';
import { COMING_MS } from '../../core/allocation/decide-allocations.ts';
import { lockWorkflow } from '../../store/lock-rows.ts';
import { findTagged, moveAllocation } from '../../store/rows/allocations/allocation-rows.ts';
import { getScheduler, noteSeen } from '../../store/rows/allocations/scheduler-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { setAllocation } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';

/**
 * The worker has come from an allocation, which therefore runs, whatever the cluster has said of it. One whose tag is
 * not known here is a worker like any other.
 */
export function* linkAllocation(workerId: number, identity: WorkerIdentity, now: number): Script<void> {
  const { allocation: own } = identity;
  if (own === undefined) return;
  const known = yield* findTagged(own.tag);
  if (known === undefined) return;
  yield* lockWorkflow(known.workflow_id);
  const row = (yield* findTagged(own.tag))!;
  yield* setAllocation(workerId, row.id, own.node, own.restarts);
  yield* noteSeen(yield* getScheduler(row.scheduler_id), {
    cpus: identity.cpus,
    memory_bytes: identity.memory_bytes,
    gpus: identity.gpus,
    labels: identity.labels,
    site: identity.site,
    // One that came late says nothing about how much time there is in an allocation.
    time_left_ms: now - (row.started_at ?? now) > COMING_MS ? null : (identity.time_left_ms ?? null),
  });
  const isNewLife = own.restarts > row.restarts;
  const changes = {
    cluster_id: row.cluster_id ?? own.id,
    restarts: Math.max(row.restarts, own.restarts),
    workers_came: isNewLife ? 1 : row.workers_came + 1,
    ever_came: 1,
  };
  // An allocation that ended for the cluster stays ended; its worker may continue as long as it talks.
  if (row.state === 'ended') yield* moveAllocation(row, 'ended', changes);
  else {
    // Its submission was given up, and took effect all the same.
    if (row.state === 'planned') yield* moveAllocation(row, 'submitting', { submitting_at: now });
    const state = row.state === 'planned' ? 'submitting' : row.state;
    yield* moveAllocation({ id: row.id, state }, 'running', {
      ...changes,
      submitted_at: row.submitted_at ?? now,
      started_at: isNewLife ? now : (row.started_at ?? now),
      missing_since: null,
      why: null,
    });
  }
  yield* appendEvent({
    workflow_id: row.workflow_id,
    run_id: row.run_id,
    at: now,
    type: 'allocation_worker',
    reason: `worker ${workerId} came from allocation ${changes.cluster_id} of scheduler ${row.scheduler}`,
    data: {
      allocation: row.id,
      scheduler: row.scheduler,
      worker_id: workerId,
      node: own.node,
      restarts: own.restarts,
    },
  });
}
