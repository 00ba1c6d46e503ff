import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpEngine } from '../src/client/http-engine.ts';
import type { Engine } from '../src/contract/engine.ts';
import type { Claim, FinishReport } from '../src/contract/records/exchange.ts';
import { outcome } from '../src/core/job/outcome.ts';
import { ownIdentity } from '../src/host/process-identity.ts';
import { loadSpec } from '../src/index.ts';
import { type BenchLine, inTempDir, median } from './measure.ts';
import { onPostgres } from './postgres.ts';

const BIN = resolve(import.meta.dirname, '../../bin/holdfast.js');
const WORKERS = 100;
const READERS = 20;
const SLOTS = 20;
/** How long the jobs of the paced workers take: 100 workers with 20 slots then offer 500 completions a second. */
const JOB_MS = 4_000;
/** How often each reader asks for a page of 100 jobs. */
const READ_MS = 500;

interface Served {
  completionsPerSecond: number;
  claimP99Ms: number;
  pacedPerSecond: number;
  firstPagesMs: number;
  lastPagesMs: number;
}

/** A server with a hundred workers that only say that they ran something, on each database. */
export async function benchServer(): Promise<BenchLine[]> {
  const sqlite = await inTempDir((dir) => measure(dir, {}));
  const postgres = await onPostgres((url) => inTempDir((dir) => measure(dir, { DATABASE_URL: url })));
  return [...lines('SQLite', sqlite, 2_000), ...lines('PostgreSQL', postgres, 1_500)];
}

function lines(database: string, served: Served, aim: number): BenchLine[] {
  const flatness = served.lastPagesMs / served.firstPagesMs;
  return [
    {
      name: `completions over HTTP, 100 workers, ${database}`,
      value: served.completionsPerSecond,
      unit: 'per s',
      ratio: null,
      against: 'as fast as they can',
      aim: `>= ${aim}`,
      met: served.completionsPerSecond >= aim,
    },
    {
      name: `a claim while 20 readers list, p99, ${database}`,
      value: served.claimP99Ms,
      unit: 'ms',
      ratio: null,
      against: `at ${Math.round(served.pacedPerSecond)} completions/s`,
      aim: '< 50 ms',
      met: served.claimP99Ms < 50,
    },
    {
      name: `100,000 jobs page by page: the last pages, ${database}`,
      value: served.lastPagesMs,
      unit: 'ms',
      ratio: flatness,
      against: `the first: ${served.firstPagesMs.toFixed(1)} ms`,
      aim: '<= 1.5',
      met: flatness <= 1.5,
    },
  ];
}

async function measure(dir: string, env: NodeJS.ProcessEnv): Promise<Served> {
  const { server, url } = await serve(dir, env);
  const engine = new HttpEngine({ url, token: null });
  try {
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => SimulatedHand.register(engine)));
    const first = await createJobs(engine, 10_000);
    const begun = performance.now();
    await Promise.all(workers.map((worker) => worker.work(() => false)));
    const completionsPerSecond = 10_000 / ((performance.now() - begun) / 1000);

    await createJobs(engine, 20_000);
    const readers = new AbortController();
    const reading = Array.from({ length: READERS }, () => readOn(engine, first, readers.signal));
    for (const worker of workers) worker.claimMs.length = 0;
    const paced = performance.now();
    const until = paced + 12_000;
    const done = await Promise.all(
      workers.map(async (worker) => {
        await sleep(Math.random() * JOB_MS);
        return worker.work(() => performance.now() > until, JOB_MS);
      }),
    );
    const total = done.reduce((sum, each) => sum + each, 0);
    const pacedPerSecond = total / ((performance.now() - paced) / 1000);
    readers.abort();
    await Promise.all(reading);
    // The first of each meets a server that has just been given 20,000 jobs.
    const claims = workers.flatMap(({ claimMs }) => claimMs.slice(1)).sort((a, b) => a - b);

    const pages = await listPages(engine, await createJobs(engine, 100_000));
    return {
      completionsPerSecond,
      claimP99Ms: claims[Math.floor(claims.length * 0.99)]!,
      pacedPerSecond,
      firstPagesMs: median(pages.slice(1, 11)),
      lastPagesMs: median(pages.slice(-11, -1)),
    };
  } finally {
    await engine.close();
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
}

/** Does what a worker does, and runs nothing. */
class SimulatedHand {
  readonly claimMs: number[] = [];
  readonly #engine: Engine;
  readonly #id: number;
  #held: Claim[] = [];

  private constructor(engine: Engine, id: number) {
    this.#engine = engine;
    this.#id = id;
  }

  static async register(engine: Engine): Promise<SimulatedHand> {
    const identity = ownIdentity({ kind: 'service', cpus: SLOTS, memory_bytes: 2 ** 34 });
    return new SimulatedHand(engine, (await engine.registerWorker(identity)).id);
  }

  /** Until there is nothing more to do, or it is asked to end. Returns how many jobs it has completed. */
  async work(isOver: () => boolean, jobMs = 0): Promise<number> {
    let done = 0;
    for (;;) {
      const over = isOver();
      const finished = reportsOf(this.#held, jobMs);
      const capacity = { cpus: SLOTS, memory_bytes: 2 ** 34, gpus: 0, slots: SLOTS, default_cpus: 1 };
      const begun = performance.now();
      const result = await this.#engine.exchange(this.#id, {
        started: [],
        finished,
        errands: [],
        capacity: over ? null : capacity,
      });
      this.claimMs.push(performance.now() - begun);
      done += finished.length;
      this.#held = result.claims;
      if (this.#held.length === 0) return done;
      if (jobMs > 0) await sleep(jobMs);
    }
  }
}

/** That all of them have succeeded just now. */
export function reportsOf(held: readonly Claim[], jobMs: number): FinishReport[] {
  const now = Date.now();
  return held.map(({ token }) => ({
    token,
    started_at_ms: now - jobMs,
    finished_at_ms: now,
    outcome: outcome({ exit_code: 0 }),
    usage: null,
  }));
}

async function readOn(engine: Engine, workflowId: number, signal: AbortSignal): Promise<void> {
  let after: number | null = 0;
  await sleep(Math.random() * READ_MS);
  while (!signal.aborted) {
    const page = await engine.listJobs(workflowId, { limit: 100, ...(after ? { after } : {}) });
    after = page.next;
    await sleep(READ_MS);
  }
}

async function listPages(engine: Engine, workflowId: number): Promise<number[]> {
  const times: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const begun = performance.now();
    const page: { next: number | null } = await engine.listJobs(workflowId, {
      limit: 1000,
      ...(after > 0 ? { after } : {}),
    });
    times.push(performance.now() - begun);
    after = page.next;
  }
  return times;
}

export async function createJobs(engine: Engine, jobs: number): Promise<number> {
  const text = `name: many\njobs:\n  - name: job_{i}\n    command: echo {i}\n    parameters: { i: "1:${jobs}" }\n`;
  const source = { text, name: 'many.yaml' };
  const loaded = loadSpec(text, source.name);
  if (!loaded.ok) throw new Error('the spec of the benchmark is wrong');
  const place = { cwd: '.', output_dir: 'output', actor: 'bench' };
  return (await engine.createWorkflow({ model: loaded.model, source, ...place })).id;
}

export async function serve(
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ server: ChildProcess; url: string }> {
  const server = spawn(
    process.execPath,
    [BIN, 'serve', '--port', '0', '--output', 'quiet', '--log-level', 'error'],
    {
      cwd: dir,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string];
  return { server, url: line.trim() };
}
