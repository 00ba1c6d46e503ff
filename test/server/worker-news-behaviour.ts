import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpEngine } from '../../src/client/http-engine.ts';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { Capacity, Claim, Exchange } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { startServer } from '../../src/server/start-server.ts';
import { action } from '../engine/actions-behaviour.ts';
import { type Databases, NOTHING } from '../engine/engine-world.ts';
import { type SimpleJob, simpleModel } from '../engine/simple-model.ts';

const ONE: Capacity = { cpus: 1, memory_bytes: 1e9, gpus: 0, slots: 1, default_cpus: 1 };
const FULL: Capacity = { ...ONE, cpus: 0, slots: 0 };

/** Two servers on one database. */
class TwoServers {
  readonly engines: ServedEngine[] = [];
  readonly urls: string[] = [];

  static async start(databases: Databases): Promise<TwoServers> {
    const world = new TwoServers();
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-news-'));
    const { databaseUrl, remove } = await databases(dir);
    const place = databaseUrl === undefined ? { dir } : { dir, databaseUrl };
    onTestFinished(async () => {
      await remove();
      rmSync(dir, { recursive: true, force: true });
    });
    for (let index = 0; index < 2; index += 1) {
      const engine = await openEngine({ ...place, create: true });
      const server = await startServer(engine, { host: '127.0.0.1', port: 0, auth: 'none', version: '0' });
      onTestFinished(async () => {
        await server.stop();
        await engine.close();
      });
      world.engines.push(engine);
      world.urls.push(server.url);
    }
    return world;
  }

  /** Submits at the second server. */
  async submit(jobs: SimpleJob[], options: Parameters<typeof simpleModel>[1] = {}): Promise<number> {
    const model = simpleModel(jobs, options);
    const workflow = { model, cwd: '.', output_dir: 'output', actor: 'test', shared: true };
    return (await this.engines[1]!.createWorkflow(workflow)).id;
  }

  worker(url = this.urls[0]!, labels: string[] = []): Promise<NewsWorker> {
    return NewsWorker.register(url, labels);
  }

  /** An address in front of both: connections go to them in turn. */
  async balancer(): Promise<string> {
    let count = 0;
    const sockets = new Set<Socket>();
    const balancer = createServer((client) => {
      const { port } = new URL(this.urls[count % 2]!);
      count += 1;
      const server = connect(Number(port), '127.0.0.1');
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      balancer.close();
    });
    return `http://127.0.0.1:${(balancer.address() as { port: number }).port}`;
  }
}

/** Says what a worker says, and counts how often it is woken. */
class NewsWorker {
  readonly id: number;
  woken = 0;
  readonly #engine: HttpEngine;
  #stop: (() => void) | null = null;

  private constructor(engine: HttpEngine, id: number) {
    this.#engine = engine;
    this.id = id;
    onTestFinished(async () => {
      this.#stop?.();
      await engine.close();
    });
  }

  static async register(url: string, labels: string[]): Promise<NewsWorker> {
    const engine = new HttpEngine({ url, token: null });
    const identity = {
      ...ownIdentity({ kind: 'service', cpus: 1, memory_bytes: 1e9 }),
      labels,
      host: 'elsewhere',
    };
    return new NewsWorker(engine, (await engine.registerWorker(identity)).id);
  }

  exchange(part: Partial<Exchange> = {}) {
    return this.#engine.exchange(this.id, { ...NOTHING, ...part });
  }

  /** Takes a job if there is one, and then waits for news. */
  async claimAndListen(): Promise<Claim | undefined> {
    const { claims } = await this.exchange({ capacity: ONE });
    this.listen();
    return claims[0];
  }

  /** Reports the end of the job and asks for another one. */
  async complete({ token }: Claim, capacity: Capacity | null = ONE): Promise<Claim | undefined> {
    const now = Date.now();
    const report = { token, started_at_ms: now, finished_at_ms: now, outcome: outcome({ exit_code: 0 }) };
    return (await this.exchange({ finished: [{ ...report, usage: null }], capacity })).claims[0];
  }

  listen(): void {
    this.#stop = this.#engine.onChange(() => {
      this.woken += 1;
    }, this.id);
  }

  async isWoken(times = 1): Promise<void> {
    await expect.poll(() => this.woken, { interval: 5, timeout: 60_000 }).toBe(times);
  }
}

export function workerNewsBehaviour(databases: Databases): void {
  describe('a worker that waits for news', () => {
    test('is not woken for a job while it is full, and is for the cancel of its own', async () => {
      const world = await TwoServers.start(databases);
      const id = await world.submit([{ name: 'own' }]);
      const [full, idle] = [await world.worker(), await world.worker()];
      expect(await full.claimAndListen()).toBeDefined();
      await idle.claimAndListen();
      await world.submit([{ name: 'more' }, { name: 'and more' }, { name: 'most' }]);
      // The same look that wakes the idle one passes the full one over.
      await idle.isWoken();
      expect(await idle.exchange({ capacity: ONE })).toMatchObject({ claims: [{ job_name: 'more' }] });
      expect(full.woken).toBe(0);
      await world.engines[1]!.cancel(id, { actor: 'test' });
      await full.isWoken();
      expect((await full.exchange({ capacity: FULL })).cancel).toHaveLength(1);
      expect(idle.woken).toBe(1);
    });

    test('is notified once that it has to leave, however long its jobs take', async () => {
      const world = await TwoServers.start(databases);
      await world.submit([{ name: 'long' }]);
      const worker = await world.worker();
      await worker.claimAndListen();
      await world.engines[1]!.drainWorker(worker.id, { actor: 'test' });
      await worker.isWoken();
      expect(await worker.exchange({ capacity: FULL })).toMatchObject({ drain: true });
      // Its next poll is answered only when there is something else.
      const idle = await world.worker();
      await idle.claimAndListen();
      await world.submit([{ name: 'other' }]);
      await idle.isWoken();
      expect(worker.woken).toBe(1);
    });

    test('is woken for a job that became ready between its claim and its poll', async () => {
      const world = await TwoServers.start(databases);
      const worker = await world.worker();
      expect((await worker.exchange({ capacity: ONE })).claims).toEqual([]);
      await world.submit([{ name: 'late' }]);
      worker.listen();
      await worker.isWoken();
      expect((await worker.exchange({ capacity: ONE })).claims).toHaveLength(1);
    });

    test('is woken after its own job has ended and left it idle, also by another server', async () => {
      const world = await TwoServers.start(databases);
      await world.submit([{ name: 'first' }]);
      const worker = await world.worker(await world.balancer());
      const claim = await worker.claimAndListen();
      expect(await worker.complete(claim!)).toBeUndefined();
      await world.submit([{ name: 'second' }]);
      await worker.isWoken();
      expect((await worker.exchange({ capacity: ONE })).claims).toHaveLength(1);
    });

    test('is passed over for jobs that it could not take, and is woken for a retry when that is due', async () => {
      const world = await TwoServers.start(databases);
      const [plain, labelled] = [await world.worker(), await world.worker(undefined, ['gpu'])];
      await plain.claimAndListen();
      await labelled.claimAndListen();
      const retry = { max_retries_failure: 1, initial_retry_delay_ms: 300 };
      await world.submit([{ name: 'special', labels: ['gpu'], retry }]);
      await labelled.isWoken();
      const [claim] = (await labelled.exchange({ capacity: ONE })).claims;
      const now = Date.now();
      const failed = { token: claim!.token, started_at_ms: now, finished_at_ms: now, usage: null };
      const answer = await labelled.exchange({
        finished: [{ ...failed, outcome: outcome({ exit_code: 1 }) }],
        capacity: ONE,
      });
      expect(answer).toMatchObject({ claims: [], next_due_at_ms: null });
      await labelled.isWoken(2);
      expect((await labelled.exchange({ capacity: ONE })).claims).toMatchObject([{ attempt_id: 2 }]);
      expect(plain.woken).toBe(0);
    });

    test('is woken though it is full for an action that any worker may run', async () => {
      const world = await TwoServers.start(databases);
      await world.submit([{ name: 'a' }], { actions: [action('on_workflow_complete')] });
      await world.submit([{ name: 'b' }]);
      const [first, second] = [await world.worker(), await world.worker()];
      const claim = await first.claimAndListen();
      await second.claimAndListen();
      await first.complete(claim!, null);
      await expect.poll(() => first.woken + second.woken, { interval: 5, timeout: 60_000 }).toBe(1);
      const worker = first.woken === 1 ? first : second;
      expect((await worker.exchange({ capacity: FULL })).errands).toMatchObject([{ kind: 'action' }]);
    });
  });
}
