import { describe, expect, test } from 'vitest';
import { cancellationView } from '../../src/cli/texts/cancellation-text.ts';
import { runResultView } from '../../src/cli/texts/run-result-text.ts';
import { routeTrace } from '../../src/views/route-trace.ts';
import { json, quiet, table } from './printed.ts';
import { failed } from './printed-records.ts';
import { attempt, counts, event, job, runResult } from './records.ts';

describe('a table', () => {
  test('ends a run with its failures, their stderr, what recovered and the next command', () => {
    const result = runResult({
      status: failed,
      failed: [
        {
          job: job({ status: 'failed' }),
          attempt: attempt({ reason: 'no retries left (3 of 3 used)' }),
          stderr: ['Traceback', 'ValueError: \x1b]0;x\x07'],
          jobs: 1,
          alike: [],
        },
      ],
      recovered: [job({ name: 'fetch' }), job({ name: 'load' })],
      hints: [
        { kind: 'explain', workflow: 3, job: 'train_1' },
        { kind: 'retry', workflow: 3, jobs: ['train_1'] },
      ],
    });
    expect(table(runResultView, result).split('\n')).toEqual([
      'workflow 3 nightly, run 1: failed in 30s',
      '  completed 7  failed 1  canceled 2',
      '',
      'failed train_1: exit 1 - no retries left (3 of 3 used)',
      '  stderr: output/job_stdio/job_wf3_j7_r1_a1.e',
      '  | Traceback',
      '  | ValueError: ␛]0;x␇',
      '',
      '2 jobs recovered: fetch, load',
      '',
      'next: holdfast explain 3 train_1  why it failed',
      '      holdfast retry 3 train_1    try it again as it is',
    ]);
  });

  test('ends a run with how a job ended, where that is worse than what was decided about its attempt', () => {
    const remedied = {
      job: job({ status: 'failed', reason: 'its remediation fix failed' }),
      attempt: attempt({ reason: 'on_fail: fix, then re-attempt 1 of 1' }),
      stderr: [],
      jobs: 1,
      alike: [],
    };
    const two = { ...failed, counts: counts({ failed: 2 }) };
    const unstarted = {
      job: job({ name: 'asked', status: 'failed', reason: 'no retry applies' }),
      attempt: attempt({ started_at_ms: null, error: 'could not be started: `if` cannot be evaluated' }),
      stderr: [],
      jobs: 1,
      alike: [],
    };
    expect(
      table(runResultView, runResult({ status: two, failed: [remedied, unstarted] }))
        .split('\n')
        .slice(3),
    ).toEqual([
      '2 jobs failed, in 2 ways:',
      '',
      'failed train_1: exit 1 - its remediation fix failed',
      '  stderr: output/job_stdio/job_wf3_j7_r1_a1.e (empty)',
      '',
      'failed asked: could not be started: `if` cannot be evaluated - no retry applies',
    ]);
  });

  test('ends a run with one failure for all that look alike, and how many they are', () => {
    const many = { ...failed, counts: counts({ failed: 13 }) };
    const alike = Array.from({ length: 11 }, (_, index) => `train_${index + 2}`);
    const first = {
      job: job({ status: 'failed' }),
      attempt: attempt({}),
      stderr: ['no space'],
      jobs: 12,
      alike,
    };
    const result = runResult({ status: many, failed: [first] });
    expect(table(runResultView, result).split('\n').slice(3)).toEqual([
      expect.stringMatching(/^failed 12 jobs: exit 1/),
      '  jobs: train_1, train_2, train_3, train_4, train_5, train_6, train_7, train_8, train_9, train_10 and 2 more',
      '  stderr of train_1: output/job_stdio/job_wf3_j7_r1_a1.e',
      '  | no space',
      'and 1 more: holdfast jobs 3 --status failed',
    ]);
  });

  test('shows how to see failures that the end of a run leaves out', () => {
    const many = { ...failed, counts: counts({ failed: 11, terminated: 3 }) };
    const result = runResult({ status: many });
    expect(table(runResultView, result)).toContain('and 14 more: holdfast jobs 3 --status failed,terminated');
  });

  test('describes a cancellation, also one that was only tried', () => {
    const shown = { workflow_id: 3, dry_run: false, canceled: [1], stopping: [], actions: [] };
    expect(table(cancellationView, shown)).toBe('workflow 3: canceled 1 job');
    const tried = { workflow_id: 3, dry_run: true, canceled: [1, 2], stopping: [3], actions: [8] };
    expect(table(cancellationView, tried)).toBe(
      'workflow 3: would cancel 2 jobs, would stop 1 job that runs now, would stop 1 action',
    );
  });
});

describe('JSON', () => {
  test('ends a run with its status and the trace of its routes', () => {
    const trace = routeTrace([event({ type: 'failure' })]);
    const result = runResult({ status: failed, trace });
    expect(json(runResultView, result)).toEqual({ ...failed, trace });
  });

  test('says of a cancellation whether it was only tried', () => {
    const tried = { workflow_id: 3, dry_run: true, canceled: [1], stopping: [], actions: [8] };
    expect(json(cancellationView, tried)).toEqual({
      workflow_id: 3,
      dry_run: true,
      canceled: [1],
      stopping: [],
      actions: [8],
    });
  });
});

describe('quiet output', () => {
  test('prints the workflow id when a run ends', () => {
    expect(quiet(runResultView, runResult({ status: failed }))).toBe('3');
  });
});
