import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SlurmCluster } from '../../src/clusters/slurm/slurm-cluster.ts';
import type { AllocationPlan } from '../../src/contract/cluster.ts';
import { FakeSlurm } from './fake-slurm.ts';

// The fake is only worth something if it does to jobs what Slurm does; test/clusters has the same on a real one.

let slurm: FakeSlurm;
let cluster: SlurmCluster;

beforeEach(() => {
  slurm = new FakeSlurm();
  cluster = new SlurmCluster({ env: slurm.env });
});
afterEach(() => slurm.down());

async function submitted(command: string, more: Partial<AllocationPlan> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'allocation-'));
  const plan: AllocationPlan = {
    tag: `holdfast-${directory.slice(-6)}`,
    script: `#!/bin/bash\n${command}\n`,
    options: [],
    directory,
    output: join(directory, 'out'),
    after: null,
    ...more,
  };
  return { ...plan, id: await cluster.submit(plan) };
}

async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await sleep(10);
}

const word = (id: string, wanted: string) => until(() => slurm.job(id).word === wanted);
const says = (output: string, text: string) =>
  until(() => {
    try {
      return readFileSync(output, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
const ends = async (id: string) => [...(await cluster.ends([id])).values()];

test('a requeued job waits, and its script runs again with the count of its restarts', async () => {
  const { id, tag, output } = await submitted('echo "try ${SLURM_RESTART_COUNT:-0}"; sleep 100');
  await says(output, 'try 0');
  slurm.set({ requeueMs: 1_000_000 });
  slurm.requeue(id);
  await word(id, 'PENDING');
  expect(await cluster.list([tag])).toMatchObject([{ id, state: 'queued', why: 'BeginTime' }]);
  expect(await ends(id)).toEqual([]);
  await cluster.cancel([id]);
  await word(id, 'CANCELLED');

  slurm.set({ requeueMs: 0 });
  const next = await submitted('echo "try ${SLURM_RESTART_COUNT:-0}"; sleep 100');
  await says(next.output, 'try 0');
  slurm.preempt(next.id);
  await says(next.output, 'try 1');
  slurm.failNode(next.id);
  await says(next.output, 'try 2');
});

test('a job that may not be requeued ends as preempted, or by the failure of its node without a signal', async () => {
  const trap = 'trap "echo term; exit" TERM; echo up; while :; do sleep 0.01; done';
  const first = await submitted(trap, { options: ['--no-requeue'] });
  const second = await submitted(trap, { options: ['--no-requeue'] });
  await says(first.output, 'up');
  await says(second.output, 'up');
  slurm.preempt(first.id);
  slurm.failNode(second.id);
  await word(first.id, 'PREEMPTED');
  await word(second.id, 'NODE_FAIL');
  expect(readFileSync(first.output, 'utf8')).toContain('term');
  expect(readFileSync(second.output, 'utf8')).toBe('up\n');
  expect([await ends(first.id), await ends(second.id)]).toEqual([['preempted'], ['node_fail']]);
});

test('a job over its time ends as timeout, whatever its script makes of SIGTERM', async () => {
  const { id, output } = await submitted('trap "exit 0" TERM; echo up; while :; do sleep 0.01; done', {
    options: ['--time=0:01'],
  });
  await word(id, 'TIMEOUT');
  expect(readFileSync(output, 'utf8')).toContain('up');
  expect(await ends(id)).toEqual(['timeout']);
});

test('a job waits for the one before, and for what tests want', async () => {
  slurm.set({ pending: { reason: 'Resources', startsAt: Date.UTC(2030, 0, 1) } });
  const first = await submitted('sleep 100');
  const second = await submitted('true', { after: first.id });
  await until(() => slurm.job(first.id).reason === 'Resources');
  await until(() => slurm.job(second.id).reason === 'Dependency');
  expect(await cluster.list([first.tag])).toMatchObject([{ startsAt: Date.UTC(2030, 0, 1), never: false }]);
  slurm.set({ pending: null });
  await word(first.id, 'RUNNING');
  await cluster.cancel([first.id]);
  await word(second.id, 'COMPLETED');
  const never = await submitted('true', { options: ['--ntasks=1000'] });
  await until(() => slurm.job(never.id).reason === 'PartitionConfig');
});

test('a script knows its allocation from its environment, and srun has one task on each node', async () => {
  const { id, output } = await submitted(
    'echo "$SLURM_JOB_ID $SLURM_CPUS_ON_NODE $SLURM_MEM_PER_NODE $SLURM_NNODES $SLURM_NODEID $SLURM_CLUSTER_NAME"\n' +
      `srun --nodes=2 --ntasks=2 --ntasks-per-node=1 bash -c 'echo "task on $SLURMD_NODENAME"; exit $SLURM_PROCID'`,
    { options: ['--nodes=2', '--ntasks=2', '--cpus-per-task=3', '--mem=1G'] },
  );
  await word(id, 'FAILED');
  expect(readFileSync(output, 'utf8').split('\n').toSorted()).toEqual([
    '',
    '1 3 1024 2 0 fake',
    'task on n1',
    'task on n2',
  ]);
});
