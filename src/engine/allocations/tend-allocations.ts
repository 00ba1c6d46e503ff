import type { Allocator } from '../../contract/allocator.ts';
import { ABSENT_MS } from '../../core/allocation/back-off.ts';
import { HoldfastError } from '../../core/errors.ts';
import { listAlive } from '../../store/rows/allocations/allocation-rows.ts';
import {
  type AllocatorRow,
  findAllocator,
  listAllocating,
  lookBy,
  noteLook,
  takeAllocatorLease,
} from '../../store/rows/allocations/allocator-rows.ts';
import { listSchedulers } from '../../store/rows/allocations/scheduler-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { SUBMITTING_MS } from './apply-view.ts';
import { cancelAtCluster } from './cancel-at-cluster.ts';
import { decideWorkflow } from './carry-out.ts';
import { giveUpStrandedWorkers } from './give-up-stranded.ts';
import { lookAtCluster } from './look-at-cluster.ts';
import { submitPlanned } from './submit-planned.ts';

/** Whoever has not come back by then is dead, and another process drives the allocations. */
const LEASE_MS = 30_000;
/** How often the cluster is asked about all allocations. */
const LOOK_MS = 10_000;
/** After something was submitted or canceled. */
const SOON_MS = 2_000;
const IDLE_MS = 60_000;
const SHORTEST_WAIT_MS = 500;

export interface Tended {
  /** When the next pass has to follow at the latest. */
  wait_ms: number;
  changed: boolean;
}

/**
 * One pass. Looks at the cluster first, so that decisions are made by what is true there; then decides, submits and
 * cancels. Nothing here is kept in memory: a pass that dies at any point is continued by the next one, of any process.
 */
export async function tendAllocations(store: Store, allocator: Allocator): Promise<Tended> {
  const scope = allocator.workflowId ?? 0;
  const workflows = await store.read(() => listAllocating(allocator.workflowId));
  const { lost, left } = await giveUpStrandedWorkers(store, allocator.workflowId);
  if (workflows.length === 0) return { wait_ms: left > 0 ? LOOK_MS : IDLE_MS, changed: lost > 0 };
  const { lease, at } = await takeLease(store, allocator.server, scope);
  if (lease.server !== allocator.server) {
    return { wait_ms: Math.max(lease.lease_expires_at - at, SHORTEST_WAIT_MS), changed: lost > 0 };
  }
  let changed = lost > 0;
  const note = (isChanged: boolean) => {
    changed = isChanged || changed;
  };
  const isAbsent = lease.absent_since !== null && lease.next_look_at > at;
  try {
    if (lease.next_look_at <= at) {
      note(await lookAtCluster(store, allocator, workflows));
      await store.write((now) => noteLook(scope, now + LOOK_MS, null, now));
    }
    for (const id of workflows) note(await decideWorkflow(store, id));
    if (!isAbsent) {
      let asked = false;
      const keepLease = async () => {
        await takeLease(store, allocator.server, scope);
      };
      for (const id of workflows) asked = (await submitPlanned(store, allocator, id, keepLease)) || asked;
      asked = (await cancelAtCluster(store, allocator.cluster, workflows)) || asked;
      note(asked);
      if (asked) await store.write((now) => lookBy(scope, now + SOON_MS));
    }
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'CLUSTER_ABSENT') throw error;
    // Nothing is concluded: neither that anything ended, nor that it was submitted.
    await store.write((now) => noteLook(scope, now + ABSENT_MS, error.message, now));
    if (lease.absent_since === null) await recordAbsence(store, workflows, error.message);
    changed = true;
  }
  const wait = await store.read((now) => nextMoment(scope, workflows, now));
  return { wait_ms: Math.max(Math.min(wait, left > 0 ? LOOK_MS : IDLE_MS), SHORTEST_WAIT_MS), changed };
}

/** Every workflow that waits for allocations gets one event. */
async function recordAbsence(store: Store, workflows: readonly number[], reason: string): Promise<void> {
  for (const id of workflows) {
    await store.write(function* (now) {
      const { run_id } = yield* takeWorkflow(id);
      if ((yield* listAlive(id)).length === 0) return;
      yield* appendEvent({ workflow_id: id, run_id, at: now, type: 'cluster_absent', reason, data: {} });
    });
  }
}

/** The lease is renewed when half of it is over, so that most passes do not write. */
async function takeLease(
  store: Store,
  server: string,
  scope: number,
): Promise<{ lease: AllocatorRow; at: number }> {
  const known = await store.read(function* (now) {
    return { lease: yield* findAllocator(scope), at: now };
  });
  const { lease, at } = known;
  if (lease !== undefined && lease.lease_expires_at > at) {
    const isFresh = lease.lease_expires_at - at > LEASE_MS / 2;
    if (lease.server !== server || isFresh) return { lease, at };
  }
  return store.write(function* (now) {
    return { lease: yield* takeAllocatorLease(scope, server, LEASE_MS, now), at: now };
  });
}

/** In how many ms something is due by time alone. */
function* nextMoment(scope: number, workflows: readonly number[], now: number): Script<number> {
  const lookAt = (yield* findAllocator(scope))?.next_look_at ?? now;
  const moments = [now + IDLE_MS];
  for (const id of workflows) {
    const tries = new Map((yield* listSchedulers(id)).map((row) => [row.id, row]));
    for (const row of yield* listAlive(id)) {
      if (row.state !== 'planned') moments.push(lookAt);
      else {
        const { paused_at, next_try_at } = tries.get(row.scheduler_id)!;
        if (paused_at === null && next_try_at !== null) moments.push(Math.max(next_try_at, now));
      }
      if (row.state === 'submitting') moments.push(Math.max(lookAt, row.submitting_at! + SUBMITTING_MS));
      if (row.cancel_at !== null && row.cancel_at > now) moments.push(row.cancel_at);
    }
  }
  return Math.min(...moments) - now;
}
