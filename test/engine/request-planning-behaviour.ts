import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { admitRequests } from '../../src/engine/requests/admit-requests.ts';
import { planRound } from '../../src/engine/requests/plan-round.ts';
import { removeAbandonedRequests, storeRequest } from '../../src/engine/requests/store-request.ts';
import { removeAbandoned } from '../../src/engine/submit/store-workflow.ts';
import { takePlanning } from '../../src/store/rows/requests/request-rows.ts';
import { all, type Script } from '../../src/store/script.ts';
import type { Store } from '../../src/store/store.ts';
import { requestOf } from '../spec/request-text.ts';
import type { Databases } from './engine-world.ts';
import { openStoreOf } from './request-store.ts';
import { ADA, inventory, OK, paths, type RequestWorld, range, requestWorld } from './request-world.ts';

/** Longer than a planner or who stores something is waited for. */
const LEASE_MS = 60_001;

/** A store between whose writes something happens. Writes are counted from 1. */
class InterruptedStore implements Store {
  writes = 0;
  readonly #store: Store;
  readonly #before: (write: number) => Promise<void>;

  constructor(store: Store, before: (write: number) => Promise<void>) {
    this.#store = store;
    this.#before = before;
  }

  read<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.#store.read(script);
  }

  async write<T>(script: (now: number) => Script<T>): Promise<T> {
    this.writes += 1;
    await this.#before(this.writes);
    return this.#store.write(script);
  }

  backup(): Promise<void> {
    return Promise.reject(new Error('no copy is made here'));
  }

  freeBytes(): null {
    return null;
  }

  async close(): Promise<void> {}
}

const FILES = paths(130);
/** More rows than are stored at once: about a dozen transactions. */
const LARGE = inventory({ name: 'sim', items: FILES, round: '{ first_units: 130, units: 130 }' });
const SMALL = inventory({ name: 'sim', items: FILES.slice(0, 3) });

/** Planning by several processes, some of which die, on any database; `step`: only every so many points between two transactions. */
export function requestPlanningBehaviour(databases: Databases, step = 1): void {
  /** A request in PLANNING that no process plans yet. */
  const planning = async (text: string) => {
    const world = await requestWorld(databases);
    await world.submit(text);
    const store = await openStore(world);
    await store.write((now) => admitRequests(1, now));
    expect(await world.state()).toBe('PLANNING');
    const [row] = await store.read(() => all<{ id: number }>('select id from request'));
    return { world, store, id: row!.id };
  };

  /** How many writes planning takes. */
  const countWrites = async (text: string): Promise<number> => {
    const { store, id } = await planning(text);
    const counting = new InterruptedStore(store, async () => {});
    expect(await planRound(counting, id, 'counting')).toBe(true);
    return counting.writes;
  };

  const everyPoint = async (text: string, play: (at: number) => Promise<void>) => {
    const writes = await countWrites(text);
    expect(writes).toBeGreaterThan(1);
    if (text === LARGE) expect(writes).toBeGreaterThan(5);
    // The last one is always among them.
    for (let at = writes; at >= 2; at -= step) await play(at);
  };

  const sizes = [
    { size: 'small', text: SMALL },
    { size: 'large', text: LARGE },
  ];

  describe.each(sizes)('a $size round', ({ text }) => {
    test('is planned by one process, though another one tries between any two of its transactions', async () => {
      await everyPoint(text, async (at) => {
        const { world, store, id } = await planning(text);
        const others: boolean[] = [];
        const first = new InterruptedStore(store, async (write) => {
          if (write === at) others.push(await planRound(store, id, 'second'));
        });
        expect(await planRound(first, id, 'first')).toBe(true);
        expect(others).toEqual([false]);
        await expectOneRound(world, store);
      });
    });

    test('is not planned by the same process twice at the same time', async () => {
      await everyPoint(text, async (at) => {
        const { world, store, id } = await planning(text);
        const others: boolean[] = [];
        const first = new InterruptedStore(store, async (write) => {
          if (write === at) others.push(await planRound(store, id, 'first'));
        });
        expect(await planRound(first, id, 'first')).toBe(true);
        expect(others).toEqual([false]);
        await expectOneRound(world, store);
      });
    });

    test('is planned by the next process after the lease of one that is silent, which then stores nothing', async () => {
      await everyPoint(text, async (at) => {
        const { world, store, id } = await planning(text);
        const others: boolean[] = [];
        const first = new InterruptedStore(store, async (write) => {
          if (write !== at) return;
          world.clock.now += LEASE_MS;
          others.push(await planRound(store, id, 'second'));
        });
        expect(await planRound(first, id, 'first')).toBe(false);
        expect(others).toEqual([true]);
        await expectOneRound(world, store);
      });
    });

    test('of one that died between two transactions is invisible, and is planned after the lease', async () => {
      await everyPoint(text, async (at) => {
        const { world, store, id } = await planning(text);
        const first = new InterruptedStore(store, async (write) => {
          if (write >= at) throw new HoldfastError('STORE_FAILED', { problem: 'the process is dead' });
        });
        await expect(planRound(first, id, 'first')).rejects.toMatchObject({ code: 'STORE_FAILED' });
        expect(await world.show()).toMatchObject({ status: 'PLANNING', rounds: [] });
        expect((await world.engine.listWorkflows({})).items).toEqual([]);
        expect(await planRound(store, id, 'second')).toBe(false);
        world.clock.now += LEASE_MS;
        expect(await planRound(store, id, 'second')).toBe(true);
        await world.engine.sweep();
        await expectOneRound(world, store);
      });
    });

    test('is planned at once by the next process where the store failed only once', async () => {
      await everyPoint(text, async (at) => {
        const { world, store, id } = await planning(text);
        const first = new InterruptedStore(store, async (write) => {
          if (write === at) throw new HoldfastError('STORE_FAILED', { problem: 'the disk was full' });
        });
        await expect(planRound(first, id, 'first')).rejects.toMatchObject({ code: 'STORE_FAILED' });
        expect(await world.state()).toBe('PLANNING');
        expect(await planRound(store, id, 'second')).toBe(true);
        await world.engine.sweep();
        await expectOneRound(world, store);
      });
    });

    const orders = [
      { order: 'failed', state: 'FAILED', act: (engine: ServedEngine) => engine.failRequest('sim', ADA) },
      { order: 'paused', state: 'PAUSED', act: (engine: ServedEngine) => engine.pauseRequest('sim', ADA) },
      {
        order: 'restarted',
        state: 'QUEUED',
        act: (engine: ServedEngine) => engine.restartRequest('sim', ADA),
      },
    ];
    test.each(orders)('of a request that is $order meanwhile leaves nothing', async ({ act, state }) => {
      await everyPoint(text, async (at) => {
        const { world, store, id } = await planning(text);
        const first = new InterruptedStore(store, async (write) => {
          if (write === at) await act(world.engine);
        });
        expect(await planRound(first, id, 'first')).toBe(false);
        expect(await world.show()).toMatchObject({ status: state, rounds: [] });
        expect((await world.engine.listWorkflows({})).items).toEqual([]);
        world.clock.now += LEASE_MS;
        await world.engine.sweep();
        expect(await leftovers(store)).toEqual({ jobs: 0, sets: 0, members: 0, units: 0, unit_items: 0 });
        // Nothing of it is in the way of what follows.
        if (state === 'PAUSED') await world.engine.resumeRequest('sim', ADA);
        if (state === 'FAILED') return;
        expect(await world.drive(await world.worker())).toBe('COMPLETED');
      });
    });

    test('is given up where the request has had that round and plans its next one meanwhile', async () => {
      const rounds = text.replace(
        /round: .*/,
        `round: { first_units: ${text === LARGE ? 129 : 2}, units: 1 }`,
      );
      await everyPoint(rounds, async (at) => {
        const { world, store, id } = await planning(rounds);
        const worker = await world.worker();
        const states: string[] = [];
        const first = new InterruptedStore(store, async (write) => {
          if (write !== at) return;
          await world.engine.pauseRequest('sim', ADA);
          await world.engine.resumeRequest('sim', ADA);
          await world.tend();
          await worker.run();
          await store.write((now) => admitRequests(1, now));
          // By the same process, so that its name says nothing about which round it is.
          await store.write((now) => takePlanning(id, 'first', now + 1));
          states.push(await world.state());
        });
        expect(await planRound(first, id, 'first')).toBe(false);
        expect(states).toEqual(['PLANNING']);
        expect(await world.show()).toMatchObject({ status: 'PLANNING', round_count: 1, hold: null });
        world.clock.now += 2;
        expect(await world.drive(worker)).toBe('COMPLETED');
        expect((await world.show()).round_count).toBe(2);
      });
    });
  });

  describe('a round whose planning takes longer than the lease of its planner', () => {
    test('is planned to its end by the planner that is at it', async () => {
      const items = paths(2200);
      const text = inventory({ name: 'sim', items, round: '{ first_units: 2200, units: 2200 }' });
      const { world, store, id } = await planning(text);
      const others: boolean[] = [];
      const slow = new InterruptedStore(store, async (write) => {
        world.clock.now += 2000;
        if (write % 10 === 0) others.push(await planRound(store, id, 'second'));
      });
      const begun = world.clock.now;
      expect(await planRound(slow, id, 'first')).toBe(true);
      expect(world.clock.now - begun).toBeGreaterThan(LEASE_MS);
      expect(others).not.toContain(true);
      expect(await world.show()).toMatchObject({ status: 'ACTIVE', round_count: 1 });
    });
  });

  describe('a workflow that is stored late, but in time', () => {
    test('is not removed by who has seen it as abandoned', async () => {
      const { world, store, id } = await planning(LARGE);
      let arrive: () => void = () => {};
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      let proceed: () => void = () => {};
      const allowed = new Promise<void>((resolve) => {
        proceed = resolve;
      });
      const writes = await countWrites(LARGE);
      const slow = new InterruptedStore(store, async (write) => {
        if (write !== writes) return;
        arrive();
        await allowed;
      });
      const planned = planRound(slow, id, 'first');
      await arrived;
      world.clock.now += LEASE_MS;
      // It is found as abandoned, and then stored to its end before the first part of it is removed.
      const late = new InterruptedStore(store, async (write) => {
        if (write > 1) return;
        proceed();
        await planned;
      });
      await removeAbandoned(late, { isStopped: () => false, before: async () => {} });
      expect(await planned).toBe(true);
      await expectOneRound(world, store);
    });
  });

  describe('two engines that move requests on at the same moment', () => {
    test('plan each round once', async () => {
      const world = await requestWorld(databases);
      const engines = [world.engine, await world.another(), await world.another()];
      const worker = await world.worker();
      const names = ['a', 'b', 'c'];
      for (const name of names) {
        await world.submit(range({ name, units: 3, total: 240, round: '{ first_units: 3, units: 3 }' }));
      }
      for (let pass = 0; pass < 200; pass += 1) {
        const done = await Promise.all(engines.map((engine) => engine.tendRequests({ most_active: 3 })));
        const { ran } = await worker.run();
        if (ran === 0 && !done.includes(true)) break;
      }
      for (const name of names) {
        expect(await world.state(name)).toBe('COMPLETED');
        const planned = (await world.history(name)).filter((action) => action === 'round_planned');
        expect(planned).toHaveLength(8);
        const firsts = (await world.units(name)).map(({ first }) => first);
        expect(new Set(firsts).size).toBe(24);
      }
      for (const engine of engines.slice(1)) await engine.close();
    });
  });

  describe('a request that is stored in parts', () => {
    const { model, items } = requestOf(inventory({ name: 'sim', items: paths(1200) }));
    const store1200 = (store: Store) =>
      storeRequest(store, { model, items, cwd: '/', output_dir: 'o', actor: 'x', shared: true });

    test('is there as a whole or not at all, wherever the process dies, and leaves nothing', async () => {
      for (let at = 2; at <= 5; at += 1) {
        const world = await requestWorld(databases);
        const store = await openStore(world);
        const dying = new InterruptedStore(store, async (write) => {
          if (write >= at) throw new HoldfastError('STORE_FAILED', { problem: 'the process is dead' });
        });
        await expect(store1200(dying)).rejects.toMatchObject({ code: 'STORE_FAILED' });
        expect((await world.engine.listRequests({})).items).toEqual([]);
        await expect(world.show()).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
        world.clock.now += LEASE_MS;
        await world.engine.sweep();
        const rows = await store.read(() => all('select id from item union all select id from request'));
        expect(rows).toEqual([]);
        await store1200(store);
        expect((await world.show()).items).toMatchObject({ fresh: 1200 });
      }
    });

    test('late, but in time, is not removed by who has seen it as abandoned', async () => {
      const world = await requestWorld(databases);
      const store = await openStore(world);
      const slow = new InterruptedStore(store, async (write) => {
        if (write === 5) world.clock.now += LEASE_MS;
      });
      let stored: Promise<number> | undefined;
      // It is found as abandoned, and then stored to its end before the first part of it is removed.
      const late = new InterruptedStore(store, async (write) => {
        if (write === 1) await stored;
      });
      let begin: () => void = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const waiting = new InterruptedStore(slow, async (write) => {
        if (write === 5) begin();
      });
      stored = store1200(waiting);
      await begun;
      world.clock.now += LEASE_MS;
      await removeAbandonedRequests(late);
      await stored;
      expect((await world.show()).items).toMatchObject({ fresh: 1200 });
    });
  });
}

async function openStore(world: RequestWorld): Promise<Store> {
  const store = await openStoreOf(world);
  onTestFinished(() => store.close());
  return store;
}

/** Rows of workflows that are no round. */
async function leftovers(store: Store) {
  const rounds = '(select workflow_id from round)';
  const [row] = await store.read(() =>
    all<Record<'jobs' | 'sets' | 'members' | 'units' | 'unit_items', number>>(
      `select (select count(*) from job where workflow_id not in ${rounds}) as jobs,
         (select count(*) from dependency_set where workflow_id not in ${rounds}) as sets,
         (select count(*) from dependency_member join dependency_set on dependency_set.id = set_id
          where workflow_id not in ${rounds}) as members,
         (select count(*) from unit where workflow_id not in ${rounds}) as units,
         (select count(*) from unit_item join unit on unit.id = unit_id where workflow_id not in ${rounds}) as unit_items`,
    ),
  );
  return row!;
}

/** Everything of the request is in one round, once, and nothing else is there. */
async function expectOneRound(world: RequestWorld, store: Store): Promise<void> {
  const shown = await world.show();
  expect(shown).toMatchObject({ status: 'ACTIVE', round_count: 1, hold: null });
  expect((await world.engine.listWorkflows({})).items.map(({ id }) => id)).toEqual([
    shown.rounds[0]!.workflow_id,
  ]);
  expect(await leftovers(store)).toEqual({ jobs: 0, sets: 0, members: 0, units: 0, unit_items: 0 });
  const numbers = (await world.units()).map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  const planned = (await world.history()).filter((action) => action === 'round_planned');
  expect(planned).toHaveLength(1);
  const worker = await world.worker();
  await worker.end(await worker.claim(), OK);
  expect(await world.show()).toMatchObject({ status: 'COMPLETED', delivered: shown.total });
}
