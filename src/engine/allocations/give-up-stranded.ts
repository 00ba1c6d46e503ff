import { listStranded, type StrandedWorker } from '../../store/rows/allocations/allocation-rows.ts';
import type { Store } from '../../store/store.ts';
import { giveUpStranded } from '../workers/sweep-workers.ts';
import { nameOfAllocation } from './record-allocation.ts';

/**
 * A worker exchanges every 10 s at least, which renews its lease if 2 s have passed since the last time. One that has
 * been silent for longer than that, and whose allocation is gone, is dead.
 */
const SILENT_MS = 15_000;

/**
 * Gives up workers whose allocation is gone, long before their lease ends. Never one that still talks: a node that the
 * cluster has lost may run on. Returns how many were given up, and how many talk.
 */
export async function giveUpStrandedWorkers(
  store: Store,
  only: number | null,
): Promise<{ lost: number; left: number }> {
  const stranded = await store.read((now) => listStranded(only, now - SILENT_MS));
  let lost = 0;
  for (const worker of stranded) {
    if (worker.is_silent === 0) continue;
    const given = await store.write((now) =>
      giveUpStranded(worker.worker_id, now - SILENT_MS, whyGone(worker), now),
    );
    if (given) lost += 1;
  }
  return { lost, left: stranded.length - lost };
}

function whyGone(worker: StrandedWorker): string {
  return `its ${nameOfAllocation(worker)} ${worker.ending === null ? 'was requeued' : `ended: ${worker.ending}`}`;
}
