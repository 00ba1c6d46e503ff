import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsScheduler } from '../../src/core/allocation/allocation-offer.ts';
import { backOffMs, MOST_MISSES } from '../../src/core/allocation/back-off.ts';
import {
  type AllocationDecision,
  type AllocationSituation,
  COMING_MS,
  decideAllocations,
  type OrderPolicy,
} from '../../src/core/allocation/decide-allocations.ts';
import { DEFAULT_ALLOCATION_WORKER } from '../../src/core/allocation/scheduler.ts';
import { courses } from '../property-runs.ts';
import {
  allocation,
  anySituation,
  demand,
  HOUR,
  NOW,
  policy,
  scheduler,
  situation,
  worker,
} from './allocation-situations.ts';

const ordered = (given: Partial<AllocationSituation>) =>
  decideAllocations(situation(given)).order.map((order) => order.scheduler);
const canceled = (given: Partial<AllocationSituation>) =>
  decideAllocations(situation(given)).cancel.map(({ id }) => id);

describe('allocations are ordered', () => {
  test('where ready jobs are not covered', () => {
    expect(ordered({ demand: [demand(1)] })).toEqual(['main']);
    expect(ordered({ demand: [demand(0, {}, { later: 5, live: 5 })] })).toEqual([]);
  });

  test('not while workers have room, or allocations are on their way', () => {
    const four = [demand(4)];
    expect(ordered({ demand: four, workers: [worker(4)] })).toEqual([]);
    expect(ordered({ demand: four, workers: [worker(3)] })).toEqual(['main']);
    const policies = [policy({ atMost: 3 })];
    expect(ordered({ demand: four, policies, allocations: [allocation()] })).toEqual([]);
    const running = allocation({ state: 'running', startedAt: NOW });
    expect(ordered({ demand: four, policies, allocations: [running] })).toEqual([]);
    // Its worker has come, and counts by itself.
    expect(ordered({ demand: four, policies, allocations: [{ ...running, workersCame: 1 }] })).toEqual([
      'main',
    ]);
    const late = { ...running, startedAt: NOW - COMING_MS - 1 };
    expect(ordered({ demand: four, policies, allocations: [late] })).toEqual(['main']);
  });

  test('one at a time, and no more than may be alive', () => {
    const many = [demand(100)];
    expect(ordered({ demand: many, policies: [policy({ atMost: 5 })] })).toEqual(['main']);
    const busy = allocation({ state: 'running', startedAt: NOW, workersCame: 1 });
    expect(ordered({ demand: many, policies: [policy({ atMost: 2 })], allocations: [busy] })).toEqual([
      'main',
    ]);
    expect(ordered({ demand: many, policies: [policy({ atMost: 1 })], allocations: [busy] })).toEqual([]);
  });

  test('all at once when the moment of an action has come', () => {
    const action = policy({ actionId: 7, atMost: 3, due: 3, further: 0 });
    expect(ordered({ demand: [demand(1)], policies: [action] })).toEqual(['main', 'main', 'main']);
    expect(ordered({ demand: [demand(0, {}, { live: 1 })], policies: [action] })).toEqual([]);
  });

  test('only for jobs that fit, or whose needs are not known to be too large', () => {
    expect(ordered({ demand: [demand(1, { cpus: 5 })] })).toEqual([]);
    expect(ordered({ demand: [demand(1, { runtime_ms: HOUR })] })).toEqual([]);
    expect(ordered({ demand: [demand(1, { runtime_ms: HOUR - 30_000 })] })).toEqual(['main']);
    expect(ordered({ demand: [demand(1, { nodes: 2 })] })).toEqual([]);
    expect(ordered({ demand: [demand(1, { labels: ['slurm:gpu'] })] })).toEqual([]);
    expect(ordered({ demand: [demand(1, { labels: ['slurm:main'] })] })).toEqual(['main']);
    const vague = [scheduler({ cpus: null, walltime_ms: null })];
    expect(ordered({ demand: [demand(1, { cpus: 64 })], schedulers: vague })).toEqual(['main']);
    const seen = {
      cpus: 2,
      memory_bytes: 1e9,
      gpus: 0,
      labels: [],
      site: 'here',
      time_left_ms: HOUR - 31_000,
    };
    const known = [scheduler({ cpus: null, walltime_ms: null }, { seen })];
    expect(ordered({ demand: [demand(1, { cpus: 64 })], schedulers: known })).toEqual([]);
    expect(ordered({ demand: [demand(1, { runtime_ms: HOUR - 30_000 })], schedulers: known })).toEqual([]);
    expect(ordered({ demand: [demand(1, { cpus: 2 })], schedulers: known })).toEqual(['main']);
  });

  test('of the scheduler that a job names, or else of the first that fits', () => {
    const schedulers = [scheduler(), scheduler({ name: 'gpu', gpus: 8 })];
    const policies = [policy(), policy({ scheduler: 'gpu' })];
    const either = { schedulers, policies };
    expect(ordered({ ...either, demand: [demand(1)] })).toEqual(['main']);
    expect(ordered({ ...either, demand: [demand(1, {}, { scheduler: 'gpu' })] })).toEqual(['gpu']);
    expect(ordered({ ...either, demand: [demand(1, { gpus: 8 }), demand(1)] })).toEqual(['main', 'gpu']);
    expect(ordered({ ...either, demand: [demand(1, { gpus: 9 })] })).toEqual([]);
  });

  test('with one worker on each node, for as many jobs as all nodes take, and for none of several nodes', () => {
    const schedulers = [scheduler({ nodes: 3 })];
    const each = policy({ atMost: 2, oneWorkerPerNode: true });
    const queued = allocation({ oneWorkerPerNode: true });
    const running = { ...queued, state: 'running' as const, startedAt: NOW };
    const covers = (jobs: number, alive: typeof queued) =>
      ordered({ schedulers, policies: [each], demand: [demand(jobs)], allocations: [alive] }).length === 0;
    expect(covers(12, { ...running, workersCame: 0 })).toBe(true);
    expect(covers(13, { ...running, workersCame: 0 })).toBe(false);
    expect(covers(5, { ...running, workersCame: 2 })).toBe(false);
    const wide = [demand(1, { nodes: 3 })];
    expect(ordered({ schedulers, policies: [each], demand: wide })).toEqual([]);
    expect(ordered({ schedulers, policies: [policy()], demand: wide })).toEqual(['main']);
  });

  test('for jobs that the action watches', () => {
    const policies = [policy({ actionId: 7, watchesOwn: true })];
    expect(ordered({ policies, demand: [demand(3)] })).toEqual([]);
    expect(ordered({ policies, demand: [demand(3, {}, { watched: new Map([[7, 1]]) })] })).toEqual(['main']);
  });

  test('not for more jobs than the limits of the workflow allow', () => {
    const limits = { parallel: 1, named: new Map([['licence', 0]]) };
    expect(ordered({ limits: { ...limits, parallel: 0 }, demand: [demand(3)] })).toEqual([]);
    expect(ordered({ limits, demand: [demand(3, { resources: { licence: 1 } })] })).toEqual([]);
    expect(ordered({ limits, demand: [demand(3)], workers: [worker(1)] })).toEqual([]);
  });

  test('not while the scheduler is paused or waits, its site is banned, or the workflow is held', () => {
    const waiting = { demand: [demand(1)] };
    const with_ = (facts: Parameters<typeof scheduler>[1]) => [scheduler({}, facts)];
    expect(ordered({ ...waiting, schedulers: with_({ isPaused: true }) })).toEqual([]);
    expect(ordered({ ...waiting, schedulers: with_({ nextTryAt: NOW + 1 }) })).toEqual([]);
    expect(ordered({ ...waiting, schedulers: with_({ nextTryAt: NOW }) })).toEqual(['main']);
    const seen = { cpus: 4, memory_bytes: 8e9, gpus: 0, labels: [], site: 'here', time_left_ms: HOUR };
    const bans = [{ site: 'here', reason: 'fails', until: null }];
    expect(ordered({ ...waiting, schedulers: with_({ seen }), places: { bans, sites: null } })).toEqual([]);
    expect(ordered({ ...waiting, work: { state: 'held' } })).toEqual([]);
  });

  test('in a chain, the next one while the one before runs', () => {
    const chain = { schedulers: [scheduler({ serialize: true })], policies: [policy({ atMost: 2 })] };
    const live = [demand(0, {}, { live: 1 })];
    const first = allocation({ state: 'running', startedAt: NOW, workersCame: 1 });
    expect(ordered({ ...chain, demand: live, allocations: [first] })).toEqual(['main']);
    const both = [first, allocation({ id: 2 })];
    expect(ordered({ ...chain, demand: live, allocations: both })).toEqual([]);
    expect(canceled({ ...chain, demand: live, allocations: both })).toEqual([]);
    expect(canceled({ ...chain, demand: [], allocations: both })).toEqual([2]);
  });
});

describe('allocations are canceled', () => {
  test('that have not begun, once no ready or blocked job is for them', () => {
    const live = [demand(0, {}, { live: 3 })];
    const all = [
      allocation({ id: 1, state: 'planned' }),
      allocation({ id: 2, state: 'submitting' }),
      allocation({ id: 3 }),
      allocation({ id: 4, state: 'running', startedAt: NOW, workersCame: 1 }),
    ];
    expect(canceled({ demand: live, allocations: all })).toEqual([1, 2, 3]);
    expect(canceled({ demand: [demand(0, {}, { later: 1 })], allocations: all })).toEqual([]);
    expect(canceled({ demand: [demand(1, { cpus: 9 })], allocations: all })).toEqual([1, 2, 3]);
  });

  test('all of them, once the workflow is over', () => {
    const all = [allocation({ id: 1, state: 'running', startedAt: NOW }), allocation({ id: 2 })];
    const over = (mayStay: boolean) => ({ state: 'over', reason: 'x', mayStay }) as const;
    expect(canceled({ work: over(true), demand: [demand(9)], allocations: all })).toEqual([1, 2]);
    const staying = [scheduler({ worker: { ...DEFAULT_ALLOCATION_WORKER, stays: true } })];
    expect(canceled({ work: over(true), schedulers: staying, allocations: all })).toEqual([2]);
    expect(canceled({ work: over(false), schedulers: staying, allocations: all })).toEqual([1, 2]);
    expect(canceled({ work: { state: 'held' }, allocations: all })).toEqual([]);
  });
});

describe('after refusals', () => {
  test.each([
    [1, 0],
    [2, 1],
    [3, 15],
    [4, 30],
    [5, 60],
    [6, 60],
    [100, 60],
  ])('%i in a row, nothing is submitted for %i min', (refusals, minutes) => {
    expect(backOffMs(refusals)).toBe(minutes * 60_000);
  });

  test('three allocations in a row without their worker pause a scheduler', () => {
    expect(MOST_MISSES).toBe(3);
  });
});

/** The situation after the orders were written down and the cancels done. */
function carriedOut(before: AllocationSituation, { order, cancel }: AllocationDecision): AllocationSituation {
  const gone = new Set(cancel.map(({ id }) => id));
  const made = order.map(({ actionId, scheduler: name, oneWorkerPerNode, maxParallel }, index) =>
    allocation({
      id: 1000 + before.allocations.length + index,
      state: 'planned',
      scheduler: name,
      actionId,
      oneWorkerPerNode,
      maxParallel,
    }),
  );
  return {
    ...before,
    allocations: [...before.allocations.filter(({ id }) => !gone.has(id)), ...made],
    policies: before.policies.map((each) => ({ ...each, due: 0 })),
  };
}

const isOf = (each: OrderPolicy) => (order: { actionId: number | null; scheduler: string }) =>
  order.actionId === each.actionId && order.scheduler === each.scheduler;

describe('in any situation', () => {
  const check = (property: (given: AllocationSituation, decision: AllocationDecision) => void) =>
    fc.assert(
      fc.property(anySituation, (given) => property(given, decideAllocations(given))),
      { numRuns: courses(2000) },
    );

  test('never more are alive than may be', () => {
    check((given, { order }) => {
      for (const each of given.policies) {
        const mine = order.filter(isOf(each)).length;
        const alive = given.allocations.filter(isOf(each)).length;
        if (mine > 0) expect(alive + mine).toBeLessThanOrEqual(each.atMost);
      }
    });
  });

  test('nothing is ordered of a scheduler that is held, or for what cannot fit', () => {
    check((given, { order }) => {
      for (const each of order) {
        const facts = given.schedulers.find(({ model }) => model.name === each.scheduler)!;
        expect(facts.isPaused).toBe(false);
        expect(facts.nextTryAt ?? 0).toBeLessThanOrEqual(NOW);
        const useful = given.demand.some(
          (jobs) =>
            jobs.ready + jobs.later + jobs.live > 0 &&
            (jobs.scheduler === null || jobs.scheduler === each.scheduler) &&
            fitsScheduler(jobs.requirement, facts, each, given.places, NOW),
        );
        expect(useful).toBe(true);
        expect(given.work.state).toBe('open');
      }
    });
  });

  test('what is ordered is not canceled, and what is decided is decided once', () => {
    check((given, decision) => {
      const next = carriedOut(given, decision);
      expect(decideAllocations(next).cancel.filter(({ id }) => id >= 1000)).toEqual([]);
      expect(
        decideAllocations(next).cancel.filter(({ id }) => decision.cancel.some((c) => c.id === id)),
      ).toEqual([]);
    });
  });

  test('a ready job that fits and has nobody is ordered for, unless its scheduler is held', () => {
    check((given) => {
      if (given.work.state !== 'open') return;
      const limits = { ...given.limits, parallel: Number.POSITIVE_INFINITY };
      const bare = { ...given, workers: [], allocations: [], limits };
      for (const each of given.policies.filter(({ further }) => further > 0)) {
        const facts = given.schedulers.find(({ model }) => model.name === each.scheduler)!;
        const isHeld = facts.isPaused || (facts.nextTryAt ?? 0) > NOW;
        const isBanned =
          facts.seen !== null &&
          (given.places.bans.some(({ site }) => site === facts.seen!.site) ||
            given.places.sites?.includes(facts.seen.site) === false);
        const waits = given.demand.some(
          ({ ready, requirement, scheduler: name }) =>
            ready > 0 &&
            (name === null || name === each.scheduler) &&
            Object.keys(requirement.resources).length === 0 &&
            fitsScheduler(requirement, facts, each, given.places, NOW),
        );
        const alone = { ...bare, policies: [{ ...each, due: 0 }] };
        expect(decideAllocations(alone).order.length > 0).toBe(
          (waits && !isHeld && !isBanned) || hasLicensed(alone, each),
        );
      }
    });
  });

  test('what has not begun and nobody needs is canceled', () => {
    check((given, { cancel }) => {
      if (given.work.state !== 'open') return;
      const empty = given.demand.every(({ ready, later, live }) => ready + later + live === 0);
      if (!empty) return;
      const idle = given.allocations.filter(({ state, isCanceling }) => state !== 'running' && !isCanceling);
      expect(cancel.map(({ id }) => id)).toEqual(idle.map(({ id }) => id));
    });
  });
});

/** Jobs with a named resource may be ordered for, too, if there is some of it left. */
function hasLicensed(given: AllocationSituation, each: OrderPolicy): boolean {
  const licensed = given.demand.filter(({ requirement }) => Object.keys(requirement.resources).length > 0);
  return decideAllocations({ ...given, demand: licensed, policies: [each] }).order.length > 0;
}
