import fc from 'fast-check';
import type {
  AliveAllocation,
  AllocationSituation,
  Demand,
  OrderPolicy,
  SchedulerFacts,
} from '../../src/core/allocation/decide-allocations.ts';
import { DEFAULT_ALLOCATION_WORKER, type SchedulerModel } from '../../src/core/allocation/scheduler.ts';
import type { Requirement } from '../../src/core/model/workflow-model.ts';
import { ANY_PLACE, NO_LIMITS, type WorkerOffer } from '../../src/core/placement/eligibility.ts';
import { freeResources } from '../../src/core/placement/resources.ts';

export const NOW = 1_700_000_000_000;
export const HOUR = 3_600_000;

export function schedulerModel(given: Partial<SchedulerModel> = {}): SchedulerModel {
  return {
    name: 'main',
    options: {},
    extra: [],
    nodes: 1,
    walltime_ms: HOUR,
    cpus: 4,
    memory_bytes: 8e9,
    gpus: 0,
    serialize: false,
    worker: DEFAULT_ALLOCATION_WORKER,
    ...given,
  };
}

export function scheduler(
  given: Partial<SchedulerModel> = {},
  facts: Partial<SchedulerFacts> = {},
): SchedulerFacts {
  return { model: schedulerModel(given), seen: null, isPaused: false, nextTryAt: null, ...facts };
}

export function requirement(given: Partial<Requirement> = {}): Requirement {
  return {
    name: null,
    cpus: 1,
    memory_bytes: null,
    gpus: 0,
    nodes: 1,
    resources: {},
    labels: [],
    runtime_ms: null,
    ...given,
  };
}

export function demand(ready: number, need: Partial<Requirement> = {}, given: Partial<Demand> = {}): Demand {
  return {
    requirement: requirement(need),
    scheduler: null,
    ready,
    later: 0,
    live: 0,
    watched: new Map(),
    ...given,
  };
}

export function policy(given: Partial<OrderPolicy> = {}): OrderPolicy {
  return {
    actionId: null,
    scheduler: 'main',
    atMost: 1,
    due: 0,
    further: Number.POSITIVE_INFINITY,
    watchesOwn: false,
    oneWorkerPerNode: false,
    maxParallel: null,
    ...given,
  };
}

export function allocation(given: Partial<AliveAllocation> = {}): AliveAllocation {
  return {
    id: 1,
    scheduler: 'main',
    actionId: null,
    state: 'queued',
    startedAt: null,
    workersCame: 0,
    isCanceling: false,
    isPersonal: false,
    oneWorkerPerNode: false,
    maxParallel: null,
    ...given,
  };
}

export function worker(cpus: number, given: Partial<WorkerOffer> = {}): WorkerOffer {
  return {
    worker_id: 1,
    site: 'here',
    labels: [],
    time_left_ms: null,
    free: freeResources({ cpus, memory_bytes: 8e9, gpus: 0, max_parallel: null }),
    ...given,
  };
}

export function situation(given: Partial<AllocationSituation> = {}): AllocationSituation {
  return {
    now: NOW,
    work: { state: 'open' },
    places: ANY_PLACE,
    limits: NO_LIMITS,
    demand: [],
    workers: [],
    schedulers: [scheduler()],
    allocations: [],
    policies: [policy()],
    ...given,
  };
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const count = fc.integer({ min: 0, max: 5 });
const NAMES = ['main', 'gpu', 'long'] as const;
const name = fc.constantFrom(...NAMES);

const anyScheduler = (named: string): fc.Arbitrary<SchedulerFacts> =>
  fc
    .record({
      cpus: maybe(fc.integer({ min: 1, max: 8 })),
      gpus: maybe(fc.integer({ min: 0, max: 4 })),
      nodes: fc.integer({ min: 1, max: 3 }),
      walltime_ms: maybe(fc.integer({ min: 60_000, max: 4 * HOUR })),
      serialize: fc.boolean(),
      isPaused: fc.boolean(),
      nextTryAt: maybe(fc.integer({ min: NOW - HOUR, max: NOW + HOUR })),
      seen: maybe(
        fc.record({
          cpus: fc.integer({ min: 1, max: 8 }),
          memory_bytes: fc.integer({ min: 1e9, max: 16e9 }),
          gpus: fc.integer({ min: 0, max: 4 }),
          labels: fc.constantFrom<string[]>([], ['fast']),
          site: fc.constantFrom('a', 'b'),
          time_left_ms: maybe(fc.integer({ min: 60_000, max: HOUR })),
        }),
      ),
    })
    .map(({ isPaused, nextTryAt, seen, ...model }) => ({
      model: schedulerModel({ name: named, ...model }),
      isPaused,
      nextTryAt,
      seen,
    }));

const anyDemand: fc.Arbitrary<Demand> = fc
  .record({
    cpus: maybe(fc.integer({ min: 1, max: 10 })),
    gpus: fc.integer({ min: 0, max: 5 }),
    nodes: fc.integer({ min: 1, max: 4 }),
    runtime_ms: maybe(fc.integer({ min: 1, max: 5 * HOUR })),
    labels: fc.constantFrom<string[]>([], ['fast'], ['slurm:gpu']),
    resources: fc.constantFrom<Record<string, number>>({}, { licence: 1 }),
    scheduler: maybe(name),
    ready: count,
    later: count,
    live: count,
    watched: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), count), { maxLength: 3 }),
  })
  .map(({ scheduler: named, ready, later, live, watched, ...need }) =>
    demand(ready, need, {
      scheduler: named,
      later,
      live,
      watched: new Map(watched.map(([id, jobs]) => [id, Math.min(jobs, ready)])),
    }),
  );

const anyPolicy: fc.Arbitrary<OrderPolicy> = fc.record({
  actionId: maybe(fc.integer({ min: 1, max: 3 })),
  scheduler: name,
  atMost: fc.integer({ min: 1, max: 4 }),
  due: count,
  further: fc.constantFrom(0, 1, Number.POSITIVE_INFINITY),
  watchesOwn: fc.constant(false),
  oneWorkerPerNode: fc.boolean(),
  maxParallel: maybe(fc.integer({ min: 1, max: 8 })),
});

const anyAllocation: fc.Arbitrary<AliveAllocation> = fc.record({
  id: fc.constant(0),
  scheduler: name,
  actionId: maybe(fc.integer({ min: 1, max: 3 })),
  state: fc.constantFrom('planned' as const, 'submitting' as const, 'queued' as const, 'running' as const),
  startedAt: maybe(fc.integer({ min: NOW - HOUR, max: NOW })),
  workersCame: fc.integer({ min: 0, max: 3 }),
  isCanceling: fc.boolean(),
  isPersonal: fc.boolean(),
  oneWorkerPerNode: fc.boolean(),
  maxParallel: maybe(fc.integer({ min: 1, max: 8 })),
});

export const anySituation: fc.Arbitrary<AllocationSituation> = fc
  .record({
    demand: fc.array(anyDemand, { maxLength: 5 }),
    schedulers: fc.tuple(...NAMES.map(anyScheduler)),
    policies: fc.uniqueArray(anyPolicy, {
      maxLength: 4,
      selector: ({ actionId, scheduler: named }) => (actionId === null ? named : actionId),
    }),
    allocations: fc.array(anyAllocation, { maxLength: 4 }),
    workers: fc.array(
      fc.integer({ min: 0, max: 8 }).map((cpus) => worker(cpus)),
      { maxLength: 3 },
    ),
    parallel: fc.constantFrom(0, 2, Number.POSITIVE_INFINITY),
    licences: fc.integer({ min: 0, max: 3 }),
    bans: fc.constantFrom([], [{ site: 'a', reason: 'fails', until: null }]),
    sites: fc.constantFrom(null, ['b']),
    state: fc.constantFrom('open', 'open', 'open', 'held', 'over'),
  })
  .map(({ parallel, licences, bans, sites, state, allocations, ...given }) =>
    situation({
      ...given,
      limits: { parallel, named: new Map([['licence', licences]]) },
      places: { bans, sites },
      work:
        state === 'over'
          ? { state, reason: 'complete', mayStay: false }
          : { state: state === 'held' ? 'held' : 'open' },
      allocations: allocations.map((each, index) => ({ ...each, id: index + 1 })),
    }),
  );
