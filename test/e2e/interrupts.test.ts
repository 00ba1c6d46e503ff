import { describe, expect, test } from 'vitest';
import { until } from '../cli/run-cli.ts';
import { jobsWorld } from './world.ts';

const WAIT_FOR_GO = 'echo "$HOLDFAST_ATTEMPT_ID" >> runs; until [ -e go ]; do sleep 0.05; done';
/** Leaves its group, session and parent, and does not listen to SIGTERM. */
const ESCAPEE = `setsid bash -c "trap '' TERM; echo escaped >> escaped; while :; do sleep 1; done" &`;

describe.concurrent('an interrupted run', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '(%s) stops its jobs free of charge, leaves no process, and continues later',
    async (signal, context) => {
      const world = jobsWorld(context, [
        { name: 'first', command: WAIT_FOR_GO },
        { name: 'next', command: 'true', depends_on: ['first'] },
      ]);
      const run = world.start('run', 'spec.json');
      await world.running();
      await world.linesReached('runs', 1);
      run.child.kill(signal);
      const ended = await run.ended;
      expect(ended.code).toBe(130);
      expect(ended.stdout).toContain('next: holdfast run 1');
      await world.nothingLeft();
      expect(await world.attempts()).toMatchObject([{ state: 'STOPPED', verdict: 'requeue' }]);
      expect(await world.job('first')).toMatchObject({ status: 'ready', retry_available_at_ms: 0 });

      world.write('go');
      expect(await world.run('run', '1')).toMatchObject({ code: 0 });
      expect(world.lines('runs')).toEqual(['1', '2']);
      expect((await world.jobs()).map(({ status }) => status)).toEqual(['completed', 'completed']);
      expect(await world.job('first')).toMatchObject({
        attempt_id: 2,
        failure_count: 0,
        preemption_count: 0,
      });
    },
  );

  test('kills jobs that ignore SIGTERM at the second Ctrl-C, and says so', async (context) => {
    const world = jobsWorld(context, [
      { name: 'stubborn', command: `trap '' TERM; ${ESCAPEE} ${WAIT_FOR_GO}` },
    ]);
    const run = world.start('run', 'spec.json', '--grace', '10m');
    await world.running();
    await world.linesReached('escaped', 1);
    run.child.kill('SIGINT');
    await until(() => run.output().stderr.includes('press Ctrl-C again'), 'the first Ctrl-C is answered');
    expect(run.child.exitCode).toBeNull();
    run.child.kill('SIGINT');
    const ended = await run.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).toContain('killing the running jobs');
    await world.nothingLeft();
    expect(await world.attempts()).toMatchObject([{ state: 'STOPPED', signal: 'SIGKILL' }]);
  });

  test('ends jobs that ignore SIGTERM by itself after the grace', async (context) => {
    const world = jobsWorld(context, [{ name: 'stubborn', command: `trap '' TERM; ${WAIT_FOR_GO}` }]);
    const run = world.start('run', 'spec.json', '--grace', '300ms');
    await world.running();
    await world.linesReached('runs', 1);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    await world.nothingLeft();
    expect(await world.attempts()).toMatchObject([{ state: 'STOPPED', signal: 'SIGKILL' }]);
  });

  test('that starts many jobs leaves none of them between two states', async (context) => {
    const world = jobsWorld(context, [
      { name: 'job_{i}', parameters: { i: '1:40' }, command: 'echo "$HOLDFAST_JOB_NAME" >> runs; sleep 0.1' },
    ]);
    const run = world.start('run', 'spec.json', '-j', '8');
    await world.linesReached('runs', 12);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    await world.nothingLeft();
    const statuses = new Set((await world.jobs()).map(({ status }) => status));
    expect(statuses).toEqual(new Set(['completed', 'ready']));
    const completed = (await world.attempts()).filter(({ state }) => state === 'SUCCEEDED');

    expect((await world.run('run', '1', '-j', '8')).code).toBe(0);
    expect((await world.status()).counts.completed).toBe(40);
    const attempts = await world.attempts();
    for (const { job_name } of completed) {
      const states = attempts.filter((attempt) => attempt.job_name === job_name).map(({ state }) => state);
      expect(states.filter((state) => state === 'SUCCEEDED')).toHaveLength(1);
      expect(world.lines('runs').filter((line) => line === job_name)).toHaveLength(1);
    }
    for (const { failure_count, preemption_count } of await world.jobs()) {
      expect({ failure_count, preemption_count }).toEqual({ failure_count: 0, preemption_count: 0 });
    }
  });

  test('that was interrupted while only a retry waits keeps its due time', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'job',
        command: 'exit 1',
        retry: { max_retries_failure: 1, initial_delay: '1h', max_delay: '1h' },
      },
    ]);
    const run = world.start('run', 'spec.json');
    const { retry_available_at_ms } = await world.jobWhich(
      'it waits',
      (job) => job.retry_available_at_ms > 0,
    );
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    await world.nothingLeft();
    expect(await world.job('job')).toMatchObject({ status: 'ready', retry_available_at_ms });
  });
});

describe.concurrent('a timeout', () => {
  test('ends the whole family of a job, escaped grandchildren too', async (context) => {
    const world = jobsWorld(context, [{ name: 'slow', command: `${ESCAPEE} ${WAIT_FOR_GO}`, timeout: '2s' }]);
    const run = await world.run('run', 'spec.json', '--grace', '200ms');
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('terminated slow: timed out (limit 2s)');
    expect((await world.run('explain', 'slow')).stdout).toContain('attempt 1 of run 1: timed out (limit 2s)');
    expect(world.lines('escaped')).toEqual(['escaped']);
    await world.nothingLeft();
    expect(await world.attempts()).toMatchObject([
      {
        state: 'FAILED',
        cause: 'timeout',
        match_code: 152,
        outcome: { timed_out: true, time_limit_ms: 2000 },
        error: 'timed out (limit 2s)',
      },
    ]);
    expect(await world.job('slow')).toMatchObject({ status: 'terminated', failure_count: 1 });
  });

  test('counts as one even if the command then exits with 0', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'polite',
        command: `trap 'exit 0' TERM; ${WAIT_FOR_GO}`,
        timeout: '1500ms',
        retry: { max_retries_failure: 1, initial_retry_delay_ms: 1, retry_on_exit_codes: [152] },
      },
    ]);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    const timedOut = { cause: 'timeout', exit_code: 0, match_code: 152 };
    expect(await world.attempts()).toMatchObject([
      { ...timedOut, verdict: 'retry' },
      { ...timedOut, verdict: 'fail' },
    ]);
    expect(await world.job('polite')).toMatchObject({ status: 'terminated' });
  });
});
