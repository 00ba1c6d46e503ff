import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { ErrandReport, OutputsOrder } from '../../src/contract/records/errand.ts';
import type { Claim, Exchange } from '../../src/contract/records/exchange.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import { crashedPost } from '../../src/core/job/post-result.ts';
import { hookDelayMs, MOST_HOOK_TRIES } from '../../src/core/request/output-hook.ts';
import { LEASE_MS } from '../../src/core/worker/lease.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { sentFiles } from '../../src/spec/spec-files.ts';
import { type Databases, NOTHING, ordersOf, PLENTY } from './engine-world.ts';
import { hasWork } from './found-news.ts';

const HOOKS = { output_registered: 'register', output_invalidated: 'invalidate' };
const SUCCESS = { ...crashedPost(''), exit_code: 0, problem: null };
const FAILURE = { ...crashedPost(''), exit_code: 42, problem: null };

/** Requests of a server, worked off by hand. Jobs are called `unit_000001_proc_01` and so on. */
class RequestWorld {
  readonly clock: { now: number };
  readonly engine: ServedEngine;

  private constructor(engine: ServedEngine, clock: { now: number }) {
    this.engine = engine;
    this.clock = clock;
  }

  static async create(databases: Databases): Promise<RequestWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-outputs-'));
    const database = await databases(dir);
    const { databaseUrl } = database;
    const clock = { now: 1_700_000_000_000 };
    const engine = await openEngine({
      dir,
      create: true,
      clock: () => clock.now,
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
    onTestFinished(async () => {
      await engine.close();
      await database.remove();
      rmSync(dir, { recursive: true, force: true });
    });
    return new RequestWorld(engine, clock);
  }

  async submit(more: object = {}, shared = true): Promise<void> {
    const spec = {
      kind: 'request',
      name: 'demo',
      work: { range: { total: 4, first: 1, per_job: 1 } },
      jobs_per_unit: 1,
      round: { first_units: 2, units: 2 },
      process: { command: 'make {first} {output}', retry: 0 },
      outputs: 'out/{unit}.dat',
      ...more,
    };
    const loaded = loadRequest(JSON.stringify(spec), 'demo.json', sentFiles({ texts: {}, lists: {} }));
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
    const { model, items } = loaded;
    await this.engine.createRequest({
      model,
      items,
      cwd: '/data',
      output_dir: 'output',
      actor: 'ann',
      shared,
    });
    await this.tend();
  }

  async tend(): Promise<void> {
    while (await this.engine.tendRequests({ most_active: 10 }));
  }

  get request() {
    return this.engine.getRequest('demo');
  }

  async history(ref = 'demo@1') {
    return (await this.engine.requestHistory(ref)).items;
  }

  async worker(): Promise<Hand> {
    const { id } = await this.engine.registerWorker({
      ...ownIdentity({ kind: 'service' }),
      host: 'elsewhere',
    });
    return new Hand(this, id);
  }

  /** As if its process had died. */
  async lose(worker: Hand): Promise<void> {
    await this.engine.loseWorker(worker.id, { actor: 'ann' });
  }
}

class Hand {
  readonly id: number;
  readonly #world: RequestWorld;
  readonly #own: Pick<Exchange, 'workflow_id'>;
  readonly #claims: Claim[] = [];

  /** `own`: the workflow whose run it drives. */
  constructor(world: RequestWorld, id: number, own: Pick<Exchange, 'workflow_id'> = {}) {
    this.#world = world;
    this.id = id;
    this.#own = own;
  }

  async exchange(part: Partial<Exchange> = {}) {
    const request = { ...NOTHING, capacity: PLENTY, ...this.#own, ...part };
    const result = await this.#world.engine.exchange(this.id, request);
    this.#claims.push(...result.claims);
    return result;
  }

  /** Everything that it was given and has not ended. */
  async claim(): Promise<Claim[]> {
    await this.exchange();
    return this.#claims.splice(0);
  }

  /** Ends jobs; those of the units in `failing` fail for good. Returns what is to be done for outputs then. */
  async end(claims: readonly Claim[], failing: readonly number[] = []): Promise<OutputsOrder[]> {
    const at = this.#world.clock.now;
    const fails = ({ job_name }: Claim) => failing.includes(Number(job_name.slice(5, 11)));
    const finished = claims.map((claim) => ({
      token: claim.token,
      started_at_ms: at,
      finished_at_ms: at,
      outcome: outcome({ exit_code: fails(claim) ? 1 : 0 }),
      usage: null,
    }));
    const posts = ordersOf(await this.exchange({ finished, capacity: null }), 'post');
    const judged = posts.map(({ id, token }): ErrandReport => {
      const claim = claims.find((each) => each.token === token)!;
      return { kind: 'post', id, post: fails(claim) ? FAILURE : SUCCESS };
    });
    return ordersOf(await this.exchange({ errands: judged }), 'outputs');
  }

  async outputs(): Promise<OutputsOrder[]> {
    return ordersOf(await this.exchange(), 'outputs');
  }

  report({ kind, id }: OutputsOrder, facts: Partial<Outcome> = { exit_code: 0 }) {
    return this.exchange({ errands: [{ kind, id, outcome: outcome(facts) }] });
  }
}

/** What becomes of the outputs of requests, on any database. */
export function outputsBehaviour(databases: Databases): void {
  const worldWith = async (more: object = {}) => {
    const world = await RequestWorld.create(databases);
    await world.submit(more);
    return { world, worker: await world.worker() };
  };

  describe('outputs of a request', () => {
    test('are registered when a run ends, once, with those of its finished units', async () => {
      const { world, worker } = await worldWith({ hooks: HOOKS });
      const [first, ...others] = await worker.end(await worker.claim());
      expect(others).toEqual([]);
      expect(first).toMatchObject({
        request_name: 'demo',
        version: 1,
        event: 'registered',
        round: 1,
        run_id: 1,
        outputs: [
          { unit: 1, path: 'out/1.dat' },
          { unit: 2, path: 'out/2.dat' },
        ],
        hook: 'register',
        manifest: null,
        idempotency_key: 'demo@1/registered/1/1',
        cwd: '/data',
        output_dir: 'output',
      });
      expect((await world.request).output_errands).toMatchObject([
        { event: 'registered', version: 1, tries: 1, worker_id: worker.id, started_at_ms: world.clock.now },
      ]);
      expect((await world.engine.status(first!.workflow_id)).errands).toMatchObject([{ kind: 'outputs' }]);
      expect(await worker.outputs()).toEqual([]);
      await worker.report(first!);
      expect((await world.request).output_errands).toEqual([]);
      await world.tend();
      expect(await worker.end(await worker.claim())).toMatchObject([
        { round: 2, idempotency_key: 'demo@1/registered/2/1', outputs: [{ unit: 3 }, { unit: 4 }] },
      ]);
    });

    test('are registered without those of failed units, which follow with the rescue that finishes them', async () => {
      const { worker } = await worldWith({ hooks: HOOKS, errors: { error_hold_threshold: 0.9 } });
      const [order] = await worker.end(await worker.claim(), [2]);
      expect(order).toMatchObject({ run_id: 1, outputs: [{ unit: 1 }] });
      await worker.report(order!);
      expect(await worker.end(await worker.claim())).toMatchObject([
        { run_id: 2, idempotency_key: 'demo@1/registered/1/2', outputs: [{ unit: 2 }] },
      ]);
    });

    test('need no worker where the request has no hook', async () => {
      const { world, worker } = await worldWith();
      expect(await worker.end(await worker.claim())).toEqual([]);
      expect((await world.request).output_errands).toEqual([]);
      expect((await world.history()).map(({ action }) => action)).toContain('outputs_registered');
    });

    test('are invalidated by fail, those of units done in the open run included', async () => {
      const { world, worker } = await worldWith();
      const [one] = await worker.claim();
      await worker.end([one!]);
      await world.engine.failRequest('demo', { actor: 'bob', reason: 'wrong geometry' });
      const { status, output_state, delivered, rounds } = await world.request;
      expect({ status, output_state, delivered }).toEqual({
        status: 'FAILED',
        output_state: 'invalidated',
        delivered: '1',
      });
      expect(rounds).toMatchObject([
        { state: 'FAILED', units: { total: 2, done: 1, failed: 1, not_run: 0 } },
      ]);
      const { items } = await world.engine.listUnits('demo');
      expect(items.map(({ state }) => state)).toEqual(['done', 'failed']);
      expect(await hasWork(world.engine)).toBe(true);
      expect(await worker.outputs()).toMatchObject([
        {
          event: 'invalidated',
          hook: null,
          manifest: 'requests/demo/v1/invalidated.json',
          idempotency_key: 'demo@1/invalidated',
          reason: 'wrong geometry',
          actor: 'bob',
          at_ms: world.clock.now,
          outputs: [{ unit: 1, path: 'out/1.dat' }],
        },
      ]);
      expect(await hasWork(world.engine)).toBe(false);
    });

    test('of a request without rounds are none', async () => {
      const world = await RequestWorld.create(databases);
      await world.submit({}, false);
      await world.engine.failRequest('demo', { actor: 'bob' });
      expect(await world.request).toMatchObject({ output_state: 'invalidated', output_errands: [] });
    });

    test('are not registered any more once they are invalidated', async () => {
      const { world, worker } = await worldWith({ hooks: HOOKS });
      const [registration] = await worker.end(await worker.claim());
      await worker.report(registration!, { exit_code: 1 });
      await world.engine.failRequest('demo', { actor: 'bob' });
      world.clock.now += hookDelayMs(1);
      const [invalidation, ...others] = await worker.outputs();
      expect([invalidation!.event, others]).toEqual(['invalidated', []]);
      expect((await world.request).output_errands).toMatchObject([{ event: 'invalidated' }]);
    });

    test('are invalidated after a registration that runs has been stopped', async () => {
      const { world, worker } = await worldWith({ hooks: HOOKS });
      const other = await world.worker();
      const [registration] = await worker.end(await worker.claim());
      await world.engine.failRequest('demo', { actor: 'bob' });
      expect(await other.outputs()).toEqual([]);
      expect((await worker.exchange({ capacity: null })).cancel_errands).toEqual([registration!.id]);
      const next = await worker.report(registration!, { canceled: true });
      expect(ordersOf(next, 'outputs')).toMatchObject([{ event: 'invalidated', hook: 'invalidate' }]);
    });

    test('stay valid after a restart, and are superseded when the next version is complete', async () => {
      const { world, worker } = await worldWith({ hooks: HOOKS });
      const [one] = await worker.claim();
      await worker.end([one!]);
      await world.engine.restartRequest('demo', { actor: 'bob' });
      expect((await world.engine.getRequest('demo@1')).output_state).toBe('active');
      const [registration, ...others] = await worker.outputs();
      expect(registration).toMatchObject({ version: 1, event: 'registered', outputs: [{ unit: 1 }] });
      expect(others).toEqual([]);
      await worker.report(registration!);
      await completeNewest(world, worker);
      expect((await world.engine.getRequest('demo@1')).output_state).toBe('superseded');
      expect((await world.request).output_errands).toEqual([]);
    });

    test('are invalidated when the next version is complete, with immediate_cleanup', async () => {
      const { world, worker } = await worldWith({ cleanup_policy: 'immediate_cleanup' });
      await worker.end(await worker.claim());
      await world.engine.restartRequest('demo', { actor: 'bob' });
      expect(await worker.outputs()).toEqual([]);
      const orders = await completeNewest(world, worker);
      expect(orders).toMatchObject([
        {
          version: 1,
          event: 'invalidated',
          reason: 'superseded by demo@2',
          outputs: [{ unit: 1 }, { unit: 2 }],
        },
      ]);
      expect((await world.engine.getRequest('demo@1')).output_state).toBe('invalidated');
      expect((await world.engine.getRequest('demo@2')).output_errands).toMatchObject([{ version: 1 }]);
    });
  });

  describe('a hook for outputs', () => {
    test('that fails is repeated under the same key after a wait, by any worker', async () => {
      const { world, worker } = await worldWith({ hooks: HOOKS });
      const [order] = await worker.end(await worker.claim());
      const { next_due_at_ms } = await worker.report(order!, { exit_code: 7 });
      expect(next_due_at_ms).toBe(world.clock.now + hookDelayMs(1));
      expect((await world.request).output_errands).toMatchObject([
        { tries: 1, due_at_ms: next_due_at_ms, started_at_ms: null, problem: 'exit 7' },
      ]);
      const other = await world.worker();
      expect(await other.outputs()).toEqual([]);
      expect(await hasWork(world.engine)).toBe(false);
      world.clock.now = next_due_at_ms!;
      expect(await hasWork(world.engine)).toBe(true);
      expect(await other.outputs()).toEqual([order]);
      await other.report(order!);
      expect((await world.request).output_errands).toEqual([]);
    });

    test(`is given up after ${MOST_HOOK_TRIES} tries, and that is recorded`, async () => {
      const { world, worker } = await worldWith({ hooks: HOOKS });
      let [order] = await worker.end(await worker.claim());
      for (let tries = 1; tries <= MOST_HOOK_TRIES; tries += 1) {
        expect(order).toMatchObject({ idempotency_key: 'demo@1/registered/1/1' });
        await worker.report(order!, { exit_code: 7 });
        world.clock.now += hookDelayMs(tries);
        [order] = await worker.outputs();
      }
      expect(order).toBeUndefined();
      expect((await world.request).output_errands).toEqual([]);
      const failures = (await world.history()).filter(({ action }) => action === 'output_hook_failed');
      expect(failures.map(({ data }) => data)).toMatchObject([
        { event: 'registered', idempotency_key: 'demo@1/registered/1/1', tries: 10, problem: 'exit 7' },
      ]);
    });

    test('is repeated at once when its worker dies, and free of charge when it is stopped', async () => {
      const { world, worker } = await worldWith({ hooks: HOOKS });
      const [order] = await worker.end(await worker.claim());
      await world.lose(worker);
      const second = await world.worker();
      expect(await second.outputs()).toEqual([order]);
      await second.exchange({
        errands: [{ kind: 'outputs', id: order!.id, outcome: outcome({ stopped: true }) }],
        capacity: null,
      });
      expect((await world.request).output_errands).toMatchObject([{ tries: 1, started_at_ms: null }]);
      const third = await world.worker();
      expect(await third.outputs()).toEqual([order]);
      expect((await world.request).output_errands).toMatchObject([{ tries: 2, worker_id: third.id }]);
    });

    test('is left to a worker that was restarted', async () => {
      const { world } = await worldWith({ hooks: HOOKS });
      const identity = ownIdentity({ kind: 'service' });
      const { id, secret } = await world.engine.registerWorker(identity);
      const worker = new Hand(world, id);
      const [order] = await worker.end(await worker.claim());
      const { errands } = await world.engine.resumeWorker({ id, secret }, identity);
      expect(errands).toEqual([{ kind: 'outputs', id: order!.id }]);
    });

    test('is not given to workers that take no more work', async () => {
      const { world, worker } = await worldWith({ hooks: HOOKS });
      await worker.end(await worker.claim());
      await world.lose(worker);
      const leaving = await world.worker();
      expect(ordersOf(await leaving.exchange({ capacity: null, leaving: true }), 'outputs')).toEqual([]);
      await world.engine.drainWorker(leaving.id, { actor: 'ann' });
      expect(await leaving.outputs()).toEqual([]);
    });

    test('of a request that no server works on is done by whoever drives one of its rounds', async () => {
      const world = await RequestWorld.create(databases);
      await world.submit({ hooks: HOOKS }, false);
      const tend = async () => {
        while (await world.engine.tendRequests({ name: 'demo' }));
      };
      const drive = async () => {
        await tend();
        const { workflow_id } = (await world.request).rounds.at(-1)!;
        const { id } = await world.engine.registerWorker({ ...ownIdentity(), host: 'elsewhere' });
        await world.engine.adopt(workflow_id, id);
        return new Hand(world, id, { workflow_id });
      };
      const first = await drive();
      const [order] = await first.end(await first.claim());
      await first.report(order!, { exit_code: 1 });
      expect(await (await world.worker()).outputs()).toEqual([]);
      world.clock.now += Math.max(hookDelayMs(1), LEASE_MS + 1);
      const second = await drive();
      expect(await second.outputs()).toEqual([order]);
    });
  });
}

/** Works off the newest version. Returns what is to be done for outputs of older ones. */
async function completeNewest(world: RequestWorld, worker: Hand): Promise<OutputsOrder[]> {
  const older: OutputsOrder[] = [];
  for (let rounds = 0; rounds < 5; rounds += 1) {
    await world.tend();
    for (const order of await worker.end(await worker.claim())) {
      if (order.version === 1) older.push(order);
      else await worker.report(order);
    }
    if ((await world.request).status === 'COMPLETED') return older;
  }
  throw new Error('the request is not complete after 5 rounds');
}
