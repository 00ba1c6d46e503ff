import { describe, expect, test } from 'vitest';
import type { EventRecord, Explanation } from '../../src/contract/records/records.ts';
import { jobsWorld, type World } from './world.ts';

const RUN = 'echo run >> order';

async function walk(world: World, attempt: number): Promise<string> {
  const { attempts } = await world.json<Explanation>('explain', '1', 'job');
  return attempts[attempt - 1]!.walk.map(({ rule, because }) => `${rule}: ${because}`).join('\n');
}

describe.concurrent('a post script', () => {
  test('that exits with 42 makes a failure permanent, whatever its retries', async (context) => {
    const world = jobsWorld(
      context,
      [
        {
          name: 'job',
          command: `${RUN}; exit 1`,
          post: 'exit 42',
          retry: { max_retries_failure: 3, initial_delay: '10ms' },
        },
      ],
      { use_pending_failed: true },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(world.lines('order')).toEqual(['run']);
    expect(await world.attempts()).toMatchObject([{ rule: 'final', category: 'permanent', exit_code: 1 }]);
    expect(await world.job('job')).toMatchObject({ status: 'failed' });
  });

  test('that exits with 0 accepts a failure', async (context) => {
    const world = jobsWorld(context, [
      { name: 'job', command: `${RUN}; exit 1`, post: 'true' },
      { name: 'after', command: 'echo after >> order', depends_on: ['job'] },
    ]);
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'after']);
    expect(await world.attempts('job')).toMatchObject([
      { exit_code: 1, verdict: 'complete', rule: 'post', reason: 'accepted by the post script' },
    ]);
  });

  test('that refuses makes a failure of what succeeded', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'job',
        command: RUN,
        post: '[ "$HOLDFAST_ATTEMPT_ID" -ge 2 ]',
        retry: { max_retries_failure: 1, initial_delay: '10ms' },
      },
    ]);
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'run']);
    expect(await world.attempts()).toMatchObject([
      { exit_code: 0, verdict: 'retry', cause: 'exit', category: 'transient' },
      { exit_code: 0, verdict: 'complete' },
    ]);
    expect(await world.job('job')).toMatchObject({ status: 'completed', failure_count: 1 });
  });

  test('that exits with 43 stops what runs and cancels the rest', async (context) => {
    const world = jobsWorld(context, [
      { name: 'bad', command: 'until [ -s started ]; do sleep 0.05; done; exit 1', post: 'exit 43' },
      { name: 'running', command: 'echo here >> started; echo $$ >> pids; while :; do sleep 0.1; done' },
      { name: 'after_running', command: 'echo never >> order', depends_on: ['running'] },
      { name: 'after_bad', command: 'echo never >> order', depends_on: ['bad'] },
      {
        name: 'waiting',
        command: 'exit 1',
        retry: { max_retries_failure: 3, initial_delay: '10m' },
      },
    ]);
    const run = await world.run('run', 'spec.json', '-j', '4');
    expect(run.code).toBe(1);
    expect((await world.jobs()).map(({ name, status }) => [name, status])).toEqual([
      ['bad', 'failed'],
      ['running', 'canceled'],
      ['after_running', 'canceled'],
      ['after_bad', 'canceled'],
      ['waiting', 'canceled'],
    ]);
    expect(world.lines('order')).toEqual([]);
    expect(run.stderr).toMatch(/ abort {3}bad {2}exit 1 - aborted: the post script exited with 43/);
    expect(await world.attempts('bad')).toMatchObject([{ verdict: 'abort', rule: 'post' }]);
    expect(await world.job('running')).toMatchObject({ reason: expect.stringContaining('aborted') });
    await world.nothingLeft();
  });

  test('is given the environment of the attempt, how it ended, and its log', async (context) => {
    const spy = 'env | grep -E "^(HOLDFAST|TORC)_" > facts; pwd > place; echo judging; exit 0';
    const world = jobsWorld(context, [{ name: 'job', command: 'kill -SEGV $$', post: spy }]);
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    const facts = world.lines('facts');
    for (const prefix of ['HOLDFAST_', 'TORC_']) {
      expect(facts).toContain(`${prefix}RETURN_CODE=139`);
      expect(facts).toContain(`${prefix}ATTEMPT_ID=1`);
      expect(facts).toContain(`${prefix}JOB_NAME=job`);
    }
    expect(world.lines('place')).toEqual([world.dir]);
    expect(world.lines('output/job_stdio/job_wf1_j1_r1_a1.post.o')).toEqual(['judging']);
  });

  test('learns which declared outputs are missing, and may accept that', async (context) => {
    const world = jobsWorld(
      context,
      [
        {
          name: 'job',
          command: 'true',
          output_files: ['result'],
          post: 'echo "$HOLDFAST_MISSING_OUTPUTS" > missing; exit 0',
        },
      ],
      { files: [{ name: 'result', path: 'out/result.txt' }] },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('missing')).toEqual([expect.stringMatching(/out\/result\.txt$/)]);
  });

  test('may say in JSON how long to wait, what to give and what is to blame', async (context) => {
    const said = '{"category":"infrastructure","delay":"300ms","memory":"123m","bad_inputs":["a.dat"]}';
    const world = jobsWorld(context, [
      {
        name: 'job',
        command: `${RUN}; [ "$HOLDFAST_ATTEMPT_ID" -ge 2 ] || exit 1`,
        post: `echo noise; [ "$HOLDFAST_RETURN_CODE" = 0 ] || { echo '${said}'; echo 'more noise'; exit 1; }`,
        retry: { max_retries_failure: 1, initial_delay: '10m' },
      },
    ]);
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    const [first, second] = await world.attempts();
    expect(first).toMatchObject({
      category: 'infrastructure',
      reason: 'retry 1 of 1 after 300ms, with 123m of memory',
    });
    expect(second!.started_at_ms! - first!.finished_at_ms!).toBeGreaterThanOrEqual(300);
    const { job } = await world.json<Explanation>('explain', '1', 'job');
    expect(job.requirement.memory_bytes).toBe(123 * 2 ** 20);
    const [retried] = (await world.json<EventRecord[]>('events', '1')).filter(({ type }) => type === 'retry');
    expect(retried!.data).toMatchObject({ post: { bad_inputs: ['a.dat'] } });
  });

  test('that prints what cannot be used is classified by its exit code, and says so', async (context) => {
    const world = jobsWorld(context, [
      { name: 'job', command: 'exit 1', post: `echo '{"category":"weird"}'; exit 5` },
    ]);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(await world.attempts()).toMatchObject([{ category: 'transient', rule: 'otherwise' }]);
    expect(await walk(world, 1)).toMatch(/post: the post script exited with 5.*weird/);
  });

  test.for([
    ['takes too long', { command: 'sleep 60', timeout: '300ms' }, /crashed.*transient: timed out/],
    ['dies of a signal', { command: 'kill -SEGV $$' }, /crashed.*transient: SIGSEGV/],
  ] as const)('that %s counts as transient', async ([, post, words], context) => {
    const world = jobsWorld(context, [
      { name: 'job', command: RUN, post, retry: { max_retries_failure: 1, initial_delay: '10ms' } },
    ]);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(world.lines('order')).toEqual(['run', 'run']);
    expect(await world.attempts()).toMatchObject([
      { exit_code: 0, category: 'transient', verdict: 'retry' },
      { exit_code: 0, category: 'transient', verdict: 'fail' },
    ]);
    expect(await walk(world, 1)).toMatch(words);
  });

  test('that kill -9 cuts off leaves the outcome, which is classified as a transient failure', async (context) => {
    const world = jobsWorld(context, [
      {
        name: 'job',
        command: `${RUN}; [ "$HOLDFAST_ATTEMPT_ID" -ge 2 ] || exit 7`,
        post: 'echo post >> order; until [ -e go ]; do sleep 0.05; done',
        retry: { max_retries_failure: 1, initial_delay: '10ms' },
      },
    ]);
    const run = world.start('run', 'spec.json');
    await world.linesReached('order', 2);
    run.child.kill('SIGKILL');
    await run.ended;
    await world.nothingLeft();

    world.write('go');
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'post', 'run', 'post']);
    expect(await world.attempts()).toMatchObject([
      { state: 'FAILED', exit_code: 7, cause: 'exit', category: 'transient', verdict: 'retry' },
      { state: 'SUCCEEDED', exit_code: 0, rule: 'post' },
    ]);
    expect(await walk(world, 1)).toMatch(/post script crashed.*cut off when its worker died/);
    expect(await world.job('job')).toMatchObject({ failure_count: 1, preemption_count: 0 });
  });

  test('that Ctrl-C stops leaves the attempt free of charge', async (context) => {
    const world = jobsWorld(context, [
      { name: 'job', command: RUN, post: 'echo post >> order; until [ -e go ]; do sleep 0.05; done' },
    ]);
    const run = world.start('run', 'spec.json');
    await world.linesReached('order', 2);
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(await world.job('job')).toMatchObject({ status: 'ready', failure_count: 0 });
    world.write('go');
    expect((await world.run('run', '1')).code).toBe(0);
    expect(await world.job('job')).toMatchObject({ failure_count: 0, preemption_count: 0 });
  });
});
