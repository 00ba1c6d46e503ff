import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SlurmCluster } from '../../src/clusters/slurm/slurm-cluster.ts';
import type { AllocationPlan, AllocationView } from '../../src/contract/cluster.ts';
import { hasControlGroups, type SlurmWorld, startSlurm } from './slurm-world.ts';

let slurm: SlurmWorld;
let cluster: SlurmCluster;
let plans = 0;

beforeAll(async () => {
  slurm = await startSlurm({ nodes: 2 });
  cluster = new SlurmCluster({ env: { ...slurm.env, HOLDFAST_TOKEN: 'secret', TOOL_HOME: '/opt/tool' } });
});
afterAll(() => slurm.down());

function planOf(command: string, more: Partial<AllocationPlan> = {}): AllocationPlan {
  plans += 1;
  const directory = mkdtempSync(join(tmpdir(), 'allocation-'));
  return {
    tag: `holdfast-${String(plans).padStart(12, '0')}`,
    script: `#!/bin/bash\n${command}\n`,
    options: ['--ntasks=1', '--time=5'],
    directory,
    output: join(directory, 'output'),
    after: null,
    ...more,
  };
}

/** Until what is looked for is there. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(100);
  }
}

const view = async (tag: string) => (await cluster.list([tag]))[0];
const seen = (tag: string, isSeen: (view: AllocationView) => boolean) =>
  until(async () => {
    const found = await view(tag);
    return found !== undefined && isSeen(found) ? found : undefined;
  });
const running = (tag: string) => seen(tag, ({ word }) => word === 'RUNNING');
const gone = (tag: string) => until(async () => ((await view(tag)) === undefined ? true : undefined));
const endOf = async (id: string) => (await cluster.ends([id])).get(id);

async function ended({ id, tag }: { id: string; tag: string }) {
  await gone(tag);
  return endOf(id);
}

async function submitted(command: string, more: Partial<AllocationPlan> = {}) {
  const plan = planOf(command, more);
  return { ...plan, id: await cluster.submit(plan) };
}

const textOf = (file: string) =>
  until(async () => {
    try {
      return readFileSync(file, 'utf8') || undefined;
    } catch {
      return undefined;
    }
  });

describe('one allocation', () => {
  test('is submitted, listed by its tag, and has an end', async () => {
    const { id, tag } = await submitted('sleep 100');
    const now = await running(tag);
    expect(now).toMatchObject({ id, tag, state: 'running', why: null, never: false });
    expect(now.endsAt! - now.startsAt!).toBe(300_000);
    expect(Math.abs(now.startsAt! - Date.now())).toBeLessThan(60_000);
    expect(await cluster.ends([id])).toEqual(new Map());
    expect((await slurm.command('squeue', '-h', '-j', id, '-o', '%k')).trim()).toBe(tag);
    await cluster.cancel([id]);
    expect(await ended({ id, tag })).toBe('canceled');
  });

  test('runs in its directory, and adds to its output, whatever the path', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'a %j, "b"\'s-'));
    const { id, tag, output } = await submitted('pwd', { directory, output: join(directory, 'out %x') });
    expect(await ended({ id, tag })).toBe('completed');
    expect(readFileSync(output, 'utf8')).toBe(`${directory}\n`);
  });

  test('has the environment of a login, without that of the process that submits it', async () => {
    const first = await submitted('echo "$PATH $HOME $HOLDFAST_TOKEN $TOOL_HOME"');
    const second = await submitted('echo "$TOOL_HOME $FLAVOUR $HOLDFAST_TOKEN $SLURM_EXPORT_ENV"; srun env', {
      options: ['--ntasks=1', '--export=TOOL_HOME,FLAVOUR=plain'],
    });
    expect(await ended(first)).toBe('completed');
    expect(readFileSync(first.output, 'utf8')).toBe(`${process.env.PATH} ${process.env.HOME}  \n`);
    expect(await ended(second)).toBe('completed');
    const reported = readFileSync(second.output, 'utf8');
    expect(reported).toMatch(/^\/opt\/tool plain {2}/);
    expect(reported).toContain('TOOL_HOME=/opt/tool\n');
    expect(reported).not.toContain('secret');
  });

  test.each([
    ['exit 3', 'failed'],
    ['kill -SEGV $$', 'failed'],
    ['true', 'completed'],
  ] as const)('with the script `%s` it ends as %s', async (command, end) => {
    expect(await ended(await submitted(command))).toBe(end);
  });

  test('waits for the one before, however that ends', async () => {
    const first = await submitted('sleep 100; exit 1');
    const second = await submitted('true', { after: first.id });
    await running(first.tag);
    expect(await seen(second.tag, ({ why }) => why !== null)).toMatchObject({
      state: 'queued',
      word: 'PENDING',
      why: 'Dependency',
      never: false,
    });
    await cluster.cancel([first.id]);
    expect(await ended(second)).toBe('completed');
    expect(await submitted('true', { after: first.id })).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
    });
  });
});

describe('many allocations', () => {
  test('are one question: those that have ended, or never were, are not listed', async () => {
    const [first, second] = [await submitted('sleep 100'), await submitted('true')];
    await ended(second);
    const tags = Array.from({ length: 700 }, (_, index) => `holdfast-none${index}`);
    const views = await cluster.list([...tags, first.tag, second.tag]);
    expect(views.map(({ tag }) => tag)).toEqual([first.tag]);
    expect(await cluster.ends([first.id, second.id, '900000', '900001'])).toEqual(
      new Map([
        [second.id, 'completed'],
        ['900000', 'unknown'],
        ['900001', 'unknown'],
      ]),
    );
    await cluster.cancel([first.id, second.id, '900000']);
    await gone(first.tag);
  });

  test('without any, nothing is asked', async () => {
    const nobody = new SlurmCluster({ env: {} });
    expect(await nobody.list([])).toEqual([]);
    expect(await nobody.ends([])).toEqual(new Map());
    await nobody.cancel([]);
  });

  test('an id that is not known has an unknown end, which is not an absent cluster', async () => {
    expect(await endOf('900000')).toBe('unknown');
    await cluster.cancel(['900000']);
  });
});

describe('what the cluster does not give', () => {
  test.each([
    [
      ['--partition=none'],
      'sbatch refused: invalid partition specified: none; Invalid partition name specified',
    ],
    [
      ['--mem=1T'],
      'sbatch refused: Memory specification can not be satisfied; Requested node configuration is not available',
    ],
    [['--no-such-option'], "sbatch refused: unrecognized option '--no-such-option'"],
    [['--time=soon'], 'sbatch refused: Invalid --time specification'],
  ])('%j is refused with the reason', async (options, message) => {
    const plan = planOf('true', { options });
    await expect(cluster.submit(plan)).rejects.toMatchObject({ code: 'CLUSTER_REFUSED', message });
    expect(await view(plan.tag)).toBeUndefined();
  });

  test('a request that no node can ever fulfil is accepted, and never starts', async () => {
    const { id, tag } = await submitted('true', { options: ['--ntasks=1000'] });
    expect(await seen(tag, ({ why }) => why !== null)).toMatchObject({
      state: 'queued',
      why: 'PartitionConfig',
      never: true,
      startsAt: null,
    });
    await cluster.cancel([id]);
    expect(await ended({ id, tag })).toBe('canceled');
  });

  test('a request that has to wait says for what, and when it is expected to start', async () => {
    const all = await submitted('sleep 100', { options: ['--nodes=2', '--exclusive', '--time=5'] });
    await running(all.tag);
    const next = await submitted('true', { options: ['--nodes=2', '--exclusive', '--time=5'] });
    const waiting = await seen(next.tag, ({ startsAt, why }) => startsAt !== null && why === 'Resources');
    expect(waiting).toMatchObject({ state: 'queued', never: false, endsAt: null });
    expect(waiting.startsAt!).toBeGreaterThan(Date.now() + 120_000);

    const estimate = await cluster.estimate(['--nodes=2', '--exclusive', '--time=5']);
    expect(estimate).toMatchObject({ processors: 8, nodes: 'n[1-2]', partition: 'low' });
    expect(estimate.startsAt).toBeGreaterThanOrEqual(waiting.startsAt!);
    await cluster.cancel([all.id, next.id]);
    await gone(all.tag);
    await gone(next.tag);
  });

  test('an estimate submits nothing, and has the reason where there is none', async () => {
    const estimate = await cluster.estimate(['--ntasks=2', '--partition=high', '--time=5']);
    expect(estimate).toMatchObject({ processors: 2, partition: 'high' });
    expect(Math.abs(estimate.startsAt - Date.now())).toBeLessThan(60_000);
    await expect(cluster.estimate(['--ntasks=1000'])).rejects.toMatchObject({
      code: 'CLUSTER_REFUSED',
      message: 'sbatch refused: Requested node configuration is not available',
    });
    expect(await slurm.command('squeue', '-h')).toBe('');
  });
});

test('the cluster is described by its name, version, controllers and partitions', async () => {
  expect(await cluster.clusterName()).toBe('holdfast');
  expect(await cluster.version()).toMatch(/^slurm\S* \d+\.\d+/);
  expect(await cluster.ping()).toHaveLength(1);
  const kinds = [{ nodes: 2, usable: 2, cpus: 4, memoryBytes: 1000 * 1024 ** 2, gpus: 0, gres: null }];
  expect(await cluster.partitions()).toEqual([
    { name: 'low', isDefault: true, isUp: true, maxMs: null, defaultMs: 600_000, kinds },
    { name: 'high', isDefault: false, isUp: true, maxMs: 172_800_000, defaultMs: 600_000, kinds },
  ]);
});

/** At the same time, since Slurm takes its time to notice. */
describe.concurrent('an allocation that is ended from outside', () => {
  test('over its time limit ends as timeout', async () => {
    const { id, tag } = await submitted('sleep 100', { options: ['--nodelist=n1'] });
    await running(tag);
    await slurm.command('scontrol', 'update', `JobId=${id}`, 'EndTime=now+1');
    expect(await ended({ id, tag })).toBe('timeout');
  });

  test('by a requeue waits, and runs again under the same id', async () => {
    const { id, tag, output } = await submitted('echo "try ${SLURM_RESTART_COUNT:-0}"; sleep 100', {
      options: ['--nodelist=n1'],
    });
    await textOf(output);
    await slurm.command('scontrol', 'requeue', id);
    const waiting = await seen(tag, ({ state }) => state === 'queued');
    expect(waiting).toMatchObject({ id, never: false });
    expect(await cluster.ends([id])).toEqual(new Map());
    await running(tag);
    await until(async () => (readFileSync(output, 'utf8').includes('try 1') ? true : undefined));
    expect(readFileSync(output, 'utf8')).toMatch(/^try 0\n[\s\S]*try 1\n/);
    await cluster.cancel([id]);
    await gone(tag);
  });

  test('by the death of a node ends as node_fail', async () => {
    const { id, tag } = await submitted('sleep 100', { options: ['--nodelist=n2', '--no-requeue'] });
    await running(tag);
    await slurm.killNode('n2');
    expect(await ended({ id, tag })).toBe('node_fail');
    const down = await cluster.partitions();
    expect(down[0]!.kinds).toMatchObject([{ nodes: 2, usable: 1 }]);
    await slurm.startNode('n2');
    await until(async () => ((await cluster.partitions())[0]!.kinds[0]!.usable === 2 ? true : undefined));
  });
});

test('an allocation that is preempted is requeued, or ends as preempted where it may not be', async () => {
  const both = ['--nodes=2', '--exclusive', '--time=5'];
  const low = await submitted('sleep 100', { options: both });
  await running(low.tag);
  const high = await submitted('sleep 100', { options: [...both, '--partition=high'] });
  await running(high.tag);
  expect(await seen(low.tag, ({ state }) => state === 'queued')).toMatchObject({ id: low.id });
  await cluster.cancel([low.id, high.id]);
  await gone(low.tag);
  await gone(high.tag);

  const fixed = await submitted('sleep 100', { options: [...both, '--no-requeue'] });
  await running(fixed.tag);
  const other = await submitted('sleep 100', { options: [...both, '--partition=high'] });
  expect(await ended(fixed)).toBe('preempted');
  await cluster.cancel([other.id]);
  await gone(other.tag);
});

test('without a controller nothing is concluded, and all is as before when it is back', async () => {
  const { id, tag } = await submitted('sleep 100');
  await running(tag);
  const plan = planOf('true');
  await slurm.stopController();
  const absent = {
    code: 'CLUSTER_ABSENT',
    message: expect.stringContaining('Unable to contact slurm controller'),
  };
  await Promise.all([
    expect(cluster.list([tag])).rejects.toMatchObject(absent),
    expect(cluster.ends([id])).rejects.toMatchObject(absent),
    expect(cluster.submit(plan)).rejects.toMatchObject(absent),
    expect(cluster.cancel([id])).rejects.toMatchObject(absent),
    expect(cluster.partitions()).rejects.toMatchObject(absent),
    expect(cluster.ping()).rejects.toMatchObject({
      code: 'CLUSTER_ABSENT',
      message: expect.stringMatching(/is DOWN/),
    }),
  ]);
  await slurm.startController();
  expect(await view(tag)).toMatchObject({ id, state: 'running' });
  expect(await view(plan.tag)).toBeUndefined();
  await cluster.cancel([id]);
  expect(await ended({ id, tag })).toBe('canceled');
});

test.skipIf(!hasControlGroups())(
  'an allocation that runs out of memory ends so, whatever its script returns',
  async () => {
    const limited = await startSlurm({ nodes: 1, cgroups: true });
    try {
      const own = new SlurmCluster({ env: limited.env });
      const id = await own.submit(
        planOf(`"${process.execPath}" -e 'Buffer.alloc(200e6, 1)' || true; exit 0`, {
          options: ['--mem=60M'],
        }),
      );
      const end = await until(async () => (await own.ends([id])).get(id));
      expect(end).toBe('out_of_memory');
    } finally {
      await limited.down();
    }
  },
);
if (!hasControlGroups())
  console.info('skipped: out of memory in a control group, of which this machine has none (version 1)');
