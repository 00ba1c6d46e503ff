import type { Requirement } from '../model/workflow-model.ts';
import { neededOf } from '../placement/resources.ts';
import { type AllocationShortage, RESOURCE_NAMES, type Shortage } from '../placement/shortage.ts';
import { expectedWorker, fitsScheduler, type WorkerLayout } from './allocation-offer.ts';
import {
  type AliveAllocation,
  type AllocationSituation,
  decideAllocations,
  type SchedulerFacts,
} from './decide-allocations.ts';

/** What the cluster last said of an allocation. */
export interface ShownAllocation extends AliveAllocation {
  clusterId: string | null;
  word: string | null;
  why: string | null;
  never: boolean;
  startsAt: number | null;
}

export interface ShownScheduler extends SchedulerFacts {
  pauseReason: string | null;
  refusal: string | null;
}

export interface ShownSituation extends AllocationSituation {
  schedulers: readonly ShownScheduler[];
  allocations: readonly ShownAllocation[];
  /** The cluster does not answer; null: it does. */
  absent: { problem: string; since: number } | null;
}

/** Started without anything said about its workers. */
const PLAIN: WorkerLayout = { oneWorkerPerNode: false, maxParallel: null };

/** Why no allocation brings a worker for a ready job now, of each scheduler whose allocations could. */
export function explainAllocations(
  job: { requirement: Requirement; scheduler: string | null },
  situation: ShownSituation,
): Shortage[] {
  const { places, now, absent } = situation;
  const named = situation.schedulers.filter(
    ({ model }) => job.scheduler === null || job.scheduler === model.name,
  );
  const fitting = named.filter((scheduler) =>
    layoutsOf(scheduler, situation).some((layout) =>
      fitsScheduler(job.requirement, scheduler, layout, places, now),
    ),
  );
  // A site that is banned does not fit either, and says more.
  const banned = named.flatMap((scheduler) => banShortage(scheduler, situation));
  if (fitting.length === 0)
    return banned.length > 0 ? banned : [noScheduler(job.requirement, named, situation)];
  const words: Shortage[] = fitting.flatMap((scheduler) => explainScheduler(scheduler, situation));
  if (absent !== null)
    words.unshift({ kind: 'cluster_absent', problem: absent.problem, since_ms: absent.since });
  return words;
}

function layoutsOf({ model }: SchedulerFacts, { policies }: AllocationSituation): WorkerLayout[] {
  const own = policies.filter((policy) => policy.scheduler === model.name);
  return own.length > 0 ? own : [PLAIN];
}

function explainScheduler(scheduler: ShownScheduler, situation: ShownSituation): AllocationShortage[] {
  const { name } = scheduler.model;
  if (scheduler.pauseReason !== null) {
    return [{ kind: 'scheduler_paused', scheduler: name, reason: scheduler.pauseReason }];
  }
  const { refusal, nextTryAt } = scheduler;
  if (refusal !== null && nextTryAt !== null && nextTryAt > situation.now) {
    return [{ kind: 'scheduler_refused', scheduler: name, reason: refusal, next_try_at_ms: nextTryAt }];
  }
  const alive = situation.allocations.filter((each) => each.scheduler === name && !each.isCanceling);
  const coming = alive.flatMap(explainAllocation);
  if (coming.length > 0) return coming;
  if (decideAllocations(situation).order.some((order) => order.scheduler === name)) {
    return [{ kind: 'allocation_planned', scheduler: name }];
  }
  const atMost = situation.policies
    .filter((policy) => policy.scheduler === name && policy.further > 0)
    .reduce((most, policy) => Math.max(most, policy.atMost), 0);
  if (alive.length > 0 && alive.length >= atMost && atMost > 0) {
    return [{ kind: 'scheduler_full', scheduler: name, at_most: atMost }];
  }
  return [{ kind: 'scheduler_done', scheduler: name }];
}

function explainAllocation(allocation: ShownAllocation): AllocationShortage[] {
  const { scheduler, state, clusterId, workersCame } = allocation;
  if (state === 'planned' || clusterId === null) return [{ kind: 'allocation_planned', scheduler }];
  if (state === 'running') {
    return workersCame > 0 ? [] : [{ kind: 'allocation_starting', scheduler, cluster_id: clusterId }];
  }
  const { word, why, never, startsAt } = allocation;
  return [
    {
      kind: 'allocation_waiting',
      scheduler,
      cluster_id: clusterId,
      word,
      why,
      never,
      starts_at_ms: startsAt,
    },
  ];
}

function banShortage({ seen }: SchedulerFacts, { places, now }: AllocationSituation): Shortage[] {
  if (seen === null) return [];
  const ban = places.bans.find(({ site, until }) => site === seen.site && (until === null || until > now));
  if (ban !== undefined) return [{ kind: 'ban', site: ban.site, reason: ban.reason, until_ms: ban.until }];
  const { sites } = places;
  return sites === null || sites.includes(seen.site)
    ? []
    : [{ kind: 'site', site: seen.site, allowed: [...sites] }];
}

/** What all of them are short of, if there is one such thing. */
function noScheduler(
  requirement: Requirement,
  schedulers: readonly SchedulerFacts[],
  situation: AllocationSituation,
): AllocationShortage {
  const offers = schedulers.flatMap((scheduler) =>
    layoutsOf(scheduler, situation).map((layout) => expectedWorker(scheduler, layout).offer),
  );
  const none: AllocationShortage = { kind: 'no_scheduler', lacks: null, needed: 0, most: 0 };
  if (offers.length === 0) return none;
  for (const resource of RESOURCE_NAMES) {
    const needed = neededOf(resource, requirement, 1);
    const most = Math.max(...offers.map(({ free }) => free[resource] ?? Number.POSITIVE_INFINITY));
    if (most < needed) return { kind: 'no_scheduler', lacks: resource, needed, most };
  }
  const longest = Math.max(...offers.map(({ time_left_ms }) => time_left_ms ?? Number.POSITIVE_INFINITY));
  const needed = requirement.runtime_ms ?? 0;
  return longest < needed ? { kind: 'no_scheduler', lacks: 'runtime_ms', needed, most: longest } : none;
}
