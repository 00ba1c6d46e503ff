import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EventRecord, Explanation } from '../../src/contract/records/records.ts';
import { jobsWorld, type World } from './world.ts';

/** Writes down that it runs, then ends with the codes one after another; the last one for ever. */
function ending(...codes: number[]): string {
  const cases = codes.map((code, index) => `${index + 1}) exit ${code} ;;`);
  return `echo run >> order; case $HOLDFAST_ATTEMPT_ID in ${cases.join(' ')} *) exit ${codes.at(-1)} ;; esac`;
}

const script = (name = 'script', then = '') => `echo ${name} >> order; ${then}`;

function handlerWorld(
  context: Parameters<typeof jobsWorld>[0],
  rules: object[],
  job: object,
  more: object = {},
): World {
  const handler = { name: 'handler', rules };
  return jobsWorld(context, [{ name: 'job', failure_handler: 'handler', ...job }], {
    failure_handlers: [handler],
    ...more,
  });
}

const events = (world: World, type: string) =>
  world.json<EventRecord[]>('events', '1').then((all) => all.filter((event) => event.type === type));

describe.concurrent('a failure handler', () => {
  test('whose script runs when the job is canceled has it ended, and the run ends (H17)', async (context) => {
    const world = handlerWorld(
      context,
      [{ exit_codes: [10], recovery_script: script('script', 'sleep 500') }],
      { command: ending(10) },
    );
    const run = world.start('run', 'spec.json');
    await world.linesReached('order', 2);
    expect((await world.run('cancel', '1')).code).toBe(0);
    expect((await run.ended).code).toBe(1);
    expect((await world.job('job')).status).toBe('canceled');
    expect(world.lines('order')).toEqual(['run', 'script']);
  });

  test('ends a script that takes longer than its timeout, and retries', async (context) => {
    const world = handlerWorld(
      context,
      [{ exit_codes: [10], recovery_script: script('script', 'sleep 500'), timeout: '200ms' }],
      { command: ending(10, 0) },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'script', 'run']);
    expect((await world.attempts())[0]!.recovery).toMatchObject({ timed_out: true });
  });

  test('runs its script once before the retry, with the facts of the attempt that failed', async (context) => {
    const spy = 'env | grep -E "^(HOLDFAST|TORC)_" > facts; echo mending; echo carefully >&2';
    const world = handlerWorld(
      context,
      [{ exit_codes: [10], recovery_script: script('script', spy), max_retries: 3 }],
      { command: ending(10, 0) },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'script', 'run']);
    const facts = new Map(world.lines('facts').map((line) => line.split(/=(.*)/s) as [string, string]));
    for (const prefix of ['HOLDFAST_', 'TORC_']) {
      const reported = (name: string) => facts.get(`${prefix}${name}`);
      expect(reported('WORKFLOW_ID')).toBe('1');
      expect(reported('JOB_ID')).toBe('1');
      expect(reported('JOB_NAME')).toBe('job');
      expect(reported('API_URL')).toBe('');
      expect(reported('OUTPUT_DIR')).toBe(join(world.dir, 'output'));
      expect(reported('ATTEMPT_ID')).toBe('1');
      expect(reported('RETURN_CODE')).toBe('10');
    }
    const log = join(world.dir, 'output/job_stdio/job_wf1_j1_r1_a1.recovery');
    expect(readFileSync(`${log}.o`, 'utf8')).toBe('mending\n');
    expect(readFileSync(`${log}.e`, 'utf8')).toBe('carefully\n');
    expect(await world.attempts()).toMatchObject([
      {
        exit_code: 10,
        verdict: 'retry',
        rule: 'handler',
        handler_outcome: 'Retried',
        recovery: { exit_code: 0 },
      },
      { exit_code: 0, verdict: 'complete', handler_outcome: null, recovery: null },
    ]);
    expect(await world.job('job')).toMatchObject({ status: 'completed', failure_count: 1 });
    expect((await world.run('explain', 'job')).stdout).toMatch(
      /failure handler: Retried\n +recovery script: exit 0 \(output\/job_stdio\/job_wf1_j1_r1_a1\.recovery\.e\)/,
    );
  });

  test('ends the job when its executions are used up, also where people could be asked', async (context) => {
    const world = handlerWorld(
      context,
      [{ exit_codes: [10], recovery_script: script(), max_retries: 3 }],
      { command: ending(10) },
      { use_pending_failed: true },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(world.lines('order')).toEqual(['run', 'script', 'run', 'script', 'run']);
    expect((await world.attempts()).map((attempt) => attempt.handler_outcome)).toEqual([
      'Retried',
      'Retried',
      'MaxRetriesExceeded',
    ]);
    expect(await world.job('job')).toMatchObject({
      status: 'failed',
      reason: 'rule 1 of handler: no executions left (3 of 3 used)',
    });
  });

  test('prefers a specific rule to one for everything, wherever it stands', async (context) => {
    const world = handlerWorld(
      context,
      [
        { match_all_exit_codes: true, recovery_script: script('all') },
        { exit_codes: [10], recovery_script: script('ten') },
      ],
      { command: ending(10, 0) },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'ten', 'run']);
  });

  test.for([
    [false, 1, 'failed', 'otherwise'],
    [true, 3, 'pending_failed', 'ask'],
  ] as const)(
    'without a matching rule leaves the job to what comes after it (use_pending_failed: %s)',
    async ([asks, code, status, rule], context) => {
      const world = handlerWorld(
        context,
        [{ exit_codes: [10] }],
        { command: ending(11) },
        { use_pending_failed: asks },
      );
      const run = await world.run('run', 'spec.json');
      expect(run.code).toBe(code);
      expect(run.stdout).toContain(`${status} job: exit 11`);
      expect(await world.attempts()).toMatchObject([{ rule, handler_outcome: 'NoMatchingRule' }]);
      expect(await world.job('job')).toMatchObject({ status });
    },
  );

  test('matches a program that a signal ended by its match code', async (context) => {
    const world = handlerWorld(context, [{ exit_codes: [139] }], {
      command: '[ "$HOLDFAST_ATTEMPT_ID" -ge 2 ] || kill -SEGV $$',
    });
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(await world.attempts()).toMatchObject([
      { signal: 'SIGSEGV', exit_code: null, match_code: 139, cause: 'signal', rule: 'handler' },
      { exit_code: 0, match_code: 0 },
    ]);
  });

  const HANGS_ONCE = `[ "$HOLDFAST_ATTEMPT_ID" -ge 2 ] && exit 0; trap 'exit 0' TERM; sleep 60 & wait`;

  test('matches a timeout by 152 though the process then exits with 0', async (context) => {
    const world = handlerWorld(context, [{ exit_codes: [152], max_retries: 2 }], {
      command: HANGS_ONCE,
      timeout: '500ms',
    });
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(await world.attempts()).toMatchObject([
      { exit_code: 0, match_code: 152, cause: 'timeout', rule: 'handler', handler_outcome: 'Retried' },
      { state: 'SUCCEEDED' },
    ]);
  });

  test('without a rule for it leaves a timeout terminated', async (context) => {
    const world = handlerWorld(context, [{ exit_codes: [10] }], { command: HANGS_ONCE, timeout: '500ms' });
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(await world.attempts()).toMatchObject([{ match_code: 152, rule: 'otherwise' }]);
    expect(await world.job('job')).toMatchObject({ status: 'terminated' });
  });

  test('retries all the same when its script fails, and writes that down', async (context) => {
    const world = handlerWorld(context, [{ exit_codes: [10], recovery_script: script('script', 'exit 9') }], {
      command: ending(10, 0),
    });
    const run = await world.run('run', 'spec.json');
    expect(run.code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'script', 'run']);
    expect(run.stderr).toMatch(/ recover job {2}exit 9|recover job {2}the recovery script ended with exit 9/);
    expect(await events(world, 'recovery')).toMatchObject([
      { attempt_id: 1, reason: expect.stringContaining('exit 9'), data: { outcome: 'exit 9' } },
    ]);
    expect((await world.attempts())[0]).toMatchObject({ recovery: { exit_code: 9 } });
  });

  test('has a fresh budget in a new run, and keeps the attempts of the one before', async (context) => {
    const codes = 'case "$HOLDFAST_RUN_ID-$HOLDFAST_ATTEMPT_ID" in 2-2) exit 0 ;; *) exit 10 ;; esac';
    const world = handlerWorld(context, [{ exit_codes: [10], max_retries: 2 }], { command: codes });
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(await world.json('reset-status', '1', '--failed-only')).toMatchObject({
      run_id: 2,
      jobs: [{ name: 'job', status: 'failed' }],
    });
    expect((await world.run('run', '1')).code).toBe(0);
    expect(
      (await world.attempts()).map(({ run_id, attempt_id, exit_code }) => [run_id, attempt_id, exit_code]),
    ).toEqual([
      [1, 1, 10],
      [1, 2, 10],
      [2, 1, 10],
      [2, 2, 0],
    ]);
    expect(await world.job('job')).toMatchObject({ status: 'completed', run_id: 2, failure_count: 1 });
  });

  test('does not repeat a script that kill -9 interrupted, and the retry happens', async (context) => {
    const world = handlerWorld(
      context,
      [{ exit_codes: [10], recovery_script: script('script', 'while :; do sleep 0.1; done') }],
      { command: ending(10, 0) },
    );
    const run = world.start('run', 'spec.json');
    await world.linesReached('order', 2);
    run.child.kill('SIGKILL');
    await run.ended;
    await world.nothingLeft();
    expect(await world.job('job')).toMatchObject({ status: 'ready', attempt_id: 2 });

    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'script', 'run']);
    expect(await world.attempts()).toMatchObject([
      { state: 'FAILED', handler_outcome: 'Retried', recovery: { lost: true } },
      { state: 'SUCCEEDED' },
    ]);
    expect(await world.job('job')).toMatchObject({ failure_count: 1, preemption_count: 0 });
  });

  test('is not free to start before its script has ended, and others use the slot', async (context) => {
    const wait = 'until [ -e other_ran ]; do sleep 0.05; done; echo fixed >> order';
    const world = jobsWorld(
      context,
      [
        { name: 'job', command: ending(10, 0), failure_handler: 'handler' },
        { name: 'other', command: 'until [ -s order ]; do sleep 0.05; done; touch other_ran' },
      ],
      { failure_handlers: [{ name: 'handler', rules: [{ exit_codes: [10], recovery_script: wait }] }] },
    );
    expect((await world.run('run', 'spec.json', '-j', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['run', 'fixed', 'run']);
  });
});

describe.concurrent('a rule', () => {
  const HANG = 'echo run >> order; while :; do sleep 0.1; done';

  test('gives the retry more runtime, up to its maximum, and to nobody else', async (context) => {
    const world = jobsWorld(
      context,
      [
        { name: 'slow', command: HANG, resource_requirements: 'short', failure_handler: 'grow' },
        { name: 'other', command: 'true', resource_requirements: 'short' },
      ],
      {
        resource_requirements: [{ name: 'short', runtime: '400ms' }],
        failure_handlers: [
          {
            name: 'grow',
            rules: [{ causes: ['timeout'], runtime: 'x2', max_runtime: '1s', max_retries: 3 }],
          },
        ],
      },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    const took = (await world.attempts('slow')).map((each) => each.finished_at_ms! - each.started_at_ms!);
    expect(took).toHaveLength(3);
    for (const [index, least] of [400, 800, 1000].entries())
      expect(took[index]).toBeGreaterThanOrEqual(least);
    const config = async (name: string) => (await world.json<Explanation>('explain', '1', name)).job.config;
    expect((await config('slow')).timeout_ms).toBe(1000);
    expect((await config('other')).timeout_ms).toBe(400);
    expect(await world.job('slow')).toMatchObject({ status: 'terminated' });
  });

  test('gives the retry more memory, and to nobody else', async (context) => {
    const holds = (megabytes: number) =>
      `head -c ${megabytes}M /dev/zero | tail -c ${megabytes}M | { sleep 2; wc -c; }`;
    const world = jobsWorld(
      context,
      [
        { name: 'big', command: holds(110), resource_requirements: 'small', failure_handler: 'grow' },
        { name: 'other', command: 'true', resource_requirements: 'small' },
      ],
      {
        resource_requirements: [{ name: 'small', memory: '48m' }],
        failure_handlers: [
          { name: 'grow', rules: [{ causes: ['oom'], memory: 'x1.5', max_memory: '100m', max_retries: 3 }] },
        ],
      },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect((await world.attempts('big')).map(({ cause, match_code }) => [cause, match_code])).toEqual([
      ['oom', 137],
      ['oom', 137],
      ['oom', 137],
    ]);
    const memory = async (name: string) =>
      (await world.json<Explanation>('explain', '1', name)).job.requirement.memory_bytes! / 2 ** 20;
    expect(await memory('big')).toBe(100);
    expect(await memory('other')).toBe(48);
  });

  test('finds its pattern in the last lines of stderr, and waits as it says', async (context) => {
    const says = (text: string) => `[ "$HOLDFAST_ATTEMPT_ID" -ge 2 ] || { echo "${text}" >&2; exit 1; }`;
    const world = jobsWorld(
      context,
      [
        { name: 'network', command: says('Connection RESET by peer'), failure_handler: 'network' },
        { name: 'bug', command: says('assertion failed'), failure_handler: 'network' },
      ],
      {
        failure_handlers: [{ name: 'network', rules: [{ stderr: '(?i)connection reset', delay: '300ms' }] }],
      },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    const [first, second] = await world.attempts('network');
    expect(second!.state).toBe('SUCCEEDED');
    expect(second!.started_at_ms! - first!.finished_at_ms!).toBeGreaterThanOrEqual(300);
    expect(await world.attempts('bug')).toMatchObject([
      { handler_outcome: 'NoMatchingRule', rule: 'otherwise' },
    ]);
  });

  test('with verdict accept completes the job, and its dependents run', async (context) => {
    const world = jobsWorld(
      context,
      [
        { name: 'job', command: 'exit 3', failure_handler: 'lenient' },
        { name: 'after', command: 'echo after >> order', depends_on: ['job'] },
      ],
      { failure_handlers: [{ name: 'lenient', rules: [{ exit_codes: [3], verdict: 'accept' }] }] },
    );
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    expect(world.lines('order')).toEqual(['after']);
    expect(await world.attempts('job')).toMatchObject([
      { exit_code: 3, verdict: 'complete', reason: 'accepted by rule 1 of lenient' },
    ]);
  });

  test('with a final category ends the job whatever its retries', async (context) => {
    const world = handlerWorld(context, [{ exit_codes: ['60-69'], category: 'data' }], {
      command: ending(65),
      retry: { max_retries_failure: 5, initial_delay: '10ms' },
    });
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(world.lines('order')).toEqual(['run']);
    expect(await world.attempts()).toMatchObject([{ rule: 'final', category: 'data' }]);
  });
});

describe.concurrent('a job that waits for a decision', () => {
  const CHAIN = [
    { name: 'A', command: 'echo A >> order; [ -e fixed ] || exit 3' },
    { name: 'B', command: 'echo B >> order', depends_on: ['A'] },
    { name: 'C', command: 'echo C >> order', depends_on: ['B'] },
    { name: 'D', command: 'echo D >> order', depends_on: ['C'] },
    { name: 'X', command: 'echo X >> done' },
  ];

  test('keeps its dependents blocked, and the run prints how to start over', async (context) => {
    const world = jobsWorld(context, CHAIN, { use_pending_failed: true });
    const run = await world.run('run', 'spec.json');
    expect(run.code).toBe(3);
    expect((await world.jobs()).map(({ name, status }) => [name, status])).toEqual([
      ['A', 'pending_failed'],
      ['B', 'blocked'],
      ['C', 'blocked'],
      ['D', 'blocked'],
      ['X', 'completed'],
    ]);
    expect((await world.status()).complete).toBe(false);
    expect(run.stderr).toMatch(/ ask {5}A {2}exit 3 - /);
    expect(run.stdout).toContain('pending_failed A: exit 3');
    expect(run.stdout).toMatch(
      /\nnext: 1 job waits for a decision\n {2}holdfast failures 1 .*\n {2}holdfast resolve 1 /,
    );
    expect((await world.run('run', '1')).code).toBe(3);
    expect(world.lines('order')).toEqual(['A']);

    world.write('fixed');
    const { stdout } = await world.run('reset-status', '1', '--failed-only', '--output', 'quiet');
    expect(stdout).toBe('1\n2\n3\n4\n');
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['A', 'A', 'B', 'C', 'D']);
    expect(world.lines('done')).toEqual(['X']);
  });
});
