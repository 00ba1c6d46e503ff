import { describe, expect, test } from 'vitest';
import { jsonRenderer } from '../../src/cli/output/json-renderer.ts';
import { quietRenderer } from '../../src/cli/output/quiet-renderer.ts';
import type { Check, Validation } from '../../src/cli/output/renderer.ts';
import { tableRenderer } from '../../src/cli/output/table-renderer.ts';
import { routeTrace } from '../../src/cli/run/route-trace.ts';
import { outcome } from '../../src/core/outcome.ts';
import type { Explanation } from '../../src/core/records.ts';
import { DEFAULT_JOB_CONFIG } from '../../src/core/workflow-model.ts';
import {
  attempt,
  counts,
  evaluation,
  event,
  job,
  NOON,
  runResult,
  status,
  textStyle,
  worker,
} from './records.ts';

const table = tableRenderer(textStyle());

const failed = status({
  complete: true,
  exit_code: 1,
  finished_at_ms: NOON - 30_000,
  counts: counts({ completed: 7, failed: 1, canceled: 2 }),
});

const explanation: Explanation = {
  job: {
    ...job({ status: 'blocked', attempt_id: 1 }),
    config: {
      ...DEFAULT_JOB_CONFIG,
      command: 'true',
    },
    requirement: { name: null, cpus: null, memoryBytes: null, gpus: 0, nodes: 1, resources: {} },
    depends_on: [
      { job_id: 1, name: 'prepare', status: 'completed' },
      { job_id: 2, name: 'fetch', status: 'running' },
    ],
  },
  headline: 'waits for 1 of 2 dependencies: fetch (running)',
  next: 'it becomes ready when they have ended',
  hint: 'holdfast run 3',
  attempts: [
    {
      attempt: attempt(),
      walk: [
        { rule: 'canceled', applies: false, because: 'nobody canceled it' },
        { rule: 'retry', applies: true, because: 'retry 1 of 3 after 1s' },
      ],
    },
  ],
};

describe('the table renderer', () => {
  test('lists workflows with their state and how many older ones there are', () => {
    const driven = status({ workers: [worker(41)] });
    expect(table.workflows([driven, failed, status()], 4).split('\n')).toEqual([
      'ID  NAME     STATE       RUN  JOBS  ENDED  FAILED  CREATED',
      ' 3  nightly  running       1    10      5       0  11:59:00',
      ' 3  nightly  failed        1    10     10       1  11:59:00',
      ' 3  nightly  incomplete    1    10      5       0  11:59:00',
      'and 4 older ones; --limit shows more',
    ]);
  });

  test('says so when there is nothing to list', () => {
    expect(table.workflows([], 0)).toBe('no workflows yet');
    expect(table.jobs([])).toBe('no jobs match');
    expect(table.attempts([])).toBe('no attempts yet');
    expect(table.events([])).toBe('no events yet');
  });

  test('shows a workflow with who drives it, what runs, what waits and what failed', () => {
    const text = table.status(
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
        ],
      }),
    );
    expect(text.split('\n')).toEqual([
      'workflow 3 nightly, run 1: running, started 1m00s ago',
      '  completed 5  running 2  ready 1  blocked 2',
      '  driven by process 41 on box',
      '  running  simulate  attempt 1, 5s',
      '  retry    train  at 12:00:04: exit 1 - retry 1 of 3 after 5s',
      '  failure  train  attempt 1 11:59:59: exit 1 - retry 1 of 3 after 5s',
    ]);
  });

  test('lists jobs with their counts and when a retry is due', () => {
    const waiting = job({
      id: 12,
      name: 'evil\x1b[2J',
      status: 'ready',
      failure_count: 1,
      retry_available_at_ms: NOON + 2000,
      reason: 'retry 1 of 3 after 2s',
    });
    expect(table.jobs([job(), waiting]).split('\n')).toEqual([
      'ID  NAME      STATUS     ATTEMPT  FAILURES  LOST  REASON',
      ' 7  train_1   completed        1         0     0  -',
      '12  evil␛[2J  ready            1         1     0  retry 1 of 3 after 2s (due in 2s)',
    ]);
  });

  test('lists attempts with outcome, start and duration', () => {
    const running = attempt({
      attempt_id: 2,
      state: 'RUNNING',
      error: null,
      finished_at_ms: null,
      started_at_ms: NOON - 90_000,
      reason: null,
    });
    expect(table.attempts([attempt(), running]).split('\n')).toEqual([
      'JOB      RUN  ATTEMPT  STATE    OUTCOME  STARTED    TOOK  REASON',
      'train_1    1        1  FAILED   exit 1   11:59:58   1.5s  retry 1 of 3 after 1s',
      'train_1    1        2  RUNNING  -        11:58:30  1m30s  -',
    ]);
  });

  test('lists events', () => {
    expect(table.events([event()]).split('\n')[1]).toBe(
      '12  12:01:07  completed  train_1        1  -      exit 0 and every declared output exists',
    );
  });

  test('explains a job with what it waits for, the rules of each attempt and what is next', () => {
    expect(table.explanation(explanation).split('\n')).toEqual([
      'train_1 (job 7, run 1): blocked',
      'waits for 1 of 2 dependencies: fetch (running)',
      '  after fetch, which is running',
      '',
      'attempt 1 of run 1: exit 1 (started 11:59:58, took 1.5s)',
      '    canceled  nobody canceled it',
      '  → retry     retry 1 of 3 after 1s',
      '    stderr: output/job_stdio/job_wf3_j7_r1_a1.e',
      '',
      'next: it becomes ready when they have ended',
      'hint: holdfast run 3',
    ]);
  });

  test('tells of items by the label that commands take, and of callers where there are any', () => {
    const item = { name: 'p', scope: 'list[0]' };
    expect(table.jobs([job(item)])).toContain(' 7  p@list[0]  completed');
    expect(table.events([event({ job_name: 'p', scope: 'list[0]' })])).toContain('p@list[0]');
    expect(table.manualRetry(job(item), null)).toContain('job p@list[0] is ready');
    const called = attempt({ job_name: 'fix', scope: 'list[0]', caller: 'p@list[0]' });
    expect(
      table
        .attempts([attempt(), called])
        .split('\n')
        .map((line) => line.slice(0, 45)),
    ).toEqual([
      'JOB          RUN  ATTEMPT  CALLED BY  STATE  ',
      'train_1        1        1  -          FAILED ',
      'fix@list[0]    1        1  p@list[0]  FAILED ',
    ]);
    expect(quietRenderer.jobs([job(item)])).toBe('p@list[0]');
    expect(quietRenderer.attempts([called])).toBe('fix@list[0] r1 a1');
  });

  test('explains who called for an attempt, what its code said and where that led', () => {
    const routed = attempt({
      caller: 'build',
      route: { kind: 'goto', target: 'setup', loop: 2, max_loops: 10 },
      evaluations: [
        evaluation(),
        evaluation({ key: 'run_js', result: { ok: false, problem: 'out of\ntime' }, ms: 25 }),
      ],
    });
    const lines = table
      .explanation({ ...explanation, attempts: [{ attempt: routed, walk: [] }] })
      .split('\n');
    expect(lines.slice(4, -3)).toEqual([
      'attempt 1 of run 1: exit 1 (started 11:59:58, took 1.5s)',
      '    called by build',
      '    stderr: output/job_stdio/job_wf3_j7_r1_a1.e',
      '    goto_js gave "setup" (1.3 ms)',
      '    run_js failed: out of␊time (25.0 ms)',
      '    route: goto setup (loops: 2 of 10)',
    ]);
  });

  test('ends a run with its failures, their stderr, what recovered and the next command', () => {
    const result = runResult({
      status: failed,
      failed: [
        {
          job: job({ status: 'failed' }),
          attempt: attempt({ reason: 'all 3 retries of max_retries_failure are used up' }),
          stderr: ['Traceback', 'ValueError: \x1b]0;x\x07'],
        },
      ],
      recovered: [job({ name: 'fetch' }), job({ name: 'load' })],
      next: 'holdfast explain 3 train_1',
    });
    expect(table.runResult(result).split('\n')).toEqual([
      'workflow 3 nightly, run 1: failed in 30s',
      '  completed 7  failed 1  canceled 2',
      '',
      'failed train_1: exit 1 - all 3 retries of max_retries_failure are used up',
      '  stderr: output/job_stdio/job_wf3_j7_r1_a1.e',
      '  | Traceback',
      '  | ValueError: ␛]0;x␇',
      '',
      '2 jobs recovered: fetch, load',
      '',
      'next: holdfast explain 3 train_1',
    ]);
  });

  test('ends a run with what became of a job, where that is worse than what was decided about its attempt', () => {
    const remedied = {
      job: job({ status: 'failed', reason: 'its remediation fix failed' }),
      attempt: attempt({ reason: 'on_fail: fix, then re-attempt 1 of 1' }),
      stderr: [],
    };
    const unstarted = {
      job: job({ name: 'asked', status: 'failed', reason: 'no retry applies' }),
      attempt: attempt({ started_at_ms: null, error: 'could not be started: `if` cannot be evaluated' }),
      stderr: [],
    };
    expect(
      table
        .runResult(runResult({ status: failed, failed: [remedied, unstarted] }))
        .split('\n')
        .slice(3),
    ).toEqual([
      'failed train_1: exit 1 - its remediation fix failed',
      '  stderr: output/job_stdio/job_wf3_j7_r1_a1.e (empty)',
      '',
      'failed asked: could not be started: `if` cannot be evaluated - no retry applies',
    ]);
  });

  test('tells attempts apart that were not run, or failed with exit code 0', () => {
    const skipped = attempt({ verdict: 'disable', error: 'exit null', started_at_ms: null });
    const checked = evaluation({ key: 'fail_if', result: { ok: true, value: true } });
    const unclear = evaluation({ key: 'fail_if', result: { ok: false, problem: 'x is not defined' } });
    const told = [
      skipped,
      attempt({ error: 'exit 0', evaluations: [checked] }),
      attempt({ error: 'exit 0', evaluations: [unclear] }),
    ].map((each) => table.attempts([each]).split('\n')[1]!.slice(23));
    expect(told[0]).toMatch(/^FAILED +not run /);
    expect(told[1]).toMatch(/^FAILED +exit 0, but its fail_if is true /);
    expect(told[2]).toMatch(/^FAILED +exit 0, but its fail_if cannot be evaluated /);
  });

  test('tells how to see failures that the end of a run leaves out', () => {
    const many = { ...failed, counts: counts({ failed: 11, terminated: 3 }) };
    const result = runResult({ status: many });
    expect(table.runResult(result)).toContain('and 14 more: holdfast jobs 3 --status failed,terminated');
  });

  test('tells a cancellation in words, also one that was only tried', () => {
    expect(table.cancellation({ canceled: [1], stopping: [] }, 3, false)).toBe('workflow 3: canceled 1 job');
    expect(table.cancellation({ canceled: [1, 2], stopping: [3] }, 3, true)).toBe(
      'workflow 3: would cancel 2 jobs, would stop 1 job that runs now',
    );
  });

  test('adapts to a narrow terminal', () => {
    const narrow = tableRenderer(textStyle({ width: 60 }));
    const long = job({ name: `fetch_${'x'.repeat(80)}_42`, reason: 'because '.repeat(20) });
    for (const line of narrow.jobs([long]).split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe('the json renderer', () => {
  test('prints the records as they are', () => {
    expect(JSON.parse(jsonRenderer.jobs([job()]))).toEqual([job()]);
    expect(JSON.parse(jsonRenderer.attempts([attempt()]))[0].outcome).toEqual(outcome({ exitCode: 1 }));
    expect(JSON.parse(jsonRenderer.events([]))).toEqual([]);
    expect(JSON.parse(jsonRenderer.workflows([failed], 3))).toEqual([failed]);
    expect(JSON.parse(jsonRenderer.explanation(explanation)).headline).toBe(explanation.headline);
  });

  test('ends a run with its status and the trace of its routes', () => {
    const trace = routeTrace([event({ type: 'failure' })]);
    const result = runResult({ status: failed, trace });
    expect(JSON.parse(jsonRenderer.runResult(result))).toEqual({ ...failed, trace });
  });

  test('says of a cancellation whether it was only tried', () => {
    expect(JSON.parse(jsonRenderer.cancellation({ canceled: [1], stopping: [] }, 3, true))).toEqual({
      workflow_id: 3,
      dry_run: true,
      canceled: [1],
      stopping: [],
    });
  });
});

describe('the quiet renderer', () => {
  test('prints ids or names of lists, one a line', () => {
    expect(quietRenderer.workflows([failed, status()], 0)).toBe('3\n3');
    expect(quietRenderer.jobs([job(), job({ name: 'a\nb' })])).toBe('train_1\na␊b');
    expect(quietRenderer.attempts([attempt({ attempt_id: 2 })])).toBe('train_1 r1 a2');
    expect(quietRenderer.events([event()])).toBe('12');
    expect(quietRenderer.cancellation({ canceled: [1], stopping: [4] }, 3, false)).toBe('1\n4');
  });

  test('prints the state of a single thing', () => {
    expect(quietRenderer.status(failed)).toBe('failed');
    expect(quietRenderer.explanation(explanation)).toBe('blocked');
  });

  test('prints the workflow id when a run ends', () => {
    expect(quietRenderer.runResult(runResult({ status: failed }))).toBe('3');
  });

  test('prints only the checks that need attention', () => {
    const checks: Check[] = [
      { name: 'node', result: 'ok', detail: 'v20', hint: null },
      { name: 'bash', result: 'fail', detail: 'not found', hint: 'install it' },
    ];
    expect(quietRenderer.checks(checks)).toBe('bash');
    expect(table.checks(checks).split('\n')).toEqual([
      'ok    node  v20',
      'fail  bash  not found',
      '            install it',
    ]);
  });
});

describe('a validation', () => {
  const validation: Validation = {
    file: 'a.yaml',
    valid: false,
    name: null,
    jobs: 0,
    problems: [
      { line: 3, column: 5, path: 'jobs[0].comand', message: 'unknown key; did you mean "command"?' },
      { line: 9, column: 1, path: '', message: 'no jobs' },
    ],
    warnings: [],
    unsupported: [],
  };

  test('shows every problem with its place and how many there are', () => {
    expect(table.validation(validation).split('\n')).toEqual([
      'a.yaml:3:5: jobs[0].comand: unknown key; did you mean "command"?',
      'a.yaml:9:1: no jobs',
      'a.yaml: 2 problems',
    ]);
  });

  test('tells what this version cannot run yet', () => {
    const valid: Validation = {
      ...validation,
      valid: true,
      name: 'demo',
      jobs: 1,
      problems: [],
      unsupported: [{ line: 4, column: 3, path: 'jobs[0].post', message: 'post scripts' }],
    };
    expect(table.validation(valid).split('\n')).toEqual([
      'a.yaml:4:3: jobs[0].post: valid, but this version cannot run post scripts',
      'a.yaml: valid, workflow demo with 1 job',
    ]);
  });
});
