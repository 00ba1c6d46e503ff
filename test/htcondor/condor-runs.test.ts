import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CondorRuns } from '../../src/clusters/htcondor/condor-runs.ts';
import type { QueuedDag } from '../../src/clusters/htcondor/pool.ts';
import { readDagRun } from '../../src/clusters/htcondor/read/read-dag-run.ts';
import type { RunFiles, RunOrder } from '../../src/contract/run-engine.ts';
import { NO_POOL_CHOICES } from '../../src/core/dag/pool-settings.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';

const SAMPLES = join(import.meta.dirname, 'samples');

function sample(name: string) {
  const directory = mkdtempSync(join(tmpdir(), 'dag-'));
  cpSync(join(SAMPLES, name), directory, { recursive: true });
  return directory;
}

function engine(queue: Record<string, QueuedDag['state']> | null) {
  const orders: unknown[] = [];
  const pool = {
    findDag: async () => null,
    history: async () => new Map(),
    submitDag: async (run: RunFiles) => {
      orders.push(run);
      return '77';
    },
    list: async () => {
      if (queue === null)
        throw new HoldfastError('CLUSTER_ABSENT', { command: 'condor_q', problem: 'nothing' });
      return new Map(Object.entries(queue).map(([id, state]) => [id, { id, state, why: null }]));
    },
    remove: async (ids: readonly string[]) => {
      orders.push(ids);
    },
  };
  const dags = new CondorRuns(pool, {
    siteAttribute: 'Site',
    hold_timeout_ms: 1000,
    program: ['holdfast'],
    submit_lines: [],
  });
  return { dags, orders };
}

const clusterOf = (directory: string) => readDagRun(directory).metrics!.cluster!;
const refOf = (directory: string, id = clusterOf(directory)) => ({
  directory,
  dag: 'round.dag',
  run: 1,
  id,
});

/** Of a directory that is there: its model is not asked for. */
const orderOf = (directory: string, run: number, banned: string[] = []): RunOrder => ({
  directory,
  dag: 'round.dag',
  tag: 't',
  run,
  model: {
    name: 'x',
    limits: {},
    maxParallel: null,
    failureHandlers: [],
    requirements: [],
    dependencySets: [],
    jobs: [],
  },
  jobs: [],
  cwd: directory,
  settings: DEFAULT_ERROR_SETTINGS,
  request: { name: 'x', version: 1, round: 1 },
  rulebook: null,
  pool: NO_POOL_CHOICES,
  sites: { allowed: null, banned },
});

describe('DAGMan as the engine of a run', () => {
  test('a rescue has the next number, and no halt file', async () => {
    const directory = sample('failures');
    writeFileSync(join(directory, 'round.dag.halt'), '');
    const { dags, orders } = engine({});
    const run = { directory, dag: 'round.dag', tag: 't' };
    const before = clusterOf(directory);
    expect(await dags.find(run)).toBe(before);
    await dags.prepare(orderOf(directory, 2));
    // What the run before left does not show that this one was submitted.
    expect(await dags.find(run)).toBeNull();
    expect(await dags.submit(run)).toBe('77');
    expect(orders).toEqual([run]);
    expect(JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8'))).toMatchObject({ run: 2 });
    expect(existsSync(join(directory, 'round.dag.halt'))).toBe(false);
  });

  test('has ended when it has left the queue', async () => {
    const directory = sample('failures');
    const ref = refOf(directory);
    expect((await engine({}).dags.look([ref])).get(ref)).toMatchObject({
      state: 'ended',
      ended: { how: 'failures', exitCode: 1 },
      units: [{ state: 'done' }, { state: 'failed' }, { state: 'failed' }],
    });
    for (const state of ['running', 'queued'] as const) {
      expect((await engine({ [ref.id]: state }).dags.look([ref])).get(ref)).toMatchObject({
        state,
        ended: null,
      });
    }
  });

  test('is unknown where nobody answers, whatever its files say', async () => {
    const ref = refOf(sample('failures'));
    expect((await engine(null).dags.look([ref])).get(ref)).toMatchObject({ state: 'unknown', ended: null });
  });

  test('that left no word has crashed', async () => {
    const ref = refOf(sample('running'), '5');
    expect((await engine({}).dags.look([ref])).get(ref)).toMatchObject({
      state: 'ended',
      ended: { how: 'error', exitCode: null },
    });
  });

  test('is stopped by removing it, and its sites are for the next run', async () => {
    const directory = sample('removed');
    const { dags, orders } = engine({});
    await dags.stop(refOf(directory));
    expect(orders).toEqual([[clusterOf(directory)]]);
    await dags.prepare(orderOf(directory, 2, ['north']));
    expect(readFileSync(join(directory, 'sites.inc'), 'utf8')).toContain('(TARGET.GLIDEIN_Site =!= "north")');
  });

  test('has each record of a run that is under way returned once, and all of them at its end', async () => {
    const directory = sample('failures');
    const ref = refOf(directory);
    const running = engine({ [ref.id]: 'running' }).dags;
    const look = async (dags = running) => (await dags.look([ref])).get(ref)!.attempts.length;
    expect(await look()).toBe(4);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await look()).toBe(0);
    cpSync(
      join(directory, 'u000003/proc_000001.r1.a2.post.json'),
      join(directory, 'u000003/merge.r1.a1.post.json'),
    );
    writeFileSync(join(directory, 'u000003/cleanup.r1.a1.post.json'), '{"node_name":');
    await expect.poll(look).toBe(1);
    expect(await look(engine({}).dags)).toBe(5);
  });

  test('is halted and continued by the halt file', async () => {
    const directory = sample('running');
    const { dags } = engine({});
    await dags.halt(refOf(directory, '5'));
    expect(existsSync(join(directory, 'round.dag.halt'))).toBe(true);
    await dags.continue(refOf(directory, '5'));
    expect(existsSync(join(directory, 'round.dag.halt'))).toBe(false);
  });
});
