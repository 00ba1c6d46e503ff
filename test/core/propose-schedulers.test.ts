import { describe, expect, test } from 'vitest';
import type { PartitionOffer } from '../../src/core/allocation/partition.ts';
import {
  groupJobs,
  type JobNeeds,
  proposedKeys,
  proposeSchedulers,
} from '../../src/core/allocation/propose-schedulers.ts';
import { NO_REQUIREMENT } from '../../src/core/model/workflow-model.ts';

const GIB = 1024 ** 3;
const HOUR = 3_600_000;

const partition = (name: string, more: Partial<PartitionOffer> = {}, kind = {}): PartitionOffer => ({
  name,
  is_default: false,
  max_ms: 24 * HOUR,
  kinds: [{ nodes: 4, cpus: 16, memory_bytes: 64 * GIB, gpus: 0, ...kind }],
  ...more,
});

const CLUSTER = [
  partition('big', {}, { cpus: 64, memory_bytes: 512 * GIB }),
  partition('main', { is_default: true }),
  partition('short', { max_ms: HOUR }, { cpus: 8 }),
  partition('gpu', {}, { nodes: 2, gpus: 4 }),
];

function propose(needs: Partial<JobNeeds>, jobs = 1, only: string | null = null) {
  const group = { needs: { ...NO_REQUIREMENT, ...needs }, jobs, names: ['a'] };
  return proposeSchedulers([group], { partitions: CLUSTER, partition: only, taken: [] });
}

describe('a proposal', () => {
  test.each<[string, Partial<JobNeeds>, number, object]>([
    [
      'fills nodes',
      { cpus: 4, memory_bytes: 8 * GIB, runtime_ms: HOUR },
      10,
      { cpus: 16, memory_bytes: 32 * GIB, side_by_side: 4, allocations: 3 },
    ],
    [
      'asks for no more than the jobs need',
      { cpus: 4, runtime_ms: HOUR },
      2,
      { cpus: 8, memory_bytes: null, side_by_side: 2, allocations: 1 },
    ],
    [
      'is limited by memory',
      { cpus: 1, memory_bytes: 32 * GIB, runtime_ms: HOUR },
      9,
      { side_by_side: 2, allocations: 4, cpus: 2 },
    ],
    [
      'is limited by GPUs',
      { cpus: 1, gpus: 2, runtime_ms: HOUR },
      9,
      { partition: 'gpu', side_by_side: 2, gpus: 4, allocations: 2 },
    ],
    ['takes the default partition', { cpus: 1, runtime_ms: HOUR / 6 }, 1, { partition: 'main' }],
    ['takes a larger one only where it must', { cpus: 32, runtime_ms: HOUR }, 1, { partition: 'big' }],
    [
      'has a job with several nodes alone',
      { cpus: 2, nodes: 2, runtime_ms: HOUR },
      6,
      { nodes: 2, side_by_side: 1, allocations: 2, cpus: 2 },
    ],
    ['has time to spare', { cpus: 1, runtime_ms: HOUR }, 1, { walltime_ms: 95 * 60_000 }],
    [
      'stays below the limit of the partition',
      { cpus: 1, runtime_ms: 20 * HOUR },
      1,
      { walltime_ms: 24 * HOUR },
    ],
    ['of jobs that do not say how long they take has that limit', { cpus: 1 }, 1, { walltime_ms: 24 * HOUR }],
    ['takes half a CPU as a whole one', { cpus: 0.5, runtime_ms: HOUR }, 1, { cpus: 1 }],
  ])('%s', (_, needs, jobs, expected) => {
    const { proposals, problems } = propose(needs, jobs);
    expect(problems).toEqual([]);
    expect(proposals).toEqual([expect.objectContaining(expected)]);
    expect(proposals[0]!.because).toHaveLength(4);
  });

  test('uses the partition that it is given, or says why it cannot', () => {
    expect(propose({ cpus: 1, runtime_ms: HOUR / 6 }, 1, 'short').proposals[0]!.partition).toBe('short');
    expect(propose({ cpus: 1, runtime_ms: 2 * HOUR }, 1, 'short').problems).toEqual([
      'no partition fits 1 job that needs 1 CPU, 2h00m: none has all of it at once, or allows the time',
    ]);
    expect(propose({ cpus: 1 }, 1, 'nope').problems[0]).toContain('there is no partition nope');
  });

  test.each<[Partial<JobNeeds>, string]>([
    [{ gpus: 8 }, 'there are at most 4 GPUs'],
    [{ cpus: 65 }, 'there are at most 64 CPUs'],
    [{ memory_bytes: 1024 * GIB }, 'there are at most 512g'],
    [{ nodes: 5 }, 'there are at most 4 nodes'],
    [{ gpus: 4, cpus: 32 }, 'none has all of it at once'],
  ])('is not made for %j', (needs, reason) => {
    const { proposals, problems } = propose(needs);
    expect(proposals).toEqual([]);
    expect(problems[0]).toContain(reason);
  });

  test('is named after the requirement, and names stay unique', () => {
    const group = (needs: Partial<JobNeeds>) => ({
      needs: { ...NO_REQUIREMENT, ...needs },
      jobs: 1,
      names: ['a'],
    });
    const { proposals } = proposeSchedulers(
      [group({ name: 'my jobs' }), group({ cpus: 3 }), group({ cpus: 3, runtime_ms: 1 }), group({ gpus: 1 })],
      { partitions: CLUSTER, partition: null, taken: ['my-jobs'] },
    );
    expect(proposals.map(({ name }) => name)).toEqual(['my-jobs-2', 'cpu-3', 'cpu-3-2', 'gpu-1']);
  });

  test('is written as a scheduler of a spec', () => {
    const { proposals } = propose({
      name: 'train',
      cpus: 2,
      memory_bytes: 4 * GIB,
      gpus: 1,
      runtime_ms: HOUR,
    });
    expect(proposedKeys(proposals[0]!, 'physics')).toEqual({
      name: 'train',
      account: 'physics',
      partition: 'gpu',
      nodes: 1,
      walltime: '01:35:00',
      ntasks_per_node: 2,
      mem: '4G',
      gres: 'gpu:1',
    });
  });
});

describe('groups of jobs', () => {
  const jobs = (needs: Partial<JobNeeds>, count: number, name: string) => ({
    needs: { ...NO_REQUIREMENT, ...needs },
    jobs: count,
    names: [name],
  });

  test('have the same needs, whatever these are called', () => {
    const groups = groupJobs([
      jobs({ name: 'x', cpus: 2 }, 3, 'a'),
      jobs({ name: 'y', cpus: 2 }, 1, 'b'),
      jobs({ cpus: 4 }, 1, 'c'),
    ]);
    expect(groups.map(({ jobs: count, names }) => [count, names])).toEqual([
      [4, ['a', 'b']],
      [1, ['c']],
    ]);
  });

  test('take in jobs that say nothing, where another group has one node', () => {
    expect(groupJobs([jobs({}, 2, 'a')])).toHaveLength(1);
    const groups = groupJobs([
      jobs({}, 2, 'a'),
      jobs({ gpus: 1 }, 9, 'g'),
      jobs({ cpus: 2 }, 3, 'c'),
      jobs({ nodes: 2 }, 1, 'n'),
    ]);
    expect(groups.map(({ jobs: count, names, silent }) => [count, names, silent])).toEqual([
      [9, ['g'], undefined],
      [5, ['c', 'a'], 2],
      [1, ['n'], undefined],
    ]);
    expect(groupJobs([jobs({}, 2, 'a'), jobs({ nodes: 2 }, 1, 'n')])).toHaveLength(2);
  });
});
