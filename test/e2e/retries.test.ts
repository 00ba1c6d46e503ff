import { describe, expect, test } from 'vitest';
import { until } from '../cli/run-cli.ts';
import { jobsWorld } from './world.ts';

/** Fails in the first attempts, as often as given, with the code. */
const failing = (times: number, code: number) => `[ "$HOLDFAST_ATTEMPT_ID" -gt ${times} ] || exit ${code}`;

describe.concurrent('a job that fails', () => {
  test.for([
    ['without a policy', { command: 'exit 1' }, 'otherwise', 'no retry applies'],
    [
      'with a code that its filter does not allow',
      { command: 'exit 1', retry: { max_retries_failure: 3, retry_on_exit_codes: [75] } },
      'otherwise',
      'no retry applies',
    ],
    [
      'with a code that both of its lists name',
      {
        command: 'exit 5',
        retry: { max_retries_failure: 3, retry_on_exit_codes: [5], no_retry_on_exit_codes: [5] },
      },
      'final',
      'code 5 is in no_retry_on_exit_codes',
    ],
    [
      'so late that its deadline would pass',
      {
        command: 'sleep 0.5; exit 1',
        deadline: '5s',
        retry: { max_retries_failure: 5, initial_delay: '10s' },
      },
      'retry',
      'deadline: the retry would start after 5s from the first start',
    ],
  ] as const)('%s runs once', async ([, job, rule, reason], context) => {
    const command = `echo run >> runs; ${job.command}`;
    const world = jobsWorld(context, [{ ...job, name: 'job', command }]);
    const run = await world.run('run', 'spec.json');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('failed job');
    expect(world.lines('runs')).toHaveLength(1);
    expect(await world.attempts()).toMatchObject([{ state: 'FAILED', verdict: 'fail', rule, reason }]);
    expect(await world.job('job')).toMatchObject({
      status: 'failed',
      failure_count: 1,
      preemption_count: 0,
      reason,
    });
  });

  test('is due again 1 s and 2 s after its failures, and others use the slot meanwhile', async (context) => {
    const world = jobsWorld(context, [
      { name: 'flaky', command: failing(2, 1), retry: { max_retries_failure: 3 } },
      { name: 'other', command: 'true' },
    ]);
    expect((await world.run('run', 'spec.json', '--max-parallel', '1')).code).toBe(0);
    const [first, second, third, ...more] = await world.attempts('flaky');
    expect(more).toEqual([]);
    expect([first, second, third].map((attempt) => attempt?.exit_code)).toEqual([1, 1, 0]);
    expect(first).toMatchObject({ verdict: 'retry', reason: 'retry 1 of 3 after 1s' });
    expect(second).toMatchObject({ verdict: 'retry', reason: 'retry 2 of 3 after 2s' });
    expect(second!.started_at_ms! - first!.finished_at_ms!).toBeGreaterThanOrEqual(1000);
    expect(third!.started_at_ms! - second!.finished_at_ms!).toBeGreaterThanOrEqual(2000);
    const [other] = await world.attempts('other');
    expect(other!.started_at_ms!).toBeGreaterThanOrEqual(first!.finished_at_ms!);
    expect(other!.finished_at_ms!).toBeLessThanOrEqual(second!.started_at_ms!);
    expect(await world.job('flaky')).toMatchObject({ status: 'completed', failure_count: 2 });
  });

  test('is canceled at once while it waits for its retry', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'waits',
        command: 'echo run >> runs; exit 1',
        retry: { max_retries_failure: 5, initial_delay: 60 },
      },
    ]);
    const run = world.start('run', 'spec.json');
    const waiting = await world.jobWhich('the retry waits', (job) => job.retry_available_at_ms > 0);
    const [failed] = await world.attempts('waits');
    expect(waiting.retry_available_at_ms).toBe(failed!.finished_at_ms! + 60_000);
    const canceled = await world.json('cancel', '1', '--reason', 'not needed');
    expect(canceled).toMatchObject({ canceled: [waiting.id], stopping: [] });
    expect((await run.ended).code).toBe(1);
    expect(await world.job('waits')).toMatchObject({
      status: 'canceled',
      reason: expect.stringMatching(/^canceled by .*: not needed$/),
    });
    expect(world.lines('runs')).toHaveLength(1);
  });

  test('keeps the due time of its retry when the process that decides is killed', async (context) => {
    const world = jobsWorld(context, [
      { name: 'job', command: failing(1, 1), retry: { max_retries_failure: 2, initial_delay: '4s' } },
    ]);
    const run = world.start('run', 'spec.json');
    const before = await world.jobWhich('the retry waits', (job) => job.retry_available_at_ms > 0);
    run.child.kill('SIGKILL');
    await run.ended;
    await world.nothingLeft();
    const [failed] = await world.attempts('job');
    expect(before.retry_available_at_ms).toBe(failed!.finished_at_ms! + 4000);

    const resumed = world.start('run', '1');
    await until(async () => (await world.status()).workers.length > 0, 'the run continues');
    expect(await world.job('job')).toMatchObject({
      status: 'ready',
      retry_available_at_ms: before.retry_available_at_ms,
    });
    expect((await resumed.ended).code).toBe(0);
    const [, second, ...more] = await world.attempts('job');
    expect(more).toEqual([]);
    expect(second!.state).toBe('SUCCEEDED');
    expect(second!.started_at_ms!).toBeGreaterThanOrEqual(before.retry_available_at_ms);
    expect(await world.job('job')).toMatchObject({ failure_count: 1, preemption_count: 0 });
  });
});
