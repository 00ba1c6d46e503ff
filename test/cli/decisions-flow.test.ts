import { userInfo } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { EventRecord, Explanation } from '../../src/contract/records/records.ts';
import type { ResolveResult } from '../../src/contract/records/resolution.ts';
import type { SampledFailureGroup } from '../../src/views/failure-group.ts';
import type { JobUsage } from '../../src/views/job-usage.ts';
import { jobsWorld, type World } from '../e2e/world.ts';

const WAITING = { use_pending_failed: true };
const CHAIN = [
  {
    name: 'A',
    command: 'echo A >> order; echo "Connection refused by 10.0.0.$RANDOM" >&2; [ -e fixed ] || exit 3',
  },
  { name: 'B', command: 'echo B >> order', depends_on: ['A'] },
  { name: 'C', command: 'echo C >> order', depends_on: ['B'] },
  { name: 'X', command: 'echo X >> done' },
];

const statuses = async (world: World) => (await world.jobs()).map(({ status }) => status);

/** Everything that a change would show in. */
const look = async (world: World) => [
  await world.status(),
  await world.jobs(),
  await world.json('events', '1'),
  await world.json('failures', '--stats'),
];

async function refused(world: World, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await world.run('resolve', ...args);
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
  return stderr;
}

describe.concurrent('resolve', () => {
  test('as retry has the job run again in the same run, with the reason in the audit trail', async (context) => {
    const world = jobsWorld(context, CHAIN, WAITING);
    const run = await world.run('run', 'spec.json');
    expect(run.code).toBe(3);
    expect(run.stdout.split('\n').slice(-5)).toEqual([
      'next: 1 job waits for a decision',
      '  holdfast failures 1  what failed, and how',
      '  holdfast resolve 1   try again or give up',
      '  holdfast run 1       resume after that',
      '',
    ]);
    const explained = (await world.run('explain', 'A')).stdout;
    expect(explained).toMatch(/^waits for a decision: no rule matches$/m);
    expect(explained).toMatch(/\n {2}holdfast resolve 1 {2}try again or give up\n$/);

    world.write('fixed');
    const said = ['--reason', 'storage is back', '--confidence', '0.9', '--runtime', '2h'];
    expect(await world.run('resolve', '1', '--retry', 'A', ...said)).toEqual({
      code: 0,
      stdout: [
        'workflow 1: decided about 1 job',
        '  retry  A: attempt 2 comes next with a limit of 2h00m; storage is back',
        'next: holdfast run 1\n',
      ].join('\n'),
      stderr: '',
    });
    expect(await statuses(world)).toEqual(['ready', 'blocked', 'blocked', 'completed']);
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['A', 'A', 'B', 'C']);
    expect(world.lines('done')).toEqual(['X']);
    expect((await world.attempts('A')).map(({ run_id, attempt_id }) => [run_id, attempt_id])).toEqual([
      [1, 1],
      [1, 2],
    ]);

    const reported = `${userInfo().username} decided: retry: storage is back (runtime 2h00m, confidence 0.9)`;
    expect((await world.run('events', '1', '--job', 'A')).stdout).toContain(reported);
    expect((await world.run('explain', 'A')).stdout).toContain(reported);
    const { decisions } = await world.json<Explanation & { decisions: EventRecord[] }>('explain', 'A');
    expect(decisions).toMatchObject([{ type: 'decision', actor: userInfo().username, attempt_id: 1 }]);
    const [, stats] = (await world.run('failures', '--stats')).stdout.split('\n');
    expect(stats).toMatch(/^[0-9a-f]{12} {2}retry +\S+ +1 +1 +0 +0 .* storage is back$/);
  });

  test('as fail ends the job and cancels what depends on it', async (context) => {
    const world = jobsWorld(context, CHAIN, WAITING);
    expect((await world.run('run', 'spec.json')).code).toBe(3);
    expect((await world.run('resolve', '1', '--fail', 'A')).stdout).toBe(
      'workflow 1: decided about 1 job\n  fail   A: ends as failed, cancels B, C\n',
    );
    expect(await statuses(world)).toEqual(['failed', 'canceled', 'canceled', 'completed']);
    expect((await world.run('run', '1')).code).toBe(1);
    expect(world.lines('order')).toEqual(['A']);
  });

  test('of what is so resolved already changes nothing', async (context) => {
    const world = jobsWorld(context, CHAIN, WAITING);
    await world.run('run', 'spec.json');
    const [{ fingerprint }] = (await world.json<SampledFailureGroup[]>('failures')) as [SampledFailureGroup];
    expect((await world.run('resolve', '1', '--retry', 'A', '--output', 'quiet')).stdout).toBe('1\n');
    const before = await look(world);
    for (const which of [
      ['--retry', 'A'],
      ['--retry', '1'],
      ['--fingerprint', fingerprint, '--retry'],
    ]) {
      const again = await world.json<ResolveResult>('resolve', '1', ...which);
      expect(again).toMatchObject({ workflow_id: 1, jobs: [{ name: 'A', result: 'already_resolved' }] });
    }
    expect((await world.run('resolve', '1', '--retry', 'A')).stdout).toBe(
      'workflow 1: nothing changes, 1 already resolved\n  retry  A: already resolved\nnext: holdfast run 1\n',
    );
    expect(await refused(world, '1', '--fail', 'A')).toMatch(/^error: job A does not wait .*: it is ready\n/);
    expect(await look(world)).toEqual(before);
  });

  test('is refused as a whole if one of the jobs does not wait', async (context) => {
    const jobs = ['one', 'two'].map((name) => ({ name, command: 'exit 1' }));
    const world = jobsWorld(context, [...jobs, { name: 'fine', command: 'true' }], WAITING);
    await world.run('run', 'spec.json');
    const before = await look(world);
    expect(await refused(world, '1', '--retry', 'one', 'fine', '--fail', 'two')).toBe(
      'error: job fine does not wait for a decision: it is completed\nhint: nothing was changed; `holdfast failures 1` lists what waits for a decision\n',
    );
    expect(await refused(world, '1', '--retry', 'one', 'nobody')).toMatch(/^error: .* has no job nobody\n/);
    expect(await look(world)).toEqual(before);
  });

  test('with --dry-run shows what it would do and changes nothing', async (context) => {
    const world = jobsWorld(context, CHAIN, WAITING);
    await world.run('run', 'spec.json');
    const before = await look(world);
    expect((await world.run('resolve', '1', '--fail', 'A', '--dry-run')).stdout).toMatch(
      /^workflow 1: would decide about 1 job\n {2}fail {3}A: .*cancels B, C\nnothing was changed/,
    );
    expect(await look(world)).toEqual(before);
  });

  test('takes the names of jobs also before the action', async (context) => {
    const world = jobsWorld(context, CHAIN, WAITING);
    await world.run('run', 'spec.json');
    expect((await world.run('resolve', '1', 'A', '--fail', '--dry-run')).stdout).toMatch(/^ {2}fail {3}A: /m);
    expect((await world.run('resolve', '1', 'A', '--retry')).stdout).toMatch(/^ {2}retry {2}A: /m);
  });

  test('is refused with the place and a way out where the flags do not fit', async (context) => {
    const world = jobsWorld(context, CHAIN, WAITING);
    await world.run('run', 'spec.json');
    const before = await look(world);
    expect(await refused(world, '1')).toMatch(/no terminal to ask on; name jobs with --retry JOB/);
    const mistakes: [string[], RegExp][] = [
      [['--retry'], /--retry: name jobs/],
      [['--retry', 'A', '--fail', 'A'], /job A: cannot be both retried and failed/],
      [['--retry', 'A', '--fingerprint', 'f'], /--fingerprint: goes with --retry or --fail without/],
      [['--fingerprint', 'f', '--retry'], /--fingerprint f: no job that fails like this waits/],
      [['--fingerprint', 'f', '--retry', '--fail'], /--fingerprint: its jobs cannot be both/],
      [['--fail', 'A', '--memory', '4g'], /--memory: is for jobs that are retried/],
      [['--retry', 'A', '--memory', 'lots'], /memory.*size/],
      [['--retry', 'A', '--runtime', 'long'], /runtime must be a duration such as 2h, not long/],
      [['--retry', 'A', '--confidence', '1.5'], /--confidence: must be from 0 to 1, not 1.5/],
      [['--reason', 'because'], /--reason: goes with --retry or --fail/],
      [['A'], /job A: add --retry or --fail/],
      [['A', '--retry', '--fail'], /job A: it is not clear what is decided about it/],
      [['A', '--fail', 'A'], /job A: it is not clear what is decided about it/],
      [['A', '--retry', '--fingerprint', 'f'], /job A: it is not clear what is decided about it/],
      [['A', '--retry', '--fail', 'A'], /job A: cannot be both retried and failed/],
    ];
    for (const [flags, message] of mistakes) expect(await refused(world, '1', ...flags)).toMatch(message);
    expect(await refused(world, '7', '--retry', 'A')).toMatch(/there is no workflow 7/);
    expect(await look(world)).toEqual(before);
  });

  test('is refused without the opt-in', async (context) => {
    const world = jobsWorld(context, CHAIN);
    await world.run('run', 'spec.json');
    expect(await refused(world, '1', '--retry', 'A')).toMatch(
      /^error: Workflow does not have use_pending_failed enabled\nhint: .*holdfast recover 1/,
    );
  });

  test('needs no other command while a process drives the run', async (context) => {
    const wait = { name: 'wait', command: 'until [ -e go ]; do sleep 0.05; done' };
    const world = jobsWorld(context, [{ name: 'bad', command: '[ -e fixed ]' }, wait], WAITING);
    const run = world.start('run', 'spec.json');
    await world.jobWhich('bad waits', ({ status }) => status === 'pending_failed');
    await world.running(1);
    world.write('fixed');
    expect((await world.run('resolve', '1', '--retry', 'bad')).stdout).not.toContain('next:');
    await world.jobWhich('bad has completed', (job) => job.name === 'bad' && job.status === 'completed');
    world.write('go');
    expect((await run.ended).code).toBe(0);
  });
});

describe.concurrent('failures', () => {
  test('of many jobs that look alike are one group and one decision', async (context) => {
    const sweep = {
      name: 'p_{i}',
      parameters: { i: '1:60' },
      command: 'echo "cannot reach 10.0.0.{i}" >&2; [ -e fixed ] || exit 7',
    };
    const odd = { name: 'odd', command: 'echo SyntaxError >&2; exit 1' };
    const world = jobsWorld(context, [odd, sweep], WAITING);
    expect((await world.run('run', 'spec.json')).code).toBe(3);
    const groups = await world.json<SampledFailureGroup[]>('failures', '1');
    expect(groups.map(({ jobs, match_code }) => [jobs.length, match_code])).toEqual([
      [60, 7],
      [1, 1],
    ]);
    expect(groups[0]!.stderr_tail).toMatch(/^cannot reach 10\.0\.0\.\d+$/);
    const text = (await world.run('failures', '1')).stdout;
    expect(text).toMatch(/^[0-9a-f]{12} {2}60 jobs, waiting: exit 7\n {2}jobs: p_1, p_2, p_3 and 57 more\n/);
    expect(text).toMatch(/\nnext: holdfast resolve 1\n$/);
    const { fingerprint } = groups[0]!;
    expect((await world.run('failures', '--fingerprint', fingerprint, '--output', 'quiet')).stdout).toBe(
      `${fingerprint}\n`,
    );

    world.write('fixed');
    const decided = await world.run('resolve', '1', '--fingerprint', fingerprint, '--retry');
    expect(decided.stdout).toMatch(/^workflow 1: decided about 60 jobs\n/);
    expect((await world.run('failures', '--pending', '--output', 'quiet')).stdout).toBe(
      `${groups[1]!.fingerprint}\n`,
    );
    // One is left to decide about, and 60 are to be run first.
    expect(decided.stdout).toMatch(/\nnext: holdfast run 1\n$/);
    expect((await world.run('run', '1')).code).toBe(3);
    expect((await world.run('resolve', '1', '--fail', 'odd')).code).toBe(0);
    expect((await world.run('run', '1')).code).toBe(1);
    const stats = await world.json<{ fingerprint: string; retried: number; succeeded: number }[]>(
      'failures',
      '1',
      '--stats',
      '--fingerprint',
      fingerprint,
    );
    expect(stats).toMatchObject([{ fingerprint, retried: 60, succeeded: 60 }]);
  });

  test('like earlier ones show how those ended, also in another workflow', async (context) => {
    const world = jobsWorld(context, [CHAIN[0]!], WAITING);
    await world.run('run', 'spec.json');
    await world.run('resolve', '1', '--retry', 'A');
    expect((await world.run('run', '1')).code).toBe(3);
    expect((await world.run('run', 'spec.json')).code).toBe(3);
    expect((await world.run('failures', '2')).stdout).toContain(
      'before: retried 1, 0 succeeded, 1 failed again',
    );
  });

  test('except one that is named are decided about together', async (context) => {
    const jobs = ['a', 'b', 'c'].map((name) => ({ name, command: 'exit 1' }));
    const world = jobsWorld(context, jobs, WAITING);
    await world.run('run', 'spec.json');
    const [{ fingerprint }] = (await world.json<SampledFailureGroup[]>('failures')) as [SampledFailureGroup];
    const result = await world.json<ResolveResult>(
      'resolve',
      '1',
      ...['--fingerprint', fingerprint, '--retry', '--fail', 'b'],
    );
    expect(Object.fromEntries(result.jobs.map(({ name, action }) => [name, action]))).toEqual({
      a: 'retry',
      b: 'fail',
      c: 'retry',
    });
  });

  test('that nobody has to decide about are listed too, unless only those are asked for', async (context) => {
    const world = jobsWorld(context, CHAIN);
    await world.run('run', 'spec.json');
    expect((await world.run('failures')).stdout).toMatch(/^[0-9a-f]{12} {2}1 job: exit 3\n/);
    expect((await world.run('failures', '--all')).stdout).not.toContain('next:');
    expect((await world.run('failures', '--pending')).stdout).toBe('no failures\n');
    expect((await world.run('failures', '--all', '--pending')).code).toBe(2);
    expect((await world.run('failures', '--stats')).stdout).toBe('no decisions yet\n');
    for (const id of ['7', 'A']) expect((await world.run('failures', id, '--stats')).code).toBe(2);
  });
});

test('a report sets what a job used against what it asked for', async (context) => {
  const world = jobsWorld(
    context,
    [
      { name: 'hungry', command: 'until [ -e go ]; do sleep 0.05; done', resource_requirements: 'roomy' },
      { name: 'short', command: 'true' },
    ],
    { resource_requirements: [{ name: 'roomy', memory: '1g', runtime: '1h', num_cpus: 1 }] },
  );
  const run = world.start('run', 'spec.json');
  await world.running(1);
  world.write('go');
  expect((await run.ended).code).toBe(0);
  const [hungry, short] = await world.json<JobUsage[]>('report', '1');
  expect(hungry).toMatchObject({
    name: 'hungry',
    memory_requested_bytes: 1024 ** 3,
    runtime_limit_ms: 3_600_000,
    cpus_requested: 1,
  });
  expect(hungry!.marks).toContain('runtime_low');
  expect(short).toMatchObject({ name: 'short', memory_share: null, marks: [] });
  expect((await world.run('report')).stdout).toMatch(/\nhungry +completed +1g .* 1h00m /);
  expect((await world.run('report', '--output', 'quiet')).stdout).toBe('hungry\n');
});
