import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { Claim } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { simpleModel } from '../engine/simple-model.ts';
import { type PostgresWorld, startPostgres } from './postgres-world.ts';
import { SimulatedWorker } from './simulated-worker.ts';

let postgres: PostgresWorld;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

/** Several engines on one database, as several servers would be. */
async function enginesOnOne(count: number): Promise<ServedEngine[]> {
  const databaseUrl = await postgres.createDatabase();
  const engines = await Promise.all(
    Array.from({ length: count }, () => openEngine({ dir: '.', create: false, databaseUrl })),
  );
  onTestFinished(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
  });
  return engines;
}

function create(engine: ServedEngine, jobs: number, options: Parameters<typeof simpleModel>[1] = {}) {
  const names = Array.from({ length: jobs }, (_, index) => `j${index}`);
  // Every tenth job waits for the nine before it.
  const model = simpleModel(
    names.map((name, index) => ({
      name,
      after: index % 10 === 9 ? names.slice(index - 9, index) : [],
      resources: options.limits === undefined ? {} : { licence: 1 },
    })),
    options,
  );
  return engine.createWorkflow({ model, cwd: '/', output_dir: 'output', actor: 'test', shared: true });
}

/** What all workers together hold at a moment, and what was ever given. */
class Watch {
  readonly #given = new Set<string>();
  readonly #tokens = new Set<number>();
  readonly #workers: SimulatedWorker[];
  readonly #limits: Map<number, number>;

  constructor(workers: SimulatedWorker[], limits: Map<number, number>) {
    this.#workers = workers;
    this.#limits = limits;
  }

  take(claims: Claim[]): void {
    for (const { token, job_id, run_id, attempt_id } of claims) {
      const attempt = `${job_id} ${run_id} ${attempt_id}`;
      expect(this.#given.has(attempt), `attempt ${attempt} was given before`).toBe(false);
      expect(this.#tokens.has(token)).toBe(false);
      this.#given.add(attempt);
      this.#tokens.add(token);
    }
    const held = new Map<number, number>();
    for (const { workflow_id } of this.#workers.flatMap((worker) => worker.held)) {
      held.set(workflow_id, (held.get(workflow_id) ?? 0) + 1);
    }
    for (const [id, limit] of this.#limits) expect(held.get(id) ?? 0).toBeLessThanOrEqual(limit);
  }

  get count(): number {
    return this.#given.size;
  }
}

const isComplete = async (engine: ServedEngine, ids: number[]) =>
  (await Promise.all(ids.map((id) => engine.status(id)))).every((status) => status.complete);

/** All workers at once, each on an engine of its own choice every time, until everything has ended. */
async function workUntilComplete(
  engines: ServedEngine[],
  ids: number[],
  watch: Watch,
  workers: SimulatedWorker[],
) {
  await Promise.all(
    workers.map(async (worker, index) => {
      for (let turn = index; ; turn += 1) {
        const engine = engines[turn % engines.length]!;
        watch.take((await worker.exchange(3, engine)).claims);
        if (worker.held.length === 0 && (await isComplete(engine, ids))) return;
      }
    }),
  );
}

test('many claimers over few workflows never get one job twice, and limits hold', async () => {
  const engines = await enginesOnOne(3);
  const [plain, parallel, licensed] = await Promise.all([
    create(engines[0]!, 40),
    create(engines[1]!, 30, { maxParallel: 4 }),
    create(engines[2]!, 30, { limits: { licence: 3 } }),
  ]);
  const workers = await Promise.all(
    Array.from({ length: 9 }, (_, index) => SimulatedWorker.register(engines[index % 3]!)),
  );
  const ids = [plain.id, parallel.id, licensed.id];
  const watch = new Watch(
    workers,
    new Map([
      [parallel.id, 4],
      [licensed.id, 3],
    ]),
  );
  await workUntilComplete(engines, ids, watch, workers);
  expect(watch.count).toBe(100);
  for (const id of ids) {
    const { items } = await engines[0]!.listAttempts(id, { limit: 1000 });
    expect(items.every(({ attempt_id, verdict }) => attempt_id === 1 && verdict === 'complete')).toBe(true);
    const events = (await engines[1]!.listEvents(id, { limit: 1000 })).items;
    expect(events.filter(({ type }) => type === 'run_finished')).toHaveLength(1);
  }
});

test('an exchange that is sent twice at once, to two servers, is answered equally and made once', async () => {
  const engines = await enginesOnOne(2);
  const { id } = await create(engines[0]!, 40);
  const workers = await Promise.all(
    Array.from({ length: 4 }, (_, index) => SimulatedWorker.register(engines[index % 2]!)),
  );
  const watch = new Watch(workers, new Map());
  await Promise.all(
    workers.map(async (worker) => {
      do {
        const exchange = worker.nextExchange(2);
        const [one, other] = await Promise.all(engines.map((engine) => engine.exchange(worker.id, exchange)));
        expect(other).toEqual(one);
        worker.held.push(...one!.claims);
        watch.take(one!.claims);
      } while (worker.held.length > 0 || !(await isComplete(engines[0]!, [id])));
    }),
  );
  expect(watch.count).toBe(40);
  expect((await engines[0]!.listAttempts(id, { limit: 1000 })).items).toHaveLength(40);
});

test('a retry is claimed no earlier than its due time, also by an exchange that began before it', async () => {
  const clock = { now: 1_700_000_000_000 };
  const databaseUrl = await postgres.createDatabase();
  const engines = await Promise.all(
    [1, 2].map(() => openEngine({ dir: '.', create: false, databaseUrl, clock: () => clock.now })),
  );
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  onTestFinished(async () => {
    await holder.end();
    await Promise.all(engines.map((engine) => engine.close()));
  });
  const model = simpleModel([{ name: 'j', retry: { max_retries_failure: 1, initial_retry_delay_ms: 5000 } }]);
  const { id } = await engines[0]!.createWorkflow({
    model,
    cwd: '/',
    output_dir: 'output',
    actor: 'test',
    shared: true,
  });
  const [slow, quick] = await Promise.all(engines.map((engine) => SimulatedWorker.register(engine)));
  const [claim] = (await quick!.exchange(1)).claims;
  quick!.held = [];
  await engines[1]!.exchange(quick!.id, {
    ...quick!.nextExchange(0),
    finished: [
      {
        token: claim!.token,
        started_at_ms: clock.now,
        finished_at_ms: clock.now,
        outcome: outcome({ exit_code: 1 }),
        usage: null,
      },
    ],
  });
  const due = (await engines[0]!.getJob(id, 'j')).retry_available_at_ms;
  expect(due).toBeGreaterThan(clock.now);

  await holder.query('begin');
  await holder.query('select id from worker where id = $1 for update', [slow!.id]);
  const claimed = slow!.exchange(1);
  const waits = 'select 1 from pg_stat_activity where datname = current_database() and wait_event_type = $1';
  await expect.poll(async () => (await holder.query(waits, ['Lock'])).rowCount).toBeGreaterThan(0);
  clock.now = due;
  // Makes what is due claimable, and has no room for it.
  expect((await quick!.exchange(0)).claims).toEqual([]);
  await holder.query('commit');
  expect((await claimed).claims).toHaveLength(1);
  const { items } = await engines[0]!.listAttempts(id, { limit: 10 });
  expect(items[1]!.claimed_at_ms).toBe(due);
});

test('a database that is restarted, and one that crashes, lose nothing and repeat nothing', async () => {
  const engines = await enginesOnOne(2);
  const { id } = await create(engines[0]!, 120);
  const workers = await Promise.all(
    Array.from({ length: 4 }, (_, index) => SimulatedWorker.register(engines[index % 2]!)),
  );
  const watch = new Watch(workers, new Map());
  const work = workUntilComplete(engines, [id], watch, workers);
  for (const end of ['stop', 'kill'] as const) {
    const before = watch.count;
    await expect.poll(() => watch.count, { interval: 5, timeout: 60_000 }).toBeGreaterThan(before);
    await postgres[end]();
    await postgres.start();
  }
  await work;
  expect(watch.count).toBe(120);
  const { items } = await engines[0]!.listAttempts(id, { limit: 1000 });
  expect(items.map(({ verdict }) => verdict)).toEqual(Array(120).fill('complete'));
});

test('a change reaches other engines, also after the database was restarted', async () => {
  const engines = await enginesOnOne(2);
  let reported = 0;
  engines[1]!.onChange(() => {
    reported += 1;
  });
  await create(engines[0]!, 1);
  await expect.poll(() => reported, { interval: 5, timeout: 60_000 }).toBeGreaterThan(0);
  await postgres.stop();
  const before = reported;
  await postgres.start();
  // Once it listens again it says so, because it may have missed something.
  await expect.poll(() => reported, { interval: 5, timeout: 60_000 }).toBeGreaterThan(before);
  const after = reported;
  await create(engines[0]!, 1);
  await expect.poll(() => reported, { interval: 5, timeout: 60_000 }).toBeGreaterThan(after);
});

test('what is committed right before an engine closes reaches others all the same', async () => {
  const databaseUrl = await postgres.createDatabase();
  const listener = new pg.Client({ connectionString: databaseUrl });
  await listener.connect();
  await listener.query('listen holdfast');
  const reported = once(listener, 'notification');
  const engine = await openEngine({ dir: '.', create: false, databaseUrl });
  await create(engine, 1);
  await engine.close();
  await reported;
  await listener.end();
});
