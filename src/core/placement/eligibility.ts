import type { Requirement } from '../model/workflow-model.ts';
import { type FreeResources, neededOf, type ResourceNeed, sharesNode } from './resources.ts';
import { RESOURCE_NAMES, type Shortage } from './shortage.ts';

/** Where a job failed last, and until when it waits for another place. */
export interface Avoidance {
  worker_id: number;
  /** null: the failure says nothing about the site. */
  site: string | null;
  until: number;
}

export interface JobNeed {
  requirement: Requirement;
  avoid: Avoidance | null;
}

export interface WorkerOffer {
  /** null: it is not registered yet. */
  worker_id: number | null;
  site: string;
  labels: readonly string[];
  /** How long it will be there; null: without end. */
  time_left_ms: number | null;
  free: FreeResources;
}

/** Keeps new work away from a site. */
export interface SiteBan {
  site: string;
  reason: string;
  /** null: until it is lifted. */
  until: number | null;
}

/** Where jobs of a workflow may run. */
export interface Places {
  bans: readonly SiteBan[];
  /** The only sites; null: any. */
  sites: readonly string[] | null;
}

export const ANY_PLACE: Places = { bans: [], sites: null };

/** What is left of the limits of a workflow, for all workers together. */
export interface Limits {
  named: ReadonlyMap<string, number>;
  parallel: number;
}

/** What holds for all workers that could take the job. */
export interface Situation extends Places {
  now: number;
  limits: Limits;
  /** Other workers that take jobs now, with all that they have: free, if nothing ran on them. */
  others: readonly WorkerOffer[];
}

export const NO_LIMITS: Limits = { named: new Map(), parallel: Number.POSITIVE_INFINITY };

/** `count`: how many such jobs the worker could take now. */
export type Eligibility = { fits: true; count: number } | { fits: false; short: Shortage };

/** Whether a worker can take a job now. The one rule for claims, for refusals beforehand, and for explanations. */
export function eligibility(need: JobNeed, offer: WorkerOffer, situation: Situation): Eligibility {
  const short = unsuitable(need.requirement, offer, situation) ?? avoided(need, offer, situation);
  if (short !== null) return { fits: false, short };
  const limits = withinLimits(need.requirement, situation.limits);
  if (!limits.fits) return limits;
  const room = withinResources(need.requirement, offer.free);
  return room.fits ? { fits: true, count: Math.min(limits.count, room.count) } : room;
}

/**
 * Whether so much is free, whatever else is true of the job and the worker. Asked for every job that a claim looks at,
 * so that nothing is allocated unless it does not fit.
 */
export function withinResources(need: ResourceNeed, free: FreeResources): Eligibility {
  let count = Number.POSITIVE_INFINITY;
  for (const resource of RESOURCE_NAMES) {
    const left = free[resource];
    if (left === undefined) continue;
    const needed = neededOf(resource, need, free.default_cpus);
    const most = timesIn(needed, left);
    if (most < 1) {
      return { fits: false, short: { kind: 'resource', resource, needed, free: atLeastNothing(left) } };
    }
    if (resource !== 'nodes' || !sharesNode(need)) count = Math.min(count, most);
  }
  return { fits: true, count };
}

/** Whether the limits of the workflow allow another such job. */
export function withinLimits({ resources }: Pick<Requirement, 'resources'>, limits: Limits): Eligibility {
  if (limits.parallel < 1) {
    const free = atLeastNothing(limits.parallel);
    return { fits: false, short: { kind: 'max_parallel', needed: 1, free } };
  }
  let count = limits.parallel;
  for (const [name, needed] of Object.entries(resources)) {
    const left = limits.named.get(name) ?? 0;
    const most = timesIn(needed, left);
    if (most < 1) return { fits: false, short: { kind: 'limit', name, needed, free: atLeastNothing(left) } };
    count = Math.min(count, most);
  }
  return { fits: true, count };
}

/** Whether a worker could take such a job if nothing else ran. */
export function couldEverTake(
  requirement: Requirement,
  offer: WorkerOffer,
  situation: Pick<Situation, keyof Places | 'now'>,
): boolean {
  return unsuitable(requirement, offer, situation) === null && withinResources(requirement, offer.free).fits;
}

/** What the worker lacks that no end of another job changes. */
function unsuitable(
  { labels, runtime_ms }: Requirement,
  offer: WorkerOffer,
  { bans, sites, now }: Pick<Situation, keyof Places | 'now'>,
): Shortage | null {
  if (labels.some((label) => !offer.labels.includes(label))) {
    return { kind: 'labels', missing: labels.filter((label) => !offer.labels.includes(label)) };
  }
  if (sites !== null && !sites.includes(offer.site)) {
    return { kind: 'site', site: offer.site, allowed: [...sites] };
  }
  const ban = bans.find(({ site, until }) => site === offer.site && (until === null || until > now));
  if (ban !== undefined) {
    return { kind: 'ban', site: ban.site, reason: ban.reason, until_ms: ban.until };
  }
  const left = offer.time_left_ms;
  if (left !== null && (left <= 0 || (runtime_ms ?? 0) > left)) {
    return { kind: 'time_left', needed_ms: runtime_ms ?? 0, left_ms: atLeastNothing(left) };
  }
  return null;
}

/** A place that the job avoids is good enough where no other could ever take the job. */
function avoided({ requirement, avoid }: JobNeed, offer: WorkerOffer, situation: Situation): Shortage | null {
  if (avoid === null || avoid.until <= situation.now) return null;
  const elsewhere = avoidable(requirement, offer, situation);
  if (elsewhere.site && avoid.site === offer.site) {
    return { kind: 'avoided_site', site: offer.site, until_ms: avoid.until };
  }
  if (elsewhere.worker && avoid.worker_id === offer.worker_id) {
    return { kind: 'avoided_worker', worker_id: avoid.worker_id, until_ms: avoid.until };
  }
  return null;
}

/** Whether jobs may avoid the worker, and whether they may avoid its site: others could take them. */
export function avoidable(
  requirement: Requirement,
  offer: WorkerOffer,
  situation: Pick<Situation, keyof Places | 'now' | 'others'>,
): { worker: boolean; site: boolean } {
  const able = situation.others.filter((other) => couldEverTake(requirement, other, situation));
  return { worker: able.length > 0, site: able.some(({ site }) => site !== offer.site) };
}

/** CPUs are fractions, whose sums are not exact. */
const ROUNDING = 1e-9;

/** How often it can be had. Where more was handed out than there is, not even nothing can. */
function timesIn(needed: number, free: number): number {
  if (needed > 0) return Math.floor((free + ROUNDING) / needed);
  return free + ROUNDING < 0 ? 0 : Number.POSITIVE_INFINITY;
}

function atLeastNothing(amount: number): number {
  return Math.max(0, amount);
}
