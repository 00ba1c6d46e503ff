import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { workerScript } from '../../src/cli/slurm/worker-script.ts';
import { startWithin } from '../../src/cli/worker/worker-place.ts';
import type { AllocationOrder } from '../../src/contract/allocator.ts';
import { schedulerModel } from '../core/allocation-situations.ts';

const ACCESS = {
  program: ['/bin/echo', "it's $HOME"],
  url: 'http://login1:7600',
  tokenFile: '/shared/a b/token',
  flags: ['--lease', '5000ms'],
  stateDir: '/shared/$(touch x)',
};

const order = (more: Partial<AllocationOrder> = {}): AllocationOrder => ({
  tag: 'holdfast-0123456789ab',
  workflow_id: 7,
  scheduler: schedulerModel({ name: 'big', nodes: 3 }),
  one_worker_per_node: false,
  max_parallel: null,
  after: null,
  ...more,
});

test('the script of an allocation starts its worker, whatever is in names and paths', () => {
  const printed = execFileSync('bash', ['-c', workerScript(order({ max_parallel: 4 }), ACCESS)]).toString();
  expect(printed).toBe(
    "it's $HOME worker --allocation slurm --tag holdfast-0123456789ab --workflow 7 --dir /shared/$(touch x) " +
      '--server http://login1:7600 --token-file /shared/a b/token --label slurm:big --max-parallel 4 ' +
      '--idle-timeout 300s --take-until 60s --end-before 30s --lease 5000ms\n',
  );
});

test('one worker per node is a task of srun on each, of which none ends another', () => {
  const line = workerScript(order({ one_worker_per_node: true }), ACCESS)
    .trim()
    .split('\n')
    .at(-1)!;
  const [options] = line.split(' /bin/echo ');
  expect(options!.split(' ')).toEqual([
    ...['exec', 'srun', '--nodes=3', '--ntasks=3', '--ntasks-per-node=1'],
    ...['--cpus-per-task="$SLURM_CPUS_ON_NODE"', '--mem=0', '--overlap', '--wait=0', '--kill-on-bad-exit=0'],
  ]);
});

test('many workers that start together do so within some seconds, one alone at once', () => {
  expect([1, 2, 100, 5000].map(startWithin)).toEqual([0, 100, 5_000, 10_000]);
});
