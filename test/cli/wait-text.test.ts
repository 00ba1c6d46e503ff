import { expect, test } from 'vitest';
import type { JobWait } from '../../src/contract/records/records.ts';
import { waitText } from '../../src/views/wait-text.ts';

const THERE = { id: 3, host: 'x', site: 'north' };

const WAITING = {
  kind: 'allocation_waiting',
  scheduler: 'gpu',
  cluster_id: '4711',
  word: 'PENDING',
  why: 'Priority',
  never: false,
  starts_at_ms: null,
} as const;

function holders(...names: string[]): JobWait['held_by'] {
  return names.map((name, index) => ({ workflow_id: 1, job_id: index + 1, name, amount: 1 }));
}

test.each<[string, Partial<JobWait> & Pick<JobWait, 'short'>]>([
  [
    'waiting for 1 licence: held by sim_3, sim_7',
    {
      short: { kind: 'limit', name: 'licence', needed: 1, free: 0 },
      total: 2,
      held_by: holders('sim_3', 'sim_7'),
      holders: 2,
    },
  ],
  [
    'waiting for 2 licence: 1 of 4 is free; held by a and 2 more',
    {
      short: { kind: 'limit', name: 'licence', needed: 2, free: 1 },
      total: 4,
      held_by: holders('a'),
      holders: 3,
    },
  ],
  [
    'waiting for one of the 2 jobs that may run at once: held by a, b',
    { short: { kind: 'max_parallel', needed: 1, free: 0 }, total: 2, held_by: holders('a', 'b'), holders: 2 },
  ],
  ['no worker has the label gpu', { short: { kind: 'labels', missing: ['gpu'] } }],
  ['no worker has the labels big, gpu', { short: { kind: 'labels', missing: ['big', 'gpu'] } }],
  ['no worker takes jobs', { short: { kind: 'no_worker' } }],
  [
    'the run is about to be submitted to DAGMan',
    { short: { kind: 'dagman', cluster_id: null, problem: null } },
  ],
  [
    'DAGMan 17 has it; each attempt is shown when it has ended',
    { short: { kind: 'dagman', cluster_id: '17', problem: null } },
  ],
  [
    'DAGMan 17 has it: held: by hand',
    { short: { kind: 'dagman', cluster_id: '17', problem: 'held: by hand' } },
  ],
  [
    'allocation 4711 is PENDING: Resources, estimated start 14:05:00',
    { short: { ...WAITING, why: 'Resources', starts_at_ms: Date.UTC(2026, 0, 1, 14, 5) } },
  ],
  ['allocation 4711 is PENDING: Priority', { short: WAITING }],
  ['allocation 4711 is queued', { short: { ...WAITING, word: null, why: null } }],
  [
    'allocation 4711 is PENDING: PartitionConfig, which will not pass by itself',
    { short: { ...WAITING, why: 'PartitionConfig', never: true } },
  ],
  [
    'allocation 4711 has begun, and its worker is on its way',
    { short: { kind: 'allocation_starting', scheduler: 'gpu', cluster_id: '4711' } },
  ],
  [
    'an allocation of scheduler gpu is about to be submitted',
    { short: { kind: 'allocation_planned', scheduler: 'gpu' } },
  ],
  [
    'scheduler gpu is paused: no worker came',
    { short: { kind: 'scheduler_paused', scheduler: 'gpu', reason: 'no worker came' } },
  ],
  [
    'scheduler gpu: sbatch refused: Invalid account; next try 14:10:00',
    {
      short: {
        kind: 'scheduler_refused',
        scheduler: 'gpu',
        reason: 'sbatch refused: Invalid account',
        next_try_at_ms: Date.UTC(2026, 0, 1, 14, 10),
      },
    },
  ],
  [
    'as many allocations of scheduler gpu as may be (2) are there, and busy',
    { short: { kind: 'scheduler_full', scheduler: 'gpu', at_most: 2 } },
  ],
  [
    'no allocation of scheduler gpu is on its way, and no action orders another one',
    { short: { kind: 'scheduler_done', scheduler: 'gpu' } },
  ],
  [
    'no scheduler has 8 GPUs: at most 4',
    { short: { kind: 'no_scheduler', lacks: 'gpus', needed: 8, most: 4 } },
  ],
  [
    'no scheduler lasts 2h00m: at most 1h00m',
    { short: { kind: 'no_scheduler', lacks: 'runtime_ms', needed: 7_200_000, most: 3_600_000 } },
  ],
  ['no scheduler of the workflow fits', { short: { kind: 'no_scheduler', lacks: null, needed: 0, most: 0 } }],
  [
    'the cluster has not answered since 14:00:00: squeue does not answer',
    {
      short: {
        kind: 'cluster_absent',
        problem: 'squeue does not answer',
        since_ms: Date.UTC(2026, 0, 1, 14),
      },
    },
  ],
  [
    'waiting for 4 CPUs: 2 of 8 are free on worker 3 (x)',
    { short: { kind: 'resource', resource: 'cpus', needed: 4, free: 2 }, total: 8, worker: THERE },
  ],
  [
    'waiting for 1 CPU: 0.33 of 1 are free on worker 3 (x); held by a',
    {
      short: { kind: 'resource', resource: 'cpus', needed: 1, free: 1 / 3 },
      total: 1,
      worker: THERE,
      held_by: holders('a'),
      holders: 1,
    },
  ],
  [
    'waiting for 2g of memory: 1g of 4g is free on worker 3 (x)',
    {
      short: { kind: 'resource', resource: 'memory_bytes', needed: 2 ** 31, free: 2 ** 30 },
      total: 2 ** 32,
      worker: THERE,
    },
  ],
  [
    'needs 64 CPUs: worker 3 (x) has 8',
    { short: { kind: 'resource', resource: 'cpus', needed: 64, free: 2 }, total: 8, worker: THERE },
  ],
  [
    'needs 1h00m: worker 3 (x) ends in 30m00s',
    { short: { kind: 'time_left', needed_ms: 3_600_000, left_ms: 1_800_000 }, worker: THERE },
  ],
  [
    'waiting for another worker than 3, where it failed, until 12:03:10',
    { short: { kind: 'avoided_worker', worker_id: 3, until_ms: 43_390_000 }, worker: THERE },
  ],
  [
    'waiting for another site than north, where it failed, until 12:03:10',
    { short: { kind: 'avoided_site', site: 'north', until_ms: 43_390_000 }, worker: THERE },
  ],
  [
    'site north is banned until 12:03:10: storage is down',
    { short: { kind: 'ban', site: 'north', reason: 'storage is down', until_ms: 43_390_000 } },
  ],
])('%s', (text, wait) => {
  const whole = { worker: null, total: null, held_by: [], holders: 0, ...wait };
  expect(waitText(whole, (ms) => new Date(ms).toISOString().slice(11, 19))).toBe(text);
});
