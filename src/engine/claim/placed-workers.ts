import type { PlacedWorker } from '../../core/placement/explain-wait.ts';
import { takeResources } from '../../core/placement/resources.ts';
import { SUSPECT_AFTER_MS } from '../../core/worker/worker-silence.ts';
import { listHoldings } from '../../store/rows/workers/holding-rows.ts';
import { listAllocated, listTakers, type TakerRow } from '../../store/rows/workers/offer-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { wholeOffer } from './offers.ts';

/** Workers of a server that take jobs of the workflow; of one that is not shared, those in its allocations. */
export function* takersOf(workflow: Pick<WorkflowRow, 'id' | 'shared'>, now: number): Script<TakerRow[]> {
  const heardSince = now - SUSPECT_AFTER_MS;
  return workflow.shared === 1
    ? yield* listTakers(workflow.id, heardSince)
    : yield* listAllocated(workflow.id, heardSince);
}

/** The workers with all that they have, and with what is free of it. */
export function* placeWorkers(rows: readonly TakerRow[], now: number): Script<PlacedWorker[]> {
  const workers = rows.map((row): PlacedWorker => {
    const { id, host, site } = row;
    return { id, host, site, free: wholeOffer(row, now, id), whole: wholeOffer(row, now, id) };
  });
  const known = new Map(workers.map((worker) => [worker.id, worker]));
  for (const { worker_id, jobs, ...need } of yield* listHoldings([...known.keys()])) {
    takeResources(known.get(worker_id)!.free.free, need, jobs);
  }
  return workers;
}
