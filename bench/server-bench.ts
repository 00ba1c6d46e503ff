import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpEngine } from '../src/client/http-engine.ts';
import type { Engine } from '../src/contract/engine.ts';
import type { Claim, FinishReport } from '../src/contract/records/exchange.ts';
import { outcome } from '../src/core/job/outcome.ts';
import { loadSpec } from '../src/index.ts';
import { type BenchLine, inTempDir, median, percentile } from './measure.ts';
import { onPostgres } from './postgres.ts';
import { SimulatedWorker } from './simulated-worker.ts';

const BIN = resolve(import.meta.dirname, '../../bin/holdfast.js');
const WORKERS = 100;
const READERS = 20;
/** A new server compiles what it runs often meanwhile; the measured jobs come after these. */
const FIRST_JOBS = 10_000;
const MEASURED_JOBS = 20_000;
/** How long the jobs of the paced workers take: 100 workers with 20 slots then offer 500 completions a second. */
const JOB_MS = 4_000;
/** How often each reader asks for a page of 100 jobs. */
const READ_MS = 500;

interface Served {
  /** Of a server that has just been started. */
  firstPerSecond: number;
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
  return [...lines('SQLite', sqlite, 5_000), ...lines('PostgreSQL', postgres, 4_000)];
}

function lines(database: string, served: Served, aim: number): BenchLine[] {
  const flatness = served.lastPagesMs / served.firstPagesMs;
  return [
    {
      name: `completions over HTTP, 100 workers, ${database}`,
      value: served.completionsPerSecond,
      unit: 'per s',
      ratio: null,
      against: `the first 10,000: ${Math.round(served.firstPerSecond)} per s`,
      aim: `>= ${aim}`,
      met: served.completionsPerSecond >= aim,
    },
    {
      name: `a claim while 20 readers list, p99, ${database}`,
      value: served.claimP99Ms,
      unit: 'ms',
      ratio: null,
      against: `at ${Math.round(served.pacedPerSecond)} completions/s`,
      aim: '< 40 ms',
      met: served.claimP99Ms < 40,
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
    const workers = await Promise.all(
      Array.from({ length: WORKERS }, () => SimulatedWorker.register(engine, url)),
    );
    const first = await createJobs(engine, FIRST_JOBS);
    const firstPerSecond = await completeAll(workers);
    await createJobs(engine, MEASURED_JOBS);
    const completionsPerSecond = await completeAll(workers);

    await createJobs(engine, 20_000);
    const readers = new AbortController();
    const reading = Array.from({ length: READERS }, () => readOn(engine, first, readers.signal));
    for (const { exchangeMs } of workers) exchangeMs.length = 0;
    const paced = performance.now();
    const until = paced + 12_000;
    const done = await Promise.all(
      workers.map(async (worker) => {
        await sleep(Math.random() * JOB_MS);
        return worker.work(() => performance.now() > until, JOB_MS);
      }),
    );
    const pacedPerSecond = (sum(done) * 1000) / (performance.now() - paced);
    readers.abort();
    await Promise.all(reading);
    // The first of each meets a server that has just been given 20,000 jobs.
    const claims = workers.flatMap(({ exchangeMs }) => exchangeMs.slice(1));

    const pages = await listPages(engine, await createJobs(engine, 100_000));
    return {
      firstPerSecond,
      completionsPerSecond,
      claimP99Ms: percentile(claims, 0.99),
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

/** All jobs that there are, as fast as the workers can. Returns completions per second. */
async function completeAll(workers: readonly SimulatedWorker[]): Promise<number> {
  const begun = performance.now();
  const done = await Promise.all(workers.map((worker) => worker.work(() => false)));
  return (sum(done) * 1000) / (performance.now() - begun);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
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
