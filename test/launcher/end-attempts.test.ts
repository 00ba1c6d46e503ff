import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { eventually, launcherWorld, processesWith } from './launcher-world.ts';

/** Ready when its stdout says so: whatever has to be set up before the end is. */
const READY = 'echo ready; while :; do sleep 0.05; done';

describe('a timeout', () => {
  test('ends the command', async () => {
    const world = await launcherWorld();
    const ended = await world.run('sleep 600', { timeoutMs: 100 });
    expect(ended.outcome).toEqual(outcome({ signal: 'SIGTERM', timed_out: true, time_limit_ms: 100 }));
    expect(ended.finishedAt - ended.startedAt!).toBeGreaterThanOrEqual(99);
  });

  test('counts also when the command then exits with 0', async () => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run("trap 'exit 0' TERM; while :; do sleep 0.05; done", {
      timeoutMs: 1500,
      outputFiles: ['missing'],
    });
    expect(facts).toEqual(outcome({ exit_code: 0, timed_out: true, time_limit_ms: 1500 }));
  });

  test('takes grandchildren in sessions of their own with it', async () => {
    const world = await launcherWorld();
    const job = world.start(
      `setsid sleep 600 &
       (setsid bash -c "trap '' TERM; sleep 600; sleep 600" &)
       sleep 600`,
      { timeoutMs: 3000, graceMs: 300 },
    );
    const marker = `HOLDFAST_WORK_DIR=${job.order.workDir}`;
    await eventually('the start of all processes', () => processesWith(marker).length >= 4);
    expect((await job.ended).outcome.timed_out).toBe(true);
    expect(processesWith(marker)).toEqual([]);
  });

  test('longer than a timer can hold does not fire at once', async () => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run('sleep 0.2', { timeoutMs: 40 * 86_400_000 });
    expect(facts).toEqual(outcome({ exit_code: 0 }));
  });
});

describe('an order to end', () => {
  test.each(['canceled', 'stopped'] as const)('makes the attempt %s', async (why) => {
    const world = await launcherWorld();
    const job = world.start('sleep 600');
    await job.started;
    world.launchers.end(job.token, why, false);
    const { outcome: facts } = await job.ended;
    expect(facts).toEqual(outcome({ signal: 'SIGTERM', [why]: true }));
  });

  test('gives a child its grace also when the shell has already gone', async () => {
    const world = await launcherWorld();
    const job = world.start(
      `bash -c "trap 'sleep 0.3; echo saved; exit' TERM; ${READY}"
       echo never`,
    );
    await eventually('the trap', () => world.stdout(job).includes('ready'));
    world.launchers.end(job.token, 'stopped', false);
    expect((await job.ended).outcome.stopped).toBe(true);
    expect(world.stdout(job)).toBe('ready\nsaved\n');
  });

  test('begins with the signal that the order names', async () => {
    const world = await launcherWorld();
    const job = world.start(`trap 'echo int; exit 5' INT; trap 'echo term' TERM; ${READY}`, {
      endSignal: 'SIGINT',
    });
    await eventually('the trap', () => world.stdout(job).includes('ready'));
    world.launchers.end(job.token, 'stopped', false);
    expect((await job.ended).outcome).toMatchObject({ exit_code: 5, stopped: true });
    expect(world.stdout(job)).toBe('ready\nint\n');
  });

  test('kills after the grace what ignores SIGTERM', async () => {
    const world = await launcherWorld();
    const job = world.start(`trap '' TERM; ${READY}`, { graceMs: 200 });
    await eventually('the trap', () => world.stdout(job) === 'ready\n');
    world.launchers.end(job.token, 'canceled', false);
    const { outcome: facts } = await job.ended;
    expect(facts).toEqual(outcome({ signal: 'SIGKILL', canceled: true }));
    expect(processesWith(`HOLDFAST_WORK_DIR=${job.order.workDir}`)).toEqual([]);
  });

  test('kills at once if asked to, also during the grace; the first reason stays', async () => {
    const world = await launcherWorld();
    const job = world.start(`trap 'echo term' TERM; ${READY}`, { graceMs: 3_600_000 });
    await eventually('the trap', () => world.stdout(job) === 'ready\n');
    world.launchers.end(job.token, 'canceled', false);
    await eventually('the SIGTERM', () => world.stdout(job).includes('term'));
    world.launchers.end(job.token, 'stopped', true);
    const { outcome: facts } = await job.ended;
    expect(facts).toEqual(outcome({ signal: 'SIGKILL', canceled: true }));
  });

  test('sends SIGTERM once to each process', async () => {
    const world = await launcherWorld();
    const job = world.start(
      `setsid bash -c "trap 'echo escaped' TERM; ${READY}" &
       trap 'echo main' TERM; ${READY}`,
      { graceMs: 3_600_000 },
    );
    await eventually('the traps', () => world.stdout(job) === 'ready\nready\n');
    world.launchers.end(job.token, 'canceled', false);
    await eventually(
      'both SIGTERMs',
      () => /escaped/.test(world.stdout(job)) && /main/.test(world.stdout(job)),
    );
    world.launchers.end(job.token, 'canceled', true);
    await job.ended;
    expect(world.stdout(job).split('\n').sort()).toEqual(['', 'escaped', 'main', 'ready', 'ready']);
  });

  test('reaches what waits behind other orders', async () => {
    const world = await launcherWorld();
    const jobs = Array.from({ length: 50 }, () => world.start('sleep 600'));
    for (const { token } of jobs) world.launchers.end(token, 'canceled', true);
    const notices = await Promise.all(jobs.map(({ ended }) => ended));
    expect(notices.every(({ outcome: facts }) => facts.canceled && facts.spawn_error === null)).toBe(true);
    expect(notices.some(({ startedAt }) => startedAt === null)).toBe(true);
  });

  test('for an attempt that is over changes nothing', async () => {
    const world = await launcherWorld();
    const job = world.start('exit 5');
    await job.ended;
    world.launchers.end(job.token, 'canceled', true);
    expect((await world.run('exit 6')).outcome).toEqual(outcome({ exit_code: 6 }));
    expect(world.endings.map(({ outcome: facts }) => facts.exit_code)).toEqual([5, 6]);
  });

  test.each(['canceled', 'stopped'] as const)(
    'makes no attempt %s that had ended before, while the launcher could not see it',
    async (why) => {
      const world = await launcherWorld();
      const go = join(world.dir, 'go');
      const job = world.start(`while [ ! -e "${go}" ]; do sleep 0.05; done`);
      await job.started;
      const marker = `HOLDFAST_WORK_DIR=${job.order.workDir}`;
      const launcher = world.launchers.pids.launchers[0]!;
      process.kill(launcher, 'SIGSTOP');
      writeFileSync(go, '');
      await eventually('the end of the command', () => processesWith(marker).length === 0);
      world.launchers.end(job.token, why, false);
      process.kill(launcher, 'SIGCONT');
      expect((await job.ended).outcome).toEqual(outcome({ exit_code: 0 }));
    },
  );
});
