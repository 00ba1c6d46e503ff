import { describe, expect, test } from 'vitest';
import type { CancelResult } from '../../src/contract/engine.ts';
import type { AttemptRecord, JobRecord, WorkflowStatus } from '../../src/contract/records/records.ts';
import { until } from '../cli/run-cli.ts';
import { jobsWorld, makeWorld } from './world.ts';

const WAIT_FOR_GO = 'echo $$ >> pids; until [ -e go ]; do sleep 0.05; done';

describe.concurrent('several processes on one directory', () => {
  test('run different specs at the same time, and both complete', async (context) => {
    const spec = (name: string) => ({
      name,
      jobs: [
        { name: 'work_{i}', command: 'echo {i}', parameters: { i: '1:25' } },
        { name: 'end', command: `echo ${name} >> ended`, depends_on_regexes: ['work_.*'] },
      ],
    });
    const world = makeWorld(context, { 'left.json': spec('left'), 'right.json': spec('right') });
    const ends = await Promise.all(
      ['left.json', 'right.json'].map((file) => world.run('run', file, '-j', '4', '--output', 'json')),
    );
    expect(ends.map(({ code, stderr }) => [code, stderr.includes('error')])).toEqual([
      [0, false],
      [0, false],
    ]);
    const statuses = ends.map(({ stdout }) => JSON.parse(stdout) as WorkflowStatus);
    expect(statuses.map(({ counts }) => counts.completed)).toEqual([26, 26]);
    expect(new Set(statuses.map(({ workflow }) => workflow.id))).toEqual(new Set([1, 2]));
    expect(statuses.map(({ workflow }) => workflow.name)).toEqual(['left', 'right']);
    expect(world.lines('ended').sort()).toEqual(['left', 'right']);
    await world.nothingLeft();
  });

  test.for([
    ['completes', 'true', 0],
    ['fails', 'exit 9', 1],
  ] as const)('follow a live run, and exit as it does when it %s', async ([, last, code], context) => {
    const world = jobsWorld(context, [{ name: 'job', command: `${WAIT_FOR_GO}; ${last}` }]);
    const driver = world.start('run', 'spec.json');
    await world.running();
    const follower = world.start('run', '1');
    await until(() => follower.output().stderr.includes('only stops following'), 'it follows');
    world.write('go');
    expect((await driver.ended).code).toBe(code);
    expect((await follower.ended).code).toBe(code);
    expect(world.lines('pids')).toHaveLength(1);
    expect(await world.attempts()).toHaveLength(1);
  });

  test('see a run while it runs', async (context) => {
    const world = jobsWorld(context, [
      { name: 'first', command: 'true' },
      { name: 'busy', command: WAIT_FOR_GO, depends_on: ['first'] },
      { name: 'later', command: 'true', depends_on: ['busy'] },
    ]);
    const run = world.start('run', 'spec.json');
    await world.running();
    const status = await world.json<WorkflowStatus>('status', '1');
    expect(status).toMatchObject({
      complete: false,
      exit_code: null,
      counts: { completed: 1, running: 1, blocked: 1 },
      workers: [{ pid: run.child.pid, alive: true }],
      running: [{ name: 'busy', attempt_id: 1 }],
    });
    const jobs = await world.json<JobRecord[]>('jobs', '1', '--status', 'running,blocked');
    expect(jobs.map(({ name, status }) => [name, status])).toEqual([
      ['busy', 'running'],
      ['later', 'blocked'],
    ]);
    const attempts = await world.json<AttemptRecord[]>('attempts', '1', 'busy');
    expect(attempts).toMatchObject([{ state: 'RUNNING', finished_at_ms: null }]);
    world.write('go');
    expect((await run.ended).code).toBe(0);
  });

  test('cancel a run: what runs is ended, with SIGKILL after the grace', async (context) => {
    const world = jobsWorld(context, [
      { name: 'polite', command: WAIT_FOR_GO },
      { name: 'stubborn', command: `trap '' TERM; ${WAIT_FOR_GO}` },
      { name: 'later', command: 'true', depends_on: ['polite'] },
    ]);
    const run = world.start('run', 'spec.json', '-j', '2', '--grace', '500ms');
    await world.running(2);
    await world.linesReached('pids', 2);
    expect((await world.run('cancel', '1')).code).toBe(0);
    expect((await run.ended).code).toBe(1);
    expect((await world.jobs()).map(({ status }) => status)).toEqual(['canceled', 'canceled', 'canceled']);
    const attempts = await world.attempts();
    expect(attempts).toMatchObject([
      { state: 'KILLED', cause: 'canceled', signal: 'SIGTERM' },
      { state: 'KILLED', cause: 'canceled', signal: 'SIGKILL' },
    ]);
    await world.nothingLeft();
    expect((await world.run('run', '1')).code).toBe(1);
    expect(await world.attempts()).toEqual(attempts);
  });

  test('resume a stopped run at the same time: one drives, the other follows', async (context) => {
    const world = jobsWorld(context, [{ name: 'job', command: WAIT_FOR_GO }]);
    const run = world.start('run', 'spec.json');
    await world.running();
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    const two = [world.start('run', '1'), world.start('run', '1')];
    await until(
      () => two.some((each) => each.output().stderr.includes('only stops following')),
      'one of them follows',
    );
    world.write('go');
    expect((await Promise.all(two.map((each) => each.ended))).map(({ code }) => code)).toEqual([0, 0]);
    expect((await world.attempts()).map(({ state }) => state)).toEqual(['STOPPED', 'SUCCEEDED']);
  });

  test('cancel a run whose process was killed: everything is canceled at once', async (context) => {
    const world = jobsWorld(context, [
      { name: 'job', command: WAIT_FOR_GO },
      { name: 'later', command: 'true', depends_on: ['job'] },
    ]);
    const run = world.start('run', 'spec.json');
    await world.running();
    await world.linesReached('pids', 1);
    run.child.kill('SIGKILL');
    await run.ended;
    const { canceled, stopping } = await world.json<CancelResult>('cancel', '1');
    expect({ canceled: canceled.length, stopping }).toEqual({ canceled: 2, stopping: [] });
    expect(await world.status()).toMatchObject({ complete: true, exit_code: 1, counts: { canceled: 2 } });
    await world.nothingLeft();
    expect((await world.run('run', '1')).code).toBe(1);
    expect(world.lines('pids')).toHaveLength(1);
  });
});
