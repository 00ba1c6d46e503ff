import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { monotonicNow } from '../../src/worker/launcher/monotonic-now.ts';
import { type LauncherWorld, launcherWorld, type RunningJob } from './launcher-world.ts';

const HELD = 'until [ -e go ]; do sleep 0.02; done';

/** A job that runs until `go` exists, and jobs that follow it in its queue. */
function queue(world: LauncherWorld, scripts: string[]): RunningJob[] {
  return [HELD, ...scripts].map((script) => world.start(script, { queue: 7 }));
}

function go(world: LauncherWorld): void {
  writeFileSync(join(world.dir, 'go'), '');
}

test('an attempt that follows another starts when that one is over, whatever its outcome', async () => {
  const world = await launcherWorld();
  const [first, second, third] = queue(world, ['exit 3', 'cat other']) as [
    RunningJob,
    RunningJob,
    RunningJob,
  ];
  await first.started;
  expect(existsSync(second.order.stdoutPath)).toBe(false);
  go(world);
  const ends = [await first.ended, await second.ended, await third.ended];
  expect(ends.map((end) => end.outcome.exit_code)).toEqual([0, 3, 1]);
  expect(ends[1]!.startedAt).toBeGreaterThanOrEqual(ends[0]!.finishedAt);
  expect(ends[2]!.startedAt).toBeGreaterThanOrEqual(ends[1]!.finishedAt);
});

test('one that follows an attempt that cannot be started starts all the same', async () => {
  const world = await launcherWorld();
  world.start('true', { cwd: join(world.dir, 'gone'), queue: 7 });
  expect((await world.run('exit 4', { queue: 7 })).outcome.exit_code).toBe(4);
  // The queue is free by now.
  expect((await world.run('exit 5', { queue: 7 })).outcome.exit_code).toBe(5);
});

test('one that is ended before its turn has not run, and the next takes its place', async () => {
  const world = await launcherWorld();
  const [first, second, third] = queue(world, ['touch ran', 'exit 3']) as [
    RunningJob,
    RunningJob,
    RunningJob,
  ];
  await first.started;
  world.launchers.end(second.token, 'canceled', false);
  expect(await second.ended).toMatchObject({ startedAt: null, outcome: outcome({ canceled: true }) });
  expect(world.endings).toHaveLength(1);
  go(world);
  expect((await third.ended).outcome.exit_code).toBe(3);
  expect((await third.ended).startedAt).toBeGreaterThanOrEqual((await first.ended).finishedAt);
  expect(existsSync(join(world.dir, 'ran'))).toBe(false);
});

test('what is given back has not run; what has started is left alone', async () => {
  const world = await launcherWorld();
  const [first, second] = queue(world, ['touch ran']) as [RunningJob, RunningJob];
  await first.started;
  world.launchers.giveBack(first.token);
  world.launchers.giveBack(second.token);
  expect(await second.ended).toMatchObject({ startedAt: null, outcome: outcome({ stopped: true }) });
  go(world);
  expect((await first.ended).outcome).toEqual(outcome({ exit_code: 0 }));
  expect(existsSync(join(world.dir, 'ran'))).toBe(false);
});

test('nothing follows when everything is stopped or the fence is reached', async () => {
  for (const how of ['stop', 'fence'] as const) {
    const world = await launcherWorld();
    const [first, ...others] = queue(world, ['touch ran', 'touch ran']);
    await first!.started;
    if (how === 'stop') await world.launchers.stop();
    else world.launchers.fence(monotonicNow() - 1);
    const ends = await Promise.all(others.map(({ ended }) => ended));
    expect(ends.map(({ startedAt }) => startedAt)).toEqual([null, null]);
    expect((await first!.ended).outcome[how === 'stop' ? 'stopped' : 'lost']).toBe(true);
    expect(existsSync(join(world.dir, 'ran'))).toBe(false);
  }
});

test('followers of a launcher that dies are lost without having run', async () => {
  const world = await launcherWorld();
  const [first, second] = queue(world, ['touch ran']) as [RunningJob, RunningJob];
  await first.started;
  process.kill(world.launchers.pids.launchers[0]!, 'SIGKILL');
  expect(await second.ended).toMatchObject({ startedAt: null, outcome: outcome({ lost: true }) });
  expect((await first.ended).startedAt).not.toBeNull();
  expect(existsSync(join(world.dir, 'ran'))).toBe(false);
});

test('ends of a long queue all arrive, in order', async () => {
  const world = await launcherWorld();
  const jobs = queue(
    world,
    Array.from({ length: 40 }, (_, index) => `echo ${index} >> order`),
  );
  go(world);
  await Promise.all(jobs.map(({ ended }) => ended));
  const order = readFileSync(join(world.dir, 'order'), 'utf8').trim().split('\n').map(Number);
  expect(order).toEqual(Array.from({ length: 40 }, (_, index) => index));
});
