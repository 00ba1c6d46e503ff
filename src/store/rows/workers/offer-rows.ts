import { idLists } from '../../many-rows.ts';
import { all, placeholders, type Script } from '../../script.ts';
import { TAKES_JOBS_OF } from '../allocations/allocation-rows.ts';
import type { WorkerRow } from './worker-rows.ts';

/** All that a worker has, and where. */
type OfferRow = Pick<
  WorkerRow,
  'site' | 'labels' | 'cpus' | 'memory_bytes' | 'gpus' | 'nodes' | 'max_parallel' | 'ends_at'
>;

/** Which of the workers and sites some ready job avoids at this time. */
export function* listAvoided(
  workers: readonly Pick<WorkerRow, 'id' | 'site'>[],
  now: number,
): Script<{ workers: Set<number>; sites: Set<string> }> {
  const avoided = { workers: new Set<number>(), sites: new Set<string>() };
  const sites = [...new Set(workers.map(({ site }) => site))];
  for (const ids of idLists(workers.map(({ id }) => id))) {
    const rows = yield* all<{ worker_id: number | null; site: string | null }>(
      `select distinct avoid_worker_id as worker_id, null as site from job
       where avoid_worker_id in ${placeholders(ids.length)} and avoid_until > ?
       union select null, avoid_site from job
       where avoid_site in ${placeholders(sites.length)} and avoid_until > ?`,
      ...ids,
      now,
      ...sites,
      now,
    );
    for (const { worker_id, site } of rows) {
      if (worker_id !== null) avoided.workers.add(worker_id);
      if (site !== null) avoided.sites.add(site);
    }
  }
  return avoided;
}

const OFFER = 'site, labels, cpus, memory_bytes, gpus, nodes, max_parallel, ends_at';

/** Workers of a server that were heard of since a time, and take jobs. */
const TAKES_JOBS = `retired_at is null and kind = 'service' and draining = 0 and lease_expires_at - lease_ms > ?`;

/** What they offer: a row for all workers that offer the same. */
export function* listOffers(
  heardSince: number,
): Script<(OfferRow & { first_id: number; last_id: number })[]> {
  return yield* all<OfferRow & { first_id: number; last_id: number }>(
    `select min(id) as first_id, max(id) as last_id, ${OFFER} from worker where ${TAKES_JOBS} group by ${OFFER}`,
    heardSince,
  );
}

export type TakerRow = OfferRow & { id: number; host: string };

/**
 * The same workers one by one, oldest first, as far as they take jobs of the workflow: those in allocations work for one
 * workflow.
 */
export function* listTakers(workflowId: number, heardSince: number): Script<TakerRow[]> {
  return yield* all<TakerRow>(
    `select id, host, ${OFFER} from worker where ${TAKES_JOBS} and ${TAKES_JOBS_OF} order by id`,
    heardSince,
    workflowId,
  );
}

/** Of these only those in its allocations. */
export function* listAllocated(workflowId: number, heardSince: number): Script<TakerRow[]> {
  return yield* all<TakerRow>(
    `select id, host, ${OFFER} from worker where ${TAKES_JOBS} and allocation_id is not null and ${TAKES_JOBS_OF}
     order by id`,
    heardSince,
    workflowId,
  );
}
