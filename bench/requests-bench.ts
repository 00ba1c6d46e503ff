import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServedEngine } from '../src/contract/engine.ts';
import type { Exchange, ExchangeResult } from '../src/contract/records/exchange.ts';
import { outcome } from '../src/core/job/outcome.ts';
import { crashedPost } from '../src/core/job/post-result.ts';
import { openEngine } from '../src/engine/open-engine.ts';
import { ownIdentity } from '../src/host/process-identity.ts';
import { loadSpec } from '../src/index.ts';
import { loadRequest } from '../src/spec/request/load-request.ts';
import { sentFiles } from '../src/spec/spec-files.ts';
import { openDatabase } from '../src/store/sqlite/database.ts';
import { type BenchLine, inTempDir, median } from './measure.ts';

const ITEMS = 100_000;
const FEW = 1_000;
const MANY = 100_000;

/** Planning a large round beside other work, and the transaction that ends one. */
export async function benchRequests(): Promise<BenchLine[]> {
  const alone = await plan(false);
  const beside = await plan(true);
  const few = await repeated(9, () => endRound(FEW));
  const many = await repeated(3, () => endRound(MANY));
  const ratio = many / few;
  return [
    {
      name: '100,000 items planned in 10,000 jobs',
      value: alone.planMs / 1000,
      unit: 's',
      ratio: null,
      against: `${(beside.planMs / 1000).toFixed(1)} s beside a claim in every turn`,
      aim: '< 5 s',
      met: alone.planMs < 5_000,
    },
    {
      name: 'the longest claim of other work meanwhile',
      value: beside.longestMs,
      unit: 'ms',
      ratio: null,
      against: `median ${beside.medianMs.toFixed(2)} ms, ${beside.idleMs.toFixed(0)} ms at the longest without it`,
      aim: '< 100 ms',
      met: beside.longestMs < 100,
    },
    {
      name: 'the end of a round of 100,000 units, per unit',
      value: many * 1000,
      unit: 'µs',
      ratio,
      against: `with 1,000 units: ${(few * 1000).toFixed(1)} µs`,
      aim: '<= 1.2',
      met: ratio <= 1.2,
    },
  ];
}

async function repeated(times: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  while (values.length < times) values.push(await measure());
  return median(values);
}

/** A worker without processes. */
class BenchWorker {
  readonly #engine: ServedEngine;
  readonly #workflowId: number;
  readonly id: number;

  constructor(engine: ServedEngine, id: number, workflowId: number) {
    this.#engine = engine;
    this.id = id;
    this.#workflowId = workflowId;
  }

  static async at(engine: ServedEngine, workflowId: number): Promise<BenchWorker> {
    const { id } = await engine.registerWorker(ownIdentity());
    await engine.adopt(workflowId, id);
    return new BenchWorker(engine, id, workflowId);
  }

  exchange(news: Partial<Exchange>): Promise<ExchangeResult> {
    return this.#engine.exchange(this.id, {
      started: [],
      finished: [],
      errands: [],
      capacity: { cpus: 1, memory_bytes: 1e9, gpus: 0, slots: 1, default_cpus: 1 },
      workflow_id: this.#workflowId,
      ...news,
    });
  }
}

/** Plans a round, alone or while claims of another workflow are made without a pause. */
async function plan(besideClaims: boolean) {
  return inTempDir(async (dir) => {
    const engine = await openEngine({ dir: join(dir, '.holdfast'), create: true });
    const loaded = loadSpec(
      'name: other\njobs:\n  - name: job_{i}\n    command: echo {i}\n    parameters: { i: "1:20000" }\n',
      'other.yaml',
    );
    if (!loaded.ok) throw new Error('the spec of the benchmark is wrong');
    const place = { cwd: dir, output_dir: 'output', actor: 'bench' };
    const { id } = await engine.createWorkflow({ model: loaded.model, ...place });
    const worker = await BenchWorker.at(engine, id);
    const idle = await claimWhile(worker, async () => {
      for (let turn = 0; turn < 300; turn += 1) await nextTurn();
    });
    const request = requestOf(
      `kind: request
name: many
work: { items: items.txt, per_job: 10, group_by: 'run_(\\d+)' }
jobs_per_unit: 4
round: { first_units: 100000, units: 100000 }
process: { command: "cat {items} > {output}" }
`,
      Array.from({ length: ITEMS }, (_, index) => `data/run_${index % 997}/file_${index}.root`),
    );
    await engine.createRequest({ ...request, ...place });
    await engine.tendRequests({ name: 'many' });
    let planMs = 0;
    const planning = async () => {
      const start = performance.now();
      await engine.tendRequests({ name: 'many' });
      planMs = performance.now() - start;
    };
    const claims = besideClaims ? await claimWhile(worker, planning) : await planning().then(() => [0]);
    const { rounds } = await engine.getRequest('many');
    if (rounds[0]?.units.total !== ITEMS / 40) throw new Error('the round was not planned');
    await engine.close();
    return { planMs, longestMs: Math.max(...claims), medianMs: median(claims), idleMs: Math.max(...idle) };
  });
}

/** How long each claim of another workflow takes while the work is under way. */
async function claimWhile(worker: BenchWorker, work: () => Promise<void>): Promise<number[]> {
  let isOver = false;
  const ended = work().finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const before = performance.now();
    await nextTurn();
    await worker.exchange({});
    times.push(performance.now() - before);
  }
  await ended;
  return times;
}

/** Milliseconds per unit of the transaction that ends a round of so many units. */
async function endRound(units: number): Promise<number> {
  return inTempDir(async (dir) => {
    const open = () => openEngine({ dir: join(dir, '.holdfast'), create: true });
    let engine = await open();
    const request = requestOf(
      `kind: request
name: units
work: { items: items.txt, per_job: 1 }
jobs_per_unit: 1
round: { first_units: ${units}, units: ${units} }
process: { command: "cat {items} > {output}" }
`,
      Array.from({ length: units }, (_, index) => `file_${index}`),
    );
    await engine.createRequest({ ...request, cwd: dir, output_dir: 'output', actor: 'bench' });
    while (await engine.tendRequests({ name: 'units' }));
    await engine.close();
    finishAllButOne(join(dir, '.holdfast', 'holdfast.db'));
    engine = await open();
    const worker = await BenchWorker.at(engine, 1);
    const { token } = (await worker.exchange({})).claims[0]!;
    const now = Date.now();
    const end = { outcome: outcome({ exit_code: 0 }), usage: null };
    const { errands } = await worker.exchange({
      finished: [{ token, started_at_ms: now, finished_at_ms: now, ...end }],
    });
    const post = errands[0]!;
    const start = performance.now();
    await worker.exchange({
      errands: [{ kind: 'post', id: post.id, post: { ...crashedPost(''), exit_code: 0, problem: null } }],
    });
    const ms = performance.now() - start;
    const { status, delivered } = await engine.getRequest('units');
    if (status !== 'COMPLETED' || delivered !== String(units)) throw new Error(`${status} ${delivered}`);
    await engine.close();
    return ms / units;
  });
}

/** As if all jobs but the first had succeeded: to report them one by one would take minutes. */
function finishAllButOne(path: string): void {
  const database = openDatabase(path);
  database.exec(`begin;
    update job set status = 5, settled = 'succeeded' where id > (select min(id) from job);
    update dependency_set set remaining = 0 where id > (select min(id) from dependency_set);
    commit; pragma wal_checkpoint(truncate)`);
  database.close();
}

function requestOf(spec: string, items: readonly string[]) {
  const files = sentFiles({ texts: { 'items.txt': items.join('\n') }, lists: {} });
  const loaded = loadRequest(spec, 'request.yaml', files);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return { model: loaded.model, items: loaded.items };
}
