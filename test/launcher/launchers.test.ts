import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { Launchers } from '../../src/worker/execute/launchers.ts';
import { eventually, isAlive, launcherWorld, processesWith, temporaryDirectory } from './launcher-world.ts';

describe('the number of launchers', () => {
  test('is one for one job after the other', async () => {
    const world = await launcherWorld(2);
    for (let i = 0; i < 5; i++) await world.run('true');
    expect(world.launchers.pids.launchers).toHaveLength(1);
  });

  test('grows to two under load, and both get work', async () => {
    const world = await launcherWorld(2);
    const jobs = Array.from({ length: 100 }, () => world.start('echo $PPID'));
    await Promise.all(jobs.map((job) => job.ended));
    expect(world.launchers.pids.launchers).toHaveLength(2);
    // The second one gets work once it is ready; the first may be done with all of the above before that.
    const parents = new Set<number>();
    await vi.waitFor(async () => {
      const later = Array.from({ length: 20 }, () => world.start('echo $PPID'));
      await Promise.all(later.map((job) => job.ended));
      for (const job of later) parents.add(Number(world.stdout(job)));
      expect([...parents].sort()).toEqual([...world.launchers.pids.launchers].sort());
    }, 20_000);
  });

  test('never passes the maximum', async () => {
    const world = await launcherWorld(1);
    await Promise.all(Array.from({ length: 30 }, () => world.run('true')));
    expect(world.launchers.pids.launchers).toHaveLength(1);
  });
});

test('every order has exactly one end, whatever happens', async () => {
  const world = await launcherWorld(2);
  const jobs = Array.from({ length: 120 }, (_, i) =>
    world.start(['true', 'exit 3', 'sleep 600', 'kill -9 $$'][i % 4]!, i % 7 === 0 ? { timeoutMs: 50 } : {}),
  );
  for (const { token } of jobs) if (token % 5 === 0) world.launchers.end(token, 'canceled', false);
  await Promise.all(
    jobs
      .slice(0, 20)
      .filter((_, i) => i % 4 < 2)
      .map((job) => job.ended),
  );
  process.kill(world.launchers.pids.launchers[0]!, 'SIGKILL');
  await eventually('an end by loss', () => world.endings.some((notice) => notice.outcome.lost));
  await world.launchers.stop();
  const tokens = world.endings.map(({ token }) => token).sort((a, b) => a - b);
  expect(tokens).toEqual(jobs.map(({ token }) => token));
  expect(processesWith(`HOLDFAST_WORK_DIR=${world.dir}`)).toEqual([]);
});

describe('stop', () => {
  test('kills what lives and waits until every process is gone', async () => {
    const world = await launcherWorld(2);
    const job = world.start(`trap '' TERM; setsid sleep 600 & while :; do sleep 1; done`);
    await eventually('the start', () => processesWith(`HOLDFAST_WORK_DIR=${world.dir}`).length >= 3);
    const { launchers, guardian } = world.launchers.pids;
    await world.launchers.stop();
    expect((await job.ended).outcome).toEqual(outcome({ signal: 'SIGKILL', stopped: true }));
    expect([...launchers, guardian!].filter(isAlive)).toEqual([]);
    expect(processesWith(`HOLDFAST_WORK_DIR=${world.dir}`)).toEqual([]);
  });

  test('may be called twice, and before start', async () => {
    const world = await launcherWorld();
    await Promise.all([world.launchers.stop(), world.launchers.stop()]);
    const unused = new Launchers(world.dir);
    await unused.stop();
    expect(unused.pids).toEqual({ launchers: [], guardian: null });
  });

  test('gives later orders back as stopped', async () => {
    const world = await launcherWorld();
    await world.launchers.stop();
    const ended = await world.run('touch ran');
    expect(ended).toMatchObject({ startedAt: null, outcome: outcome({ stopped: true }) });
  });
});

describe('start', () => {
  test('says which directory is unusable', async () => {
    const dir = temporaryDirectory();
    const stateDir = join(dir, 'file');
    writeFileSync(stateDir, '');
    const launchers = new Launchers(stateDir);
    await expect(launchers.start()).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    await launchers.stop();
    rmSync(stateDir);
  });
});
