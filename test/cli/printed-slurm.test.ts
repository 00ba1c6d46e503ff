import { describe, expect, test } from 'vitest';
import { allocationsView } from '../../src/cli/texts/slurm/allocations.ts';
import { type PlannedShape, plannedShapesView } from '../../src/cli/texts/slurm/planned-shapes.ts';
import { statusView } from '../../src/cli/texts/status-text.ts';
import { NOON, status, textStyle } from './records.ts';
import { schedulerRecordOf, shownAllocation } from './slurm-view-samples.ts';

describe('a list of allocations', () => {
  const lines = (...given: Parameters<typeof shownAllocation>) =>
    allocationsView.table({ allocations: [shownAllocation(...given)], held: [] }, textStyle()).at(-1)!;

  test.each([
    [{}, 'PENDING: Resources'],
    [{ why: 'PartitionConfig', never: true }, 'PENDING: PartitionConfig (can never start)'],
    [{ cancel_reason: 'no job needs it' }, 'to be canceled: no job needs it'],
    [{ state: 'ended' as const, end: 'timeout' as const, workers: 1 }, 'timeout'],
    [{ state: 'ended' as const, end: 'failed' as const }, 'failed, its worker never came'],
    [
      { state: 'ended' as const, end: 'canceled' as const, workers: 1, cancel_reason: 'by ada' },
      'canceled: by ada',
    ],
    [{ state: 'running' as const, worker_ids: [4, 5], running: 3 }, '4,5            3'],
  ])('says of %j: %s', (change, text) => {
    expect(lines(change)).toContain(text);
  });

  test('ends with the schedulers of which nothing is submitted, and how to resume them', () => {
    const held = [
      schedulerRecordOf({ paused: { at_ms: NOON, reason: 'three allocations ended without their worker' } }),
      schedulerRecordOf({
        name: 'cpu',
        refusals: 2,
        refusal: 'sbatch refused: Invalid account',
        next_try_at_ms: NOON,
      }),
    ];
    const [, paused, waits] = allocationsView.table({ allocations: [], held }, textStyle());
    expect(paused).toContain('scheduler gpu is paused: three allocations ended without their worker; ');
    expect(paused).toContain('slurm resume 1 gpu');
    expect(waits).toMatch(
      /^scheduler cpu waits until .*: sbatch refused: Invalid account; .*slurm resume 1 cpu/,
    );
  });
});

test('a status has the allocations of the workflow and the schedulers that wait', () => {
  const text = statusView
    .table(
      status({
        allocations: { queued: 1, running: 2, stuck: [] },
        held_schedulers: [
          { name: 'gpu', paused: true, reason: 'its worker never came', next_try_at_ms: null },
        ],
      }),
      textStyle(),
    )
    .join('\n');
  expect(text).toContain('Slurm allocations: 2 running, 1 waiting');
  expect(text).toContain('scheduler gpu is paused: its worker never came');
});

describe('what slurm plan recommends', () => {
  const HOUR = 3_600_000;
  const shapes = (...starts: (number | null)[]): PlannedShape[] =>
    starts.map((start, index) => ({
      scheduler: 's',
      label: ['as written', 'one large', 'many small'][index]!,
      allocations: [2, 1, 4][index]!,
      nodes: [2, 4, 1][index]!,
      starts_at_ms: start,
      problem: start === null ? 'sbatch refused: too large' : null,
    }));

  test.each<[(number | null)[], string]>([
    [[NOON, NOON + HOUR, NOON], 's: leave it as it is; nothing starts sooner'],
    [[NOON + 60_000, NOON + HOUR, NOON], 's: leave it as it is; nothing starts sooner'],
    [[NOON + HOUR, NOON + 2 * HOUR, NOON], 's: write nodes: 1 and num_allocations: 4; starts 1h00m sooner'],
    [
      [NOON + HOUR, NOON, NOON + HOUR],
      's: write nodes: 4 and num_allocations: 1 and start_one_worker_per_node: true; starts 1h00m sooner',
    ],
    [[null, null, NOON], 's: write nodes: 1 and num_allocations: 4; the cluster takes only this'],
    [[null, null, null], 's: the cluster would refuse it: sbatch refused: too large'],
    [[NOON], 's: leave it as it is; there is no other way to ask for it'],
  ])('for starts at %j', (starts, text) => {
    expect(plannedShapesView.table(shapes(...starts), textStyle()).at(-1)).toBe(text);
  });
});
