import { describe, expect, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { jobsWorld, type World } from '../e2e/world.ts';
import { stateOf } from './server-mode.ts';

const CHAIN = [
  { name: 'A', command: 'echo A >> order; [ -e fixed ] || exit 3' },
  { name: 'B', command: 'echo B >> order', depends_on: ['A'] },
  { name: 'C', command: 'echo C >> order', depends_on: ['B'] },
  { name: 'D', command: 'echo D >> order', depends_on: ['C'] },
  { name: 'X', command: 'echo X >> done' },
];
const WAIT = { name: 'wait', command: 'until [ -e go ]; do sleep 0.05; done' };

const statuses = async (world: World) => (await world.jobs()).map(({ status }) => status);

describe.concurrent('retry', () => {
  test('brings a failed job and its canceled dependents back, and they run', async (context) => {
    const world = jobsWorld(context, CHAIN);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(await statuses(world)).toEqual(['failed', 'canceled', 'canceled', 'canceled', 'completed']);

    world.write('fixed');
    expect(await world.run('retry', '1', 'A')).toEqual({
      code: 0,
      stdout:
        'workflow 1: job A is queued for attempt 2 of run 1\n  and 3 jobs that were canceled because of it\n' +
        'next: holdfast run 1\n',
      stderr: '',
    });
    expect(await statuses(world)).toEqual(['ready', 'blocked', 'blocked', 'blocked', 'completed']);
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['A', 'A', 'B', 'C', 'D']);
    expect(world.lines('done')).toEqual(['X']);
    expect((await world.attempts('A')).map(({ run_id, attempt_id }) => [run_id, attempt_id])).toEqual([
      [1, 1],
      [1, 2],
    ]);
    expect((await world.run('events', '1', '--job', 'A')).stdout).toMatch(/manual_retry +A /);
  });

  test('leaves dependents canceled that another failure keeps from running', async (context) => {
    const world = jobsWorld(context, [
      { name: 'one', command: '[ -e fixed ]' },
      { name: 'two', command: 'exit 1' },
      { name: 'both', command: 'true', depends_on: ['one', 'two'] },
    ]);
    await world.run('run', 'spec.json');
    world.write('fixed');
    expect((await world.run('retry', '1', 'one')).code).toBe(0);
    expect(await statuses(world)).toEqual(['ready', 'failed', 'canceled']);
    expect((await world.run('run', '1')).code).toBe(1);
    expect(await statuses(world)).toEqual(['completed', 'failed', 'canceled']);
  });

  test('needs no other command while a process drives the run', async (context) => {
    const world = jobsWorld(context, [{ name: 'bad', command: '[ -e fixed ]' }, WAIT]);
    const run = world.start('run', 'spec.json');
    await world.jobWhich('bad has failed', (job) => job.name === 'bad' && job.status === 'failed');
    await world.running(1);
    world.write('fixed');
    const retried = await world.run('retry', 'bad');
    expect(retried).toMatchObject({
      code: 0,
      stdout: 'workflow 1: job bad is queued for attempt 2 of run 1\n',
    });
    await world.jobWhich('bad has completed', (job) => job.name === 'bad' && job.status === 'completed');
    world.write('go');
    expect((await run.ended).code).toBe(0);
  });

  test('is refused for a job that does not exist, has not failed, or has had its attempts', async (context) => {
    const world = jobsWorld(context, CHAIN);
    await world.run('run', 'spec.json');
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await world.run('retry', ...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      return stderr;
    };
    expect(await refused('1', 'nobody')).toMatch(/^error: workflow 1 has no job nobody\nhint: /);
    expect(await refused('7', 'A')).toMatch(/^error: there is no workflow 7\n/);
    expect(await refused('1', 'X')).toMatch(
      /^error: job X is completed; only a running, failed or terminated job can be retried\n/,
    );
    expect(await refused('1', 'A', '--max-retries', '1')).toBe(
      'error: job A has had attempt 1, and max_retries is 1\nhint: give a higher --max-retries, or none\n',
    );
    expect(await refused('1', 'A', '--max-retries', 'many')).toMatch(/--max-retries: must be a whole number/);
    expect(await statuses(world)).toEqual(['failed', 'canceled', 'canceled', 'canceled', 'completed']);
    expect((await world.run('retry', '1', 'A', '--max-retries', '2')).code).toBe(0);
  });

  test('is refused for another run than the current one', async (context) => {
    const world = jobsWorld(context, CHAIN);
    await world.run('run', 'spec.json');
    const engine = await openEngine({ dir: stateOf(world.dir), create: false });
    try {
      await expect(engine.retryJob(1, 'A', { actor: 'ada', run_id: 4 })).rejects.toMatchObject({
        code: 'WRONG_RUN',
        httpStatus: 409,
        message: "run_id 4 does not match the workflow's current run 1",
      });
      expect(await engine.retryJob(1, 'A', { actor: 'ada', run_id: 1 })).toMatchObject({ status: 'ready' });
    } finally {
      await engine.close();
    }
  });

  test('is refused for a job that waits for a decision, with the way out', async (context) => {
    const world = jobsWorld(context, CHAIN, { use_pending_failed: true });
    expect((await world.run('run', 'spec.json')).code).toBe(3);
    const { code, stderr } = await world.run('retry', '1', 'A');
    expect(code).toBe(2);
    expect(stderr).toMatch(/waits for a decision.*\nhint: `holdfast resolve 1 --retry \w+`/);
    expect((await world.job('A')).status).toBe('pending_failed');
  });
});

describe.concurrent('reset-status', () => {
  test('with --failed-only starts over what did not succeed and all that depends on it', async (context) => {
    const world = jobsWorld(context, CHAIN);
    await world.run('run', 'spec.json');
    world.write('fixed');
    expect((await world.run('reset-status', '1', '--failed-only')).stdout.split('\n')).toEqual([
      'workflow 1: reset 4 jobs and began run 2',
      '  failed    A',
      '  canceled  B',
      '  canceled  C',
      '  canceled  D',
      'next: holdfast run 1',
      '',
    ]);
    expect(await statuses(world)).toEqual(['ready', 'blocked', 'blocked', 'blocked', 'completed']);
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['A', 'A', 'B', 'C', 'D']);
    expect(world.lines('done')).toEqual(['X']);
    expect((await world.status()).workflow.run_id).toBe(2);
  });

  test('with --failed-only starts over what waits for a decision, without one', async (context) => {
    const world = jobsWorld(context, CHAIN, { use_pending_failed: true });
    expect((await world.run('run', 'spec.json')).code).toBe(3);
    world.write('fixed');
    expect((await world.run('reset-status', '1', '--failed-only')).stdout).toContain('pending_failed  A');
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['A', 'A', 'B', 'C', 'D']);
  });

  test('without it starts everything over, also what had completed', async (context) => {
    const world = jobsWorld(context, [{ name: 'fine', command: 'echo "$HOLDFAST_RUN_ID" >> order' }]);
    await world.run('run', 'spec.json');
    expect((await world.run('reset-status', '1', '--failed-only')).stdout).toBe(
      'workflow 1: there is nothing to reset\n',
    );
    expect((await world.status()).workflow.run_id).toBe(1);
    expect(await world.json('reset-status', '1')).toEqual({
      workflow_id: 1,
      dry_run: false,
      run_id: 2,
      jobs: [{ id: 1, name: 'fine', status: 'completed' }],
    });
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order')).toEqual(['1', '2']);
  });

  test('with --dry-run changes nothing', async (context) => {
    const world = jobsWorld(context, CHAIN);
    await world.run('run', 'spec.json');
    const look = async () => [
      await world.status(),
      await world.jobs(),
      await world.attempts(),
      await world.json('events', '1'),
    ];
    const before = await look();
    const tried = await world.run('reset-status', '1', '--failed-only', '--dry-run');
    expect(tried.stdout).toMatch(/^workflow 1: would reset 4 jobs and begin run 2\n {2}failed {4}A\n/);
    expect(tried.stdout).toMatch(/next: holdfast reset-status 1 --failed-only\n$/);
    expect((await world.json<{ jobs: object[] }>('reset-status', '1', '--dry-run')).jobs).toHaveLength(5);
    expect(await look()).toEqual(before);
  });

  test('is refused while a process drives the run, and not after it was killed', async (context) => {
    const world = jobsWorld(context, [WAIT]);
    const run = world.start('run', 'spec.json');
    await world.running(1);
    const refused = await world.run('reset-status', '1');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      new RegExp(`^error: workflow 1 is being run by process ${run.child.pid}\\nhint: `),
    );
    run.child.kill('SIGKILL');
    await run.ended;
    await world.nothingLeft();
    expect((await world.run('reset-status', '1')).code).toBe(0);
    world.write('go');
    expect((await world.run('run', '1')).code).toBe(0);
    expect((await world.attempts()).map(({ run_id, state }) => [run_id, state])).toEqual([
      [1, 'WORKER_FAILED'],
      [2, 'SUCCEEDED'],
    ]);
  });
});

describe.concurrent('a choice of jobs', () => {
  const SWEEP = [
    { name: 'prep', command: 'echo prep >> order' },
    {
      name: 'sim_{n}',
      parameters: { n: '1:3' },
      depends_on: ['prep'],
      command: 'echo sim_{n} >> order; test {n} = 3 -o -e fixed',
    },
    { name: 'join', command: 'echo join >> order', depends_on: ['sim_1', 'sim_2', 'sim_3'] },
  ];

  test('is retried as a whole, and the workflow continues from there', async (context) => {
    const world = jobsWorld(context, SWEEP);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    const tried = await world.run('retry', '1', 'sim_*', '--dry-run');
    expect(tried.stdout.split('\n')).toEqual([
      'workflow 1: would retry 2 jobs in run 1',
      '  failed  sim_1',
      '  failed  sim_2',
      '  and 1 job that was canceled because of them',
      '',
    ]);
    const failures = await world.json<{ fingerprint: string; jobs: object[] }[]>('failures', '1');
    const [group] = failures;
    const alike = await world.json<{ jobs: object[] }>(
      'retry',
      '1',
      '--fingerprint',
      group!.fingerprint,
      '--dry-run',
    );
    expect(alike.jobs).toHaveLength(group!.jobs.length);
    expect(await statuses(world)).toEqual(['completed', 'failed', 'failed', 'completed', 'canceled']);
    world.write('fixed');
    const retried = await world.run('retry', '--failed', '--reason', 'it was the disk');
    expect(retried.stdout).toMatch(/^workflow 1: retried 2 jobs in run 1\n[\s\S]*next: holdfast run 1\n$/);
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order').sort()).toEqual([
      'join',
      'prep',
      'sim_1',
      'sim_1',
      'sim_2',
      'sim_2',
      'sim_3',
    ]);

    const over = await world.run('retry', '1', '--from', 'sim_2');
    expect(over.stdout.split('\n')).toEqual([
      'workflow 1: started 2 jobs over in a new run, 2',
      '  completed  sim_2',
      '  completed  join',
      'next: holdfast run 1',
      '',
    ]);
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order').slice(-2)).toEqual(['sim_2', 'join']);
    expect(await world.json('retry', '1', '--failed')).toEqual({
      workflow_id: 1,
      dry_run: false,
      mode: 'nothing',
      run_id: 2,
      jobs: [],
      revived: [],
    });
  });

  test('that cannot be meant is refused with the way out, and changes nothing', async (context) => {
    const world = jobsWorld(context, SWEEP);
    await world.run('run', 'spec.json');
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await world.run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      return stderr;
    };
    expect(await refused('retry', '1')).toMatch(/name jobs of workflow 1, or choose them with --failed/);
    expect(await refused('retry', '1', 'smi_*')).toMatch(
      /no job of workflow 1 matches smi_\*; did you mean "sim_1", "sim_2" or "sim_3"\?\nhint: nothing was changed/,
    );
    expect(await refused('retry', '1', 'prep', 'join')).toMatch(
      /^error: job prep is completed; .*\njob join is canceled; .*\nhint: nothing was changed/,
    );
    expect(await refused('retry', '1', '--failed', '--status', 'running')).toMatch(/^error: --failed: /);
    expect(await refused('retry', '1', '--from', 'sim_*')).toMatch(/^error: --from: .*not a pattern/);
    expect(await refused('retry', '1', '--from', 'join')).toMatch(/depends on sim_1, which is failed/);
    expect(await refused('retry', '1', '--status', 'faild')).toMatch(/did you mean "failed"/);
    for (const [args, message] of [
      [['retry', '1', 'sim_1', '--only'], /^error: --only: needs --from, without --failed/],
      [
        ['retry', '1', '--from', 'sim_1', '--failed', '--only'],
        /^error: --only: needs --from, without --failed/,
      ],
      [['retry', '1', '--status', 'completed'], /^error: --status: .*; --from starts jobs over/],
      [['retry', '1', '--status', 'pending_failed'], /^error: --status: .*`holdfast resolve`/],
      [['retry', '1', '--from', 'prep', '--max-retries', '2'], /^error: --max-retries: not with --from/],
      [['cancel', '1', '--only'], /^error: --only: needs --from/],
      [['reset-status', '1', '--only'], /^error: --only: needs jobs/],
    ] as const) {
      expect(await refused(...args)).toMatch(message);
    }
    expect(await refused('retry', '1', '')).toMatch(/must not be empty/);
    expect(await refused('retry', '1', '*'.repeat(1001))).toMatch(
      /^error: pattern: must not have more than 1000 characters/,
    );
    expect(await refused('cancel', '1', 'sim_*', 'nobody')).toMatch(/no job nobody/);
    expect(await refused('cancel', '1', '--status', 'completed')).toMatch(
      /^error: --status: .*nothing to cancel/,
    );
    expect(await refused('reset-status', '1', 'sim_1', '--failed-only')).toMatch(/^error: --failed-only: /);
    expect(await statuses(world)).toEqual(['completed', 'failed', 'failed', 'completed', 'canceled']);
  });

  test('is reset in a new run with everything downstream, or alone', async (context) => {
    const world = jobsWorld(context, SWEEP);
    await world.run('run', 'spec.json');
    world.write('fixed');
    const names = async (...args: string[]) =>
      (await world.json<{ jobs: { name: string }[] }>('reset-status', '1', ...args, '--dry-run')).jobs.map(
        ({ name }) => name,
      );
    expect(await names('sim_3')).toEqual(['sim_3', 'join']);
    expect(await names('sim_?', '--failed')).toEqual(['sim_1', 'sim_2', 'join']);
    expect(await names('sim_3', '--only')).toEqual(['sim_3']);
    expect((await world.run('reset-status', '1', '--failed')).stdout).toMatch(
      /^workflow 1: reset 3 jobs and began run 2\n/,
    );
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('order').filter((line) => line === 'prep')).toHaveLength(1);
  });
});
