import type { Requirement } from '../model/workflow-model.ts';
import { type Limits, type Places, type WorkerOffer, withinLimits } from '../placement/eligibility.ts';
import { takeResources } from '../placement/resources.ts';
import {
  banOf,
  countFor,
  type ExpectedWorker,
  expectedWorker,
  fitsScheduler,
  type KnownScheduler,
  type WorkerLayout,
  workersExpected,
} from './allocation-offer.ts';
import type { AllocationState } from './allocation-transitions.ts';

/** Jobs of one requirement that name the same scheduler, and have not ended. */
export interface Demand {
  requirement: Requirement;
  /** null: any that fits. */
  scheduler: string | null;
  /** Wait for nothing but a worker. */
  ready: number;
  /** Blocked, or wait for a retry. */
  later: number;
  /** Claimed or running. */
  live: number;
  /** How many of the ready ones each action watches. */
  watched: ReadonlyMap<number, number>;
}

export interface SchedulerFacts extends KnownScheduler {
  isPaused: boolean;
  /** After refusals: nothing is submitted before. */
  nextTryAt: number | null;
}

/** An allocation that has not ended. */
export interface AliveAllocation extends WorkerLayout {
  id: number;
  scheduler: string;
  actionId: number | null;
  state: Exclude<AllocationState, 'ended'>;
  startedAt: number | null;
  /** Workers that came since it last began. */
  workersCame: number;
  isCanceling: boolean;
  /** A person ordered it, for any job that fits it. */
  isPersonal: boolean;
}

/** Because of what allocations of a scheduler are ordered. */
export interface OrderPolicy extends WorkerLayout {
  /** null: the scheduler alone. */
  actionId: number | null;
  scheduler: string;
  /** Alive at once. */
  atMost: number;
  /** Ordered at once, because its moment has come. */
  due: number;
  /** How many more may be ordered when ready jobs are not covered. */
  further: number;
  /** Only jobs that the action watches count. */
  watchesOwn: boolean;
}

/** What is known of a workflow when its allocations are decided. */
export interface AllocationSituation {
  now: number;
  /**
   * `held`: paused by a person; nothing is ordered, and nothing is canceled. `over`: nothing more runs. `mayStay`: it has
   * ended by itself, and workers with `stays` wait for more.
   */
  work: { state: 'open' | 'held' } | { state: 'over'; reason: string; mayStay: boolean };
  places: Places;
  /** What is left of the limits of the workflow. */
  limits: Limits;
  demand: readonly Demand[];
  /** Workers that take its jobs, with what they have free. */
  workers: readonly WorkerOffer[];
  schedulers: readonly SchedulerFacts[];
  allocations: readonly AliveAllocation[];
  policies: readonly OrderPolicy[];
}

export interface AllocationDecision {
  order: (WorkerLayout & { actionId: number | null; scheduler: string; why: string })[];
  /** `unneeded`: should a job need it again, it may be ordered again. */
  cancel: { id: number; reason: string; unneeded: boolean }[];
}

/** So many allocations of a scheduler wait in the queue of the cluster because of ready jobs. */
const BACKLOG = 1;
/** A worker that has not come by then is not counted on any more. */
export const COMING_MS = 10 * 60_000;

/**
 * Which allocations to order and which to cancel. Ready jobs are covered by what workers have free and by workers that
 * are expected from allocations on their way; one more allocation is ordered where some are left over that fit it.
 */
export function decideAllocations(situation: AllocationSituation): AllocationDecision {
  const { work } = situation;
  if (work.state === 'over') return { order: [], cancel: cancelAll(situation, work) };
  if (work.state === 'held') return { order: [], cancel: [] };
  const cancel = unneeded(situation);
  const gone = new Set(cancel.map(({ id }) => id));
  const cover = new Cover(situation);
  for (const offer of situation.workers) cover.add({ offer, isUnseen: false });
  for (const allocation of situation.allocations) {
    if (allocation.isCanceling || gone.has(allocation.id)) continue;
    for (const worker of comingFrom(allocation, situation)) cover.add(worker);
  }
  const order: AllocationDecision['order'] = [];
  for (const policy of situation.policies) order.push(...ordersOf(policy, situation, cover, order));
  return { order, cancel };
}

function cancelAll(
  situation: AllocationSituation,
  { reason, mayStay }: { reason: string; mayStay: boolean },
): AllocationDecision['cancel'] {
  return situation.allocations.flatMap(({ id, isCanceling, state, scheduler }) => {
    const stays = schedulerNamed(scheduler, situation)?.model.worker.stays === true;
    if (isCanceling || (mayStay && stays && state === 'running')) return [];
    return { id, reason, unneeded: true };
  });
}

/** Those that have not begun, and for which there is no work: ready, blocked, or in a chain running. */
function unneeded(situation: AllocationSituation): AllocationDecision['cancel'] {
  return situation.allocations.flatMap((allocation) => {
    if (allocation.isCanceling || allocation.state === 'running') return [];
    if (hasWork(allocation.scheduler, allocation, situation, allocation.isPersonal)) return [];
    return { id: allocation.id, reason: 'no job that is left needs it', unneeded: true };
  });
}

/** Whether there is work left that an allocation of the scheduler could do. */
function hasWork(
  name: string,
  layout: WorkerLayout,
  situation: AllocationSituation,
  isForAny = false,
): boolean {
  const scheduler = schedulerNamed(name, situation);
  if (scheduler === undefined) return false;
  return situation.demand.some((demand) => {
    const jobs = demand.ready + demand.later + (scheduler.model.serialize ? demand.live : 0);
    return jobs > 0 && (isForAny || isFor(demand, name)) && fits(demand, scheduler, layout, situation);
  });
}

function ordersOf(
  policy: OrderPolicy,
  situation: AllocationSituation,
  cover: Cover,
  before: AllocationDecision['order'],
): AllocationDecision['order'] {
  const { actionId, oneWorkerPerNode, maxParallel } = policy;
  const scheduler = schedulerNamed(policy.scheduler, situation);
  if (scheduler === undefined || isHeld(scheduler, situation)) return [];
  const ofScheduler = situation.allocations.filter((each) => each.scheduler === policy.scheduler);
  const alive = ofScheduler.filter((each) => each.actionId === actionId).length;
  const orders: AllocationDecision['order'] = [];
  const add = (why: string) => {
    orders.push({ actionId, scheduler: policy.scheduler, oneWorkerPerNode, maxParallel, why });
    for (const worker of workersOf(scheduler, policy)) cover.add(worker);
  };
  if (policy.due > 0 && hasWork(policy.scheduler, policy, situation)) {
    for (let left = Math.min(policy.due, policy.atMost - alive); left > 0; left -= 1) {
      add('the moment of its action has come');
    }
  }
  const waiting =
    ofScheduler.filter(({ state }) => state !== 'running').length +
    before.filter((each) => each.scheduler === policy.scheduler).length;
  if (policy.further < 1 || alive + orders.length >= policy.atMost || waiting + orders.length >= BACKLOG) {
    return orders;
  }
  const uncovered = cover.leftFor(policy, scheduler);
  if (uncovered > 0) add(`${uncovered} ready ${uncovered === 1 ? 'job is' : 'jobs are'} not covered`);
  else if (isChained(scheduler, ofScheduler) && hasWork(policy.scheduler, policy, situation)) {
    add('follows the one that runs');
  }
  return orders;
}

/** The next of a chain waits in the queue while the one before runs. */
function isChained({ model }: SchedulerFacts, ofScheduler: readonly AliveAllocation[]): boolean {
  return model.serialize && ofScheduler.some(({ state }) => state === 'running');
}

/** Paused, waiting after a refusal, or at a site that is banned. */
function isHeld(scheduler: SchedulerFacts, { places, now }: AllocationSituation): boolean {
  const { isPaused, nextTryAt } = scheduler;
  return isPaused || (nextTryAt !== null && nextTryAt > now) || banOf(scheduler, places, now) !== null;
}

/** Workers that are expected from an allocation. Those that have come count by themselves. */
function comingFrom(allocation: AliveAllocation, situation: AllocationSituation): ExpectedWorker[] {
  const scheduler = schedulerNamed(allocation.scheduler, situation);
  if (scheduler === undefined) return [];
  const { state, startedAt, workersCame } = allocation;
  const all = workersOf(scheduler, allocation);
  if (state !== 'running') return all;
  return situation.now - (startedAt ?? situation.now) > COMING_MS ? [] : all.slice(workersCame);
}

function workersOf(scheduler: KnownScheduler, layout: WorkerLayout): ExpectedWorker[] {
  const count = workersExpected(scheduler.model, layout);
  return Array.from({ length: count }, () => expectedWorker(scheduler, layout));
}

function schedulerNamed(name: string, { schedulers }: AllocationSituation): SchedulerFacts | undefined {
  return schedulers.find(({ model }) => model.name === name);
}

function isFor(demand: Demand, scheduler: string): boolean {
  return demand.scheduler === null || demand.scheduler === scheduler;
}

function fits(
  { requirement }: Demand,
  scheduler: KnownScheduler,
  layout: WorkerLayout,
  { places, now }: AllocationSituation,
): boolean {
  return fitsScheduler(requirement, scheduler, layout, places, now);
}

/** Ready jobs that the limits of the workflow allow, and how many of them nobody is there for. */
class Cover {
  readonly #situation: AllocationSituation;
  readonly #left: number[];

  constructor(situation: AllocationSituation) {
    this.#situation = situation;
    this.#left = withinWorkflow(situation);
  }

  /** A worker takes what it can. */
  add(worker: ExpectedWorker): void {
    const { demand, places, now } = this.#situation;
    const free = { ...worker.offer.free };
    const shrinking = { ...worker, offer: { ...worker.offer, free } };
    for (const [index, { requirement }] of demand.entries()) {
      if (this.#left[index] === 0) continue;
      const taken = Math.min(this.#left[index]!, countFor(requirement, shrinking, places, now));
      if (taken === 0) continue;
      takeResources(free, requirement, taken);
      this.#left[index]! -= taken;
    }
  }

  /** Jobs that are left over, count for the policy, and fit its allocations. */
  leftFor(policy: OrderPolicy, scheduler: KnownScheduler): number {
    return this.#situation.demand.reduce((sum, demand, index) => {
      const left = this.#left[index]!;
      if (left === 0 || !isFor(demand, policy.scheduler)) return sum;
      if (!fits(demand, scheduler, policy, this.#situation)) return sum;
      const watched = policy.watchesOwn ? (demand.watched.get(policy.actionId!) ?? 0) : left;
      return sum + Math.min(left, watched);
    }, 0);
  }
}

/** Of the ready jobs of each demand, as many as may run at once by the limits of the workflow. */
function withinWorkflow({ demand, limits }: AllocationSituation): number[] {
  const left = { named: new Map(limits.named), parallel: limits.parallel };
  return demand.map(({ requirement, ready }) => {
    const answer = withinLimits(requirement, left);
    const allowed = answer.fits ? Math.min(ready, answer.count) : 0;
    left.parallel -= allowed;
    for (const [name, amount] of Object.entries(requirement.resources)) {
      left.named.set(name, (left.named.get(name) ?? 0) - amount * allowed);
    }
    return allowed;
  });
}
