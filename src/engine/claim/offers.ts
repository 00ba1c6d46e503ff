import type { Capacity } from '../../contract/records/exchange.ts';
import type { WorkerOffer } from '../../core/placement/eligibility.ts';
import { freeResources } from '../../core/placement/resources.ts';
import { SUSPECT_AFTER_MS } from '../../core/worker/worker-silence.ts';
import { listAvoided, listOffers } from '../../store/rows/workers/offer-rows.ts';
import type { ExchangingWorker, WorkerRow } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';

/** A worker that takes jobs. What it has free is reduced by what it is given. */
export interface Claimant {
  worker: ExchangingWorker;
  capacity: Capacity;
}

/** What the claimant has free; taking from the offer reduces its capacity. */
export function offerOfClaimant({ worker, capacity }: Claimant, now: number): WorkerOffer {
  return {
    worker_id: worker.id,
    site: worker.site,
    labels: JSON.parse(worker.labels) as string[],
    time_left_ms: capacity.time_left_ms ?? timeLeft(worker, now),
    free: capacity,
  };
}

/** All that a worker has. */
export function wholeOffer(
  row: Pick<WorkerRow, 'site' | 'labels' | 'ends_at'> & Parameters<typeof freeResources>[0],
  now: number,
  workerId: number | null = null,
): WorkerOffer {
  return {
    worker_id: workerId,
    site: row.site,
    labels: JSON.parse(row.labels) as string[],
    time_left_ms: timeLeft(row, now),
    free: freeResources(row),
  };
}

function timeLeft({ ends_at }: Pick<WorkerRow, 'ends_at'>, now: number): number | null {
  return ends_at === null ? null : ends_at - now;
}

/**
 * What others offer, for each claimant that some ready job avoids. A worker that drives a run has no others: jobs of the
 * run are for it alone.
 */
export function* loadOtherOffers(
  claimants: readonly Claimant[],
  now: number,
): Script<Map<number, WorkerOffer[]>> {
  const workers = claimants.flatMap(({ worker }) => (worker.kind === 'run' ? [] : worker));
  const others = new Map<number, WorkerOffer[]>();
  if (workers.length === 0) return others;
  const avoided = yield* listAvoided(workers, now);
  const concerned = workers.filter(({ id, site }) => avoided.workers.has(id) || avoided.sites.has(site));
  if (concerned.length === 0) return others;
  const rows = yield* listOffers(now - SUSPECT_AFTER_MS);
  for (const { id } of concerned) {
    const rest = rows.filter(({ first_id, last_id }) => first_id !== id || last_id !== id);
    others.set(
      id,
      rest.map((row) => wholeOffer(row, now)),
    );
  }
  return others;
}
