import { describe, expect, test } from 'vitest';
import { attemptsView } from '../../src/cli/texts/lists/attempts.ts';
import { eventsView } from '../../src/cli/texts/lists/events.ts';
import { jobsView } from '../../src/cli/texts/lists/jobs.ts';
import { workflowsView } from '../../src/cli/texts/lists/workflows.ts';
import { statusView } from '../../src/cli/texts/status-text.ts';
import { table } from './printed.ts';
import { failed } from './printed-records.ts';
import { NOON, status, worker } from './records.ts';

describe('a table', () => {
  test('lists workflows with their state and how many older ones there are', () => {
    const driven = status({ workers: [worker(41)] });
    expect(table(workflowsView, { statuses: [driven, failed, status()], more: 4 }).split('\n')).toEqual([
      'ID  NAME     STATE       RUN  JOBS  ENDED  FAILED  CREATED',
      ' 3  nightly  running       1    10      5       0  11:59:00',
      ' 3  nightly  failed        1    10     10       1  11:59:00',
      ' 3  nightly  incomplete    1    10      5       0  11:59:00',
      'and 4 older ones; --limit shows more',
    ]);
  });

  test('says so when there is nothing to list', () => {
    expect(table(workflowsView, { statuses: [], more: 0 })).toBe('no workflows yet');
    expect(table(jobsView, [])).toBe('no jobs match');
    expect(table(attemptsView, [])).toBe('no attempts yet');
    expect(table(eventsView, [])).toBe('no events yet');
  });

  test('shows a workflow with who drives it, what runs, what waits and what failed', () => {
    const text = table(
      statusView,
      status({
        workers: [worker(41)],
        running: [{ job_id: 1, name: 'simulate', attempt_id: 1, started_at_ms: NOON - 5000 }],
        waiting: [
          {
            job_id: 2,
            name: 'train',
            attempt_id: 1,
            retry_available_at_ms: NOON + 4000,
            outcome: 'exit 1',
            reason: 'retry 1 of 3 after 5s',
            recovery: null,
          },
        ],
        failures: [
          {
            job_id: 2,
            name: 'train',
            attempt_id: 1,
            outcome: 'exit 1',
            reason: 'retry 1 of 3 after 5s',
            finished_at_ms: NOON - 1000,
          },
          {
            job_id: 3,
            name: 'plot',
            attempt_id: 2,
            outcome: 'exit 2',
            reason: 'no retries left (1 of 1 used)',
            finished_at_ms: NOON - 1000,
          },
        ],
      }),
    );
    // What waits for its retry has its failure in that line.
    expect(text.split('\n')).toEqual([
      'workflow 3 nightly, run 1: running, started 1m00s ago',
      '  completed 5  running 2  queued 1  blocked 2',
      '  driven by process 41 on box',
      '  running  simulate  attempt 1, 5s',
      '  retry    train  at 12:00:04: exit 1 - retry 1 of 3 after 5s',
      '  failure  plot  attempt 2 11:59:59: exit 2 - no retries left (1 of 1 used)',
    ]);
  });

  test('shows what is left of a process that is gone, and how the workflow is resumed', () => {
    const left = status({
      running: [{ job_id: 1, name: 'simulate', attempt_id: 1, started_at_ms: NOON - 5000 }],
      failures: [
        {
          job_id: 2,
          name: 'train',
          attempt_id: 1,
          outcome: 'lost with its worker',
          reason: 'lost with its worker, preemption 1 of 100',
          finished_at_ms: NOON - 1000,
        },
      ],
    });
    expect(table(statusView, left).split('\n').slice(-4)).toEqual([
      '  running  simulate  attempt 1, 5s; its worker is gone',
      '  failure  train  attempt 1 11:59:59: lost with its worker, preemption 1 of 100',
      '',
      'next: holdfast run 3',
    ]);
  });

  test('shows the site and the labels of a worker that has some', () => {
    const marked = worker(41, { site: 'lab', labels: ['gpu', 'big mem'] });
    expect(table(statusView, status({ workers: [marked] }))).toContain(
      '\n  driven by process 41 on box (site lab, labels gpu, big mem)',
    );
  });

  test('shows which worker is suspect, and when its jobs are lost', () => {
    const suspect = worker(41, {
      state: 'suspect',
      kind: 'service',
      lease_ms: 600_000,
      lease_expires_at_ms: NOON + 555_000,
    });
    expect(
      table(statusView, status({ workers: [suspect] }))
        .split('\n')
        .slice(-2),
    ).toEqual([
      '  driven by process 41 on box',
      '  worker 1 is suspect: silent for 45s; its jobs are lost in 9m15s without contact',
    ]);
  });

  test('shows that a recovery script runs, and that actions have not run', () => {
    const recovery = { started_at_ms: NOON - 12_000, timeout_ms: 600_000 };
    const waiting = {
      job_id: 2,
      name: 'train',
      attempt_id: 2,
      outcome: 'exit 10',
      reason: 'rule 1 of h',
      recovery,
    };
    const text = table(
      statusView,
      status({
        waiting: [{ ...waiting, retry_available_at_ms: NOON - 12_000 }],
        actions_due: 1,
        workers: [],
      }),
    );
    expect(text.split('\n').slice(2)).toEqual([
      '  retry    train  after its recovery script, which has been running for 12s of at most 10m00s: exit 10 - rule 1 of h',
      '  1 action has not run yet',
      '',
      'next: holdfast run 3',
    ]);
  });

  test('shows what runs beside the jobs, and that it is being stopped', () => {
    const errand = { id: 4, job_id: 2, name: 'a\x1b[2J', attempt_id: 1, trigger: null, worker_id: 1 };
    const since = { started_at_ms: NOON - 12_000, cancel_requested: false };
    const of = { ...errand, ...since, timeout_ms: 600_000 };
    const run = { job_id: null, name: null, attempt_id: null, trigger: 'on_workflow_complete' as const };
    const text = table(
      statusView,
      status({
        errands: [
          { ...of, kind: 'recovery' },
          { ...of, kind: 'post' },
          { ...of, kind: 'evaluation', timeout_ms: null },
          { ...of, ...run, kind: 'action', cancel_requested: true },
        ],
      }),
    );
    expect(text.split('\n').slice(2)).toEqual([
      '  beside   post script of a␛[2J, running for 12s (limit 10m00s)',
      '  beside   code of a␛[2J, running for 12s',
      '  beside   action on_workflow_complete, running for 12s (limit 10m00s), being stopped',
      '',
      'next: holdfast run 3',
    ]);
  });
});
