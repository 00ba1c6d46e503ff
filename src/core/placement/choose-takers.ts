import type { Requirement } from '../model/workflow-model.ts';
import { eligibility, type Limits, type Places } from './eligibility.ts';
import { type FreeResources, takeResources } from './resources.ts';

/** Jobs of one workflow with one requirement that can start now. */
export interface WaitingJobs extends Places {
  workflow_id: number;
  requirement: Requirement;
  /** At most so many as were counted. */
  count: number;
  /** What is left of the limits of the workflow. */
  limits: Limits;
}

/** A worker that could be woken. */
export interface Taker {
  /** Equal for workers that offer the same: what does not fit one of them fits none. */
  key: string;
  /** The only workflow that it takes jobs of; null: any. */
  workflow_id: number | null;
  site: string;
  labels: readonly string[];
  free: FreeResources;
}

interface Remaining extends WaitingJobs {
  limits: { named: Map<string, number>; parallel: number };
}

/**
 * As many of the workers as there are jobs for, in their order. How long a worker will be there and which places a job avoids
 * are not considered: a worker that is woken for such a job claims nothing.
 */
export function chooseTakers<T extends Taker>(
  waiting: readonly WaitingJobs[],
  takers: Iterable<T>,
  now: number,
): T[] {
  const limits = new Map(waiting.map((jobs) => [jobs.workflow_id, copyOf(jobs.limits)]));
  let left = waiting.map((jobs): Remaining => ({ ...jobs, limits: limits.get(jobs.workflow_id)! }));
  const unfit = new Set<string>();
  const chosen: T[] = [];
  for (const taker of takers) {
    if (left.length === 0) break;
    // What is left only shrinks, so that what did not fit before does not fit now.
    if (unfit.has(taker.key)) continue;
    if (takeSome(left, taker, now)) chosen.push(taker);
    else unfit.add(taker.key);
    left = left.filter(({ count }) => count > 0);
  }
  return chosen;
}

function copyOf({ named, parallel }: Limits): Remaining['limits'] {
  return { named: new Map(named), parallel };
}

/** Takes all that fits the worker. */
function takeSome(left: readonly Remaining[], taker: Taker, now: number): boolean {
  const free = { ...taker.free };
  const offer = { worker_id: null, site: taker.site, labels: taker.labels, time_left_ms: null, free };
  let took = false;
  for (const jobs of left) {
    if (taker.workflow_id !== null && taker.workflow_id !== jobs.workflow_id) continue;
    const { requirement, limits, bans, sites } = jobs;
    const answer = eligibility({ requirement, avoid: null }, offer, { now, bans, sites, limits, others: [] });
    if (!answer.fits) continue;
    const count = Math.min(answer.count, jobs.count);
    jobs.count -= count;
    takeResources(free, requirement, count);
    limits.parallel -= count;
    for (const [name, amount] of Object.entries(requirement.resources)) {
      limits.named.set(name, (limits.named.get(name) ?? 0) - amount * count);
    }
    took = true;
  }
  return took;
}
