import type { Cluster } from '../../contract/cluster.ts';
import { HoldfastError } from '../../core/errors.ts';
import {
  type AllocationRow,
  countWorkersOf,
  findAllocation,
  listAlive,
  moveAllocation,
} from '../../store/rows/allocations/allocation-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { dropPlanned } from './carry-out.ts';

/** An allocation that is still there after so long is canceled once more. */
const AGAIN_AFTER_MS = 60_000;

/**
 * Asks the cluster to cancel what is to be canceled: at once what waits, and what runs when its workers have left or had
 * their time. It ends for us when the cluster does not list it any more. Returns whether anything changed.
 */
export async function cancelAtCluster(
  store: Store,
  cluster: Cluster,
  workflowIds: readonly number[],
): Promise<boolean> {
  let changed = false;
  const due: AllocationRow[] = [];
  for (const id of workflowIds) {
    const found = await store.read((now) => listToCancel(id, now));
    if (found.planned.length > 0) {
      await store.write((now) => dropAll(id, found.planned, now));
      changed = true;
    }
    due.push(...found.submitted);
  }
  if (due.length === 0) return changed;
  try {
    await cluster.cancel(due.map(({ cluster_id }) => cluster_id!));
  } catch (error) {
    // It may not be ours to cancel: it is tried again with the next ones.
    if (!(error instanceof HoldfastError) || error.code !== 'CLUSTER_REFUSED') throw error;
  }
  for (const row of due) await store.write((now) => noteCancel(row, now));
  return true;
}

function* listToCancel(
  workflowId: number,
  now: number,
): Script<{ planned: AllocationRow[]; submitted: AllocationRow[] }> {
  const wanted = (yield* listAlive(workflowId)).filter(({ cancel_at }) => cancel_at !== null);
  if (wanted.length === 0) return { planned: [], submitted: [] };
  const workers = yield* countWorkersOf(workflowId);
  const isDue = (row: AllocationRow) => {
    if (row.cluster_id === null || row.state === 'submitting') return false;
    if (row.cancel_sent_at !== null && now - row.cancel_sent_at < AGAIN_AFTER_MS) return false;
    return row.state === 'queued' || row.cancel_at! <= now || !workers.has(row.id);
  };
  return {
    planned: wanted.filter(({ state }) => state === 'planned'),
    submitted: wanted.filter((row) => row.state !== 'planned' && isDue(row)),
  };
}

function* dropAll(workflowId: number, rows: readonly AllocationRow[], now: number): Script<void> {
  yield* takeWorkflow(workflowId);
  for (const { id } of rows) {
    const row = (yield* findAllocation(id))!;
    if (row.state === 'planned') yield* dropPlanned(row, now);
  }
}

function* noteCancel({ id, workflow_id }: AllocationRow, now: number): Script<void> {
  yield* takeWorkflow(workflow_id);
  const row = (yield* findAllocation(id))!;
  if (row.state !== 'ended') yield* moveAllocation(row, row.state, { cancel_sent_at: now });
}
