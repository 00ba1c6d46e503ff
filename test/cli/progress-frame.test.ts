import { describe, expect, test } from 'vitest';
import { progressFrame, type ScreenSize } from '../../src/cli/progress/progress-frame.ts';
import { displayWidth } from '../../src/cli/terminal/display-width.ts';
import { lineText } from '../../src/cli/terminal/styled-line.ts';
import type { StatusCounts, WorkerRecord, WorkflowStatus } from '../../src/contract/records/records.ts';
import { remainingMs } from '../../src/views/remaining-time.ts';
import type { Stage } from '../../src/views/timeline/stage-progress.ts';
import { endedCount, jobCount } from '../../src/views/workflow-state.ts';
import { counts, NOON, status } from './records.ts';

const WIDE = { columns: 100, rows: 30 };

const stage = (label: string, given: Partial<StatusCounts>, recovered = 0): Stage => {
  const all = counts(given);
  return {
    label,
    jobs: jobCount(all),
    ended: endedCount(all),
    counts: all,
    recovered,
    cpus_in_use: all.running,
    has_begun: endedCount(all) + all.running > 0,
    remaining_ms: null,
  };
};

function frame(given: WorkflowStatus, size: ScreenSize = WIDE, note: string | null = null): string[] {
  return progressFrame(given, size, NOON, { note }).map(lineText);
}

const busy = status({
  counts: counts({ completed: 500, failed: 2, running: 40, ready: 300, blocked: 158 }),
  running: Array.from({ length: 20 }, (_, index) => ({
    job_id: index,
    name: `simulate_${index}_${'long'.repeat(30)}_end`,
    attempt_id: index === 0 ? 2 : 1,
    started_at_ms: NOON - (20 - index) * 1000,
  })),
  waiting: [
    {
      job_id: 99,
      name: 'train_3',
      attempt_id: 2,
      retry_available_at_ms: NOON + 11_200,
      outcome: 'exit 1',
      reason: 'retry 2 of 3 after 12s',
      recovery: null,
    },
  ],
  failures: [
    {
      job_id: 99,
      name: 'train_3',
      attempt_id: 2,
      outcome: 'exit 1',
      reason: 'retry 2 of 3 after 12s',
      finished_at_ms: NOON - 800,
    },
    {
      job_id: 98,
      name: 'evil\x1b[2J\nname',
      attempt_id: 1,
      outcome: 'exit 9',
      reason: 'max_retries_failure is 0',
      finished_at_ms: NOON - 900,
    },
  ],
});

describe('the progress screen', () => {
  test('shows name, id, run, elapsed time and what is left', () => {
    const [header, bar, statuses] = frame(status());
    expect(header).toBe('nightly  workflow 3, run 1  1m00s  about 10s left');
    expect(bar).toMatch(/^█{45}░{45} 50% {2}5\/10$/);
    expect(statuses).toBe('completed 5  running 2  queued 1  blocked 2');
  });

  test('shows running jobs longest first with their time and attempt', () => {
    const lines = frame(busy).filter((line) => line.startsWith('running'));
    expect(lines[0]).toMatch(/^running simulate_0_.*….*_end {2}20s {2}attempt 2$/);
    expect(lines[1]).toMatch(/^running simulate_1_.*….*_end {2}19s$/);
  });

  test('shows how many running jobs are not shown', () => {
    const lines = frame(busy).filter((line) => line.startsWith('running'));
    expect(lines).toHaveLength(8);
    expect(lines.at(-1)).toBe('running and 33 more');
  });

  test('shows when a retry is due and why', () => {
    expect(frame(busy)).toContain('retry   train_3  in 12s: exit 1 - retry 2 of 3 after 12s');
  });

  test('shows a failure once where its retry waits', () => {
    expect(busy.failures.map(({ job_id }) => job_id)).toContain(busy.waiting[0]!.job_id);
    const lines = frame(busy).filter((line) => line.includes('train_3'));
    expect(lines).toEqual([expect.stringMatching(/^retry {3}train_3/)]);
  });

  test('says that a retry is due now when its time has come', () => {
    const due = status({ waiting: [{ ...busy.waiting[0]!, retry_available_at_ms: NOON - 1 }] });
    expect(frame(due)).toContain('retry   train_3  now: exit 1 - retry 2 of 3 after 12s');
  });

  test('shows what is lost with its worker without saying it twice', () => {
    const reason = 'lost with its worker, preemption 1 of 100';
    const failure = { ...busy.failures[0]!, job_id: 99, name: 'a', outcome: 'lost with its worker', reason };
    const lost = status({ failures: [failure] });
    expect(frame(lost)).toContain(`failure a  ${reason}`);
  });

  test('makes control characters of names visible', () => {
    expect(frame(busy)).toContain('failure evil␛[2J␊name  exit 9 - max_retries_failure is 0');
  });

  describe('with stages', () => {
    const stages = [
      stage('prepare', { completed: 1 }),
      stage('train_*', { completed: 30, failed: 2, running: 4, ready: 64 }, 3),
      stage('merge', { blocked: 1 }),
    ];
    const lines = (columns: number, rows = 30, given = stages) =>
      progressFrame(
        status({ counts: counts({ running: 4 }), workers: [{ cpus: 8 } as WorkerRecord] }),
        { columns, rows },
        NOON,
        {
          stages: given,
        },
      ).map(lineText);

    test('has a line for each that takes the width, with what is done, running, failed and recovered', () => {
      expect(lines(80).slice(3, 6)).toEqual([
        `prepare ${'█'.repeat(31)}    1/1                                  `,
        `train_* ${'█'.repeat(10)}${'░'.repeat(21)} 32/100  4 running  2 failed  3 recovered`,
        `merge   ${'░'.repeat(31)}    0/1                                  `,
      ]);
      for (const line of lines(160).slice(3, 6)) expect(displayWidth(line)).toBe(160);
    });

    test('shows the CPUs in use, of all that the workers have', () => {
      expect(lines(80)[0]).toMatch(/ {2}4 of 8 CPUs in use$/);
    });

    test('leaves out those that are done, then those that have not begun', () => {
      expect(lines(80, 8).slice(3)).toEqual([expect.stringMatching(/^train_\* /), 'and 2 more stages']);
    });

    test('has no bar where there is no room for one', () => {
      expect(lines(40)[4]).toMatch(/^train_\* {2}32\/100 {2}4 running/);
    });

    test('has none for a workflow of one job', () => {
      expect(lines(80, 30, [stage('only', { running: 1 })])).toHaveLength(lines(80, 30, []).length);
    });
  });

  test.each([
    [20, 5],
    [1, 1],
    [10, 2],
    [40, 8],
    [80, 24],
    [200, 60],
  ])('fits a terminal of %i × %i', (columns, rows) => {
    const lines = frame(busy, { columns, rows }, 'stopping 40 running jobs (grace 10s)');
    expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });

  test('on a tiny terminal keeps the bar, the counts and the newest failure', () => {
    const lines = frame(busy, { columns: 20, rows: 5 });
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain('50%');
    expect(lines[3]).toMatch(/^failure evil/);
  });

  test('keeps a note in sight on every size', () => {
    for (const rows of [5, 10, 40]) {
      expect(frame(busy, { columns: 60, rows }, 'stopping now').at(-1)).toBe('stopping now');
    }
  });

  test('never shows 100 % before every job has ended', () => {
    const almost = status({ counts: counts({ completed: 99_999, running: 1 }) });
    expect(frame(almost)[1]).toContain('99%  99999/100000');
  });

  test('does not guess what is left before anything has succeeded', () => {
    expect(remainingMs(status({ attempts: { finished: 3, mean_success_ms: null } }), NOON, null)).toBeNull();
  });

  test('trusts the pace it has seen more than the length of jobs', () => {
    const short = status({
      counts: counts({ completed: 300, ready: 700 }),
      attempts: { finished: 300, mean_success_ms: 1 },
    });
    expect(remainingMs(short, NOON, { since: NOON - 10_000, ended: 200 })).toBe(70_000);
  });

  test('does not promise an end before the last retry that waits', () => {
    const waiting = [{ ...busy.waiting[0]!, retry_available_at_ms: NOON + 300_000 }];
    expect(remainingMs(status({ waiting }), NOON, null)).toBe(304_000);
  });
});
