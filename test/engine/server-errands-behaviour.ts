import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { ServerErrand, ServerErrandHandler } from '../../src/contract/records/errand.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { insertServerErrand } from '../../src/store/rows/errands/server-errand-rows.ts';
import { all } from '../../src/store/script.ts';
import type { Store } from '../../src/store/store.ts';
import { type Databases, type EngineWorld, worldOf } from './engine-world.ts';
import { simpleModel } from './simple-model.ts';

const LEASE_MS = 30_000;

/** A handler whose errands end when the test says so, and that knows what was begun and stopped. */
class Hand implements ServerErrandHandler {
  readonly kind = 'count sheep';
  readonly begun: unknown[] = [];
  readonly stopped: unknown[] = [];
  readonly #ends = new Map<unknown, (result: unknown) => void>();

  run({ data }: ServerErrand, signal: AbortSignal): Promise<unknown> {
    this.begun.push(data);
    return new Promise((resolve, reject) => {
      this.#ends.set(data, resolve);
      signal.addEventListener('abort', () => {
        this.stopped.push(signal.reason);
        reject(new Error('stopped'));
      });
    });
  }

  end(data: unknown, result: unknown): void {
    this.#ends.get(data)!(result);
  }
}

/** Errands that servers do, on any database. */
export function serverErrandBehaviour(databases: Databases): void {
  async function scene(): Promise<{ world: EngineWorld; store: Store }> {
    const world = await worldOf(simpleModel([{ name: 'a' }]), databases);
    const store = await world.database.openStore();
    onTestFinished(() => store.close());
    return { world, store };
  }

  /** Another server on the database of the world. */
  async function server(world: EngineWorld, hand: ServerErrandHandler): Promise<ServedEngine> {
    const { databaseUrl } = world.database;
    const engine = await openEngine({
      dir: world.dir,
      create: false,
      clock: () => world.clock.now,
      serverErrands: [hand],
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
    });
    onTestFinished(() => engine.close());
    return engine;
  }

  function order(world: EngineWorld, store: Store, data: unknown, timeout_ms: number | null = null) {
    const errand = { workflow_id: world.workflowId, run_id: 1, kind: 'count sheep', data, timeout_ms };
    return store.write(() => insertServerErrand(errand, world.clock.now));
  }

  /** How errands ended, in the order of their ids; null while they have not. */
  async function results(store: Store): Promise<unknown[]> {
    const rows = await store.read(() =>
      all<{ result: string | null }>('select result from errand order by id'),
    );
    return rows.map(({ result }) => (result === null ? null : JSON.parse(result)));
  }

  describe('an errand of the server', () => {
    test('is done once, whichever of two servers takes it', async () => {
      const { world, store } = await scene();
      for (let n = 0; n < 12; n += 1) await order(world, store, n);
      const hands = [new Hand(), new Hand()];
      const servers = [await server(world, hands[0]!), await server(world, hands[1]!)];
      await Promise.all(servers.map((each) => each.sweep()));
      await Promise.all(servers.map((each) => each.sweep()));
      const begun = hands.flatMap((hand) => hand.begun);
      expect(begun.toSorted((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: 12 }, (_, n) => n),
      );
      for (const hand of hands) for (const data of hand.begun) hand.end(data, { counted: data });
      await expect
        .poll(() => results(store))
        .toEqual(Array.from({ length: 12 }, (_, n) => ({ done: { counted: n } })));
      await Promise.all(servers.map((each) => each.sweep()));
      expect(hands.flatMap((hand) => hand.begun)).toHaveLength(12);
    });

    test('is listed by status while it runs', async () => {
      const { world, store } = await scene();
      const id = await order(world, store, 'first', 60_000);
      const hand = new Hand();
      await (await server(world, hand)).sweep();
      expect((await world.engine.status(world.workflowId)).errands).toMatchObject([
        { id, kind: 'count sheep', job_id: null, worker_id: null, timeout_ms: 60_000 },
      ]);
      hand.end('first', 1);
      await expect.poll(async () => (await world.engine.status(world.workflowId)).errands).toEqual([]);
    });

    test('goes to the next server when the lease of a silent one is over, and not before', async () => {
      const { world, store } = await scene();
      await order(world, store, 'first');
      const [silent, next] = [new Hand(), new Hand()];
      const servers = [await server(world, silent), await server(world, next)];
      await servers[0]!.sweep();
      world.clock.now += LEASE_MS - 1;
      await servers[1]!.sweep();
      expect(next.begun).toEqual([]);
      world.clock.now += 1;
      await servers[1]!.sweep();
      expect(next.begun).toEqual(['first']);
      // The silent one comes back too late: its result does not count, and it gets the order to stop.
      silent.end('first', 'late');
      await order(world, store, 'second');
      await servers[0]!.sweep();
      silent.end('second', 'its own');
      await expect.poll(() => results(store)).toEqual([null, { done: 'its own' }]);
      next.end('first', 'in time');
      await expect.poll(() => results(store)).toEqual([{ done: 'in time' }, { done: 'its own' }]);
    });

    test('stays with a server that renews its lease, and is stopped where that comes too late', async () => {
      const { world, store } = await scene();
      await order(world, store, 'first');
      const [first, second] = [new Hand(), new Hand()];
      const servers = [await server(world, first), await server(world, second)];
      await servers[0]!.sweep();
      for (let round = 0; round < 4; round += 1) {
        world.clock.now += LEASE_MS - 1;
        await servers[0]!.sweep();
        await servers[1]!.sweep();
      }
      expect([first.begun, second.begun]).toEqual([['first'], []]);
      world.clock.now += LEASE_MS;
      await servers[1]!.sweep();
      await servers[0]!.sweep();
      expect([second.begun, first.stopped]).toEqual([['first'], ['lost']]);
    });

    test('is begun by the next server at once when its server was stopped', async () => {
      const { world, store } = await scene();
      await order(world, store, 'first');
      const [first, second] = [new Hand(), new Hand()];
      const stopping = await server(world, first);
      await stopping.sweep();
      await stopping.close();
      expect(first.stopped).toEqual(['stopping']);
      await (await server(world, second)).sweep();
      expect(second.begun).toEqual(['first']);
      second.end('first', 2);
      await expect.poll(() => results(store)).toEqual([{ done: 2 }]);
    });

    test('is stopped by a cancel of the workflow, or not begun', async () => {
      const { world, store } = await scene();
      await order(world, store, 'begun');
      const hand = new Hand();
      const only = await server(world, hand);
      await only.sweep();
      await order(world, store, 'waiting');
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      await only.sweep();
      await expect.poll(() => results(store)).toEqual([{ stopped: 'canceled' }, { stopped: 'canceled' }]);
      expect([hand.begun, hand.stopped]).toEqual([['begun'], ['canceled']]);
    });

    test('that fails, or takes too long, has ended', async () => {
      const { world, store } = await scene();
      await order(world, store, 'bad');
      await order(world, store, 'slow', 5);
      const kind = 'count sheep';
      const hand = new Hand();
      const failing: ServerErrandHandler = {
        kind,
        run: (errand, signal) => {
          if (errand.data === 'bad') throw new Error('no sheep');
          return hand.run(errand, signal);
        },
      };
      await (await server(world, failing)).sweep();
      await expect.poll(() => results(store)).toEqual([{ failed: 'no sheep' }, { stopped: 'timeout' }]);
    });

    test('of a kind that a server does not know is left to others', async () => {
      const { world, store } = await scene();
      await order(world, store, 'first');
      const unable = await server(world, { kind: 'other', run: () => Promise.reject(new Error('never')) });
      await unable.sweep();
      const hand = new Hand();
      await (await server(world, hand)).sweep();
      expect(hand.begun).toEqual(['first']);
      hand.end('first', 1);
      await expect.poll(() => results(store)).toEqual([{ done: 1 }]);
    });
  });
}
