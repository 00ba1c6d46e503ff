import { expect, test } from 'vitest';
import type { WorkflowGraph } from '../../src/contract/records/overview.ts';
import type { StatusCounts, WorkflowStatus } from '../../src/contract/records/records.ts';
import { JOB_STATUSES } from '../../src/core/job/job-status.ts';
import { stageProgress } from '../../src/views/timeline/stage-progress.ts';

const counts = (part: Partial<StatusCounts>): StatusCounts => ({
  ...(Object.fromEntries(JOB_STATUSES.map((status) => [status, 0])) as StatusCounts),
  ...part,
});
const group = (label: string, part: Partial<StatusCounts>, mean: number | null = null, onCall = false) => ({
  label,
  on_call: onCall,
  jobs: Object.values(part).reduce((sum, each) => sum + each, 0),
  counts: counts(part),
  recovered: 0,
  cpus_in_use: 0,
  first_job_id: 1,
  mean_success_ms: mean,
});
const status = (running: number, mean: number | null) =>
  ({ counts: counts({ running }), attempts: { finished: 1, mean_success_ms: mean } }) as WorkflowStatus;
const graph = (groups: WorkflowGraph['groups'], edges: [number, number][]): WorkflowGraph => ({
  groups,
  edges: edges.map(([from, to]) => ({ from, to })),
  routes: [],
  left_off: 0,
});

test('stages are in the order in which they start, without jobs on call', () => {
  const stages = stageProgress(
    graph(
      [
        group('merge', { blocked: 1 }),
        group('train_*', { completed: 6, running: 2, ready: 2 }, 10_000),
        group('begin', { completed: 1 }, 1_000),
        group('clean', { disabled: 1 }, null, true),
      ],
      [
        [1, 0],
        [2, 1],
        [1, 1],
      ],
    ),
    status(2, 5_000),
  );
  expect(
    stages.map(({ label, ended, jobs, has_begun, remaining_ms }) => [
      label,
      ended,
      jobs,
      has_begun,
      remaining_ms,
    ]),
  ).toEqual([
    ['begin', 1, 1, true, null],
    ['train_*', 6, 10, true, 20_000],
    // Nothing of it has run: the mean of all successes.
    ['merge', 0, 1, false, 5_000],
  ]);
});

test('without a success there is nothing to measure by, and a circle of groups has an order too', () => {
  const stages = stageProgress(
    graph(
      [group('a', { ready: 4 }), group('b', { blocked: 4 })],
      [
        [0, 1],
        [1, 0],
      ],
    ),
    status(0, null),
  );
  expect(stages.map(({ remaining_ms }) => remaining_ms)).toEqual([null, null]);
});
