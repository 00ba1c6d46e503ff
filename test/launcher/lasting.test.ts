import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { Launchers } from '../../src/worker/execute/launchers.ts';
import { LauncherDirectory } from '../../src/worker/launcher/launcher-directory.ts';
import { monotonicNow } from '../../src/worker/launcher/monotonic-now.ts';
import type { EndedNotice, SpawnOrder } from '../../src/worker/launcher/protocol.ts';
import { eventually, processesWith, spawnOrder, temporaryDirectory } from './launcher-world.ts';

/** Launchers that would outlive their worker, with what they said; stopped after the test. */
async function lastingLaunchers(dir = temporaryDirectory()) {
  const launchers = new Launchers(dir, 1, true);
  const started: number[] = [];
  const endings: EndedNotice[] = [];
  launchers.listen({
    started: ({ token }) => started.push(token),
    ended: (notice) => endings.push(notice),
  });
  onTestFinished(() => launchers.stop());
  await launchers.start();
  let token = 0;
  const spawn = (script: string): SpawnOrder => {
    const order = spawnOrder(dir, ++token, script);
    launchers.spawn(order);
    return order;
  };
  return { dir, launchers, started, endings, spawn };
}

describe('the fence', () => {
  test('kills everything when it is reached, also what has escaped, and reports it as lost', async () => {
    const { dir, launchers, started, endings, spawn } = await lastingLaunchers();
    launchers.fence(monotonicNow() + 60_000);
    spawn(`trap '' TERM; (setsid sleep 600 &); while :; do sleep 1; done`);
    spawn('sleep 600');
    await eventually('the start of both', () => started.length === 2);
    launchers.fence(monotonicNow() + 100);
    await eventually('the end of both', () => endings.length === 2);
    expect(processesWith(`HOLDFAST_WORK_DIR=${dir}`)).toEqual([]);
    expect(endings.map((notice) => notice.outcome.lost)).toEqual([true, true]);
  });

  test('lets nothing be started behind it, until it is moved', async () => {
    const { launchers, started, endings, spawn } = await lastingLaunchers();
    launchers.fence(monotonicNow() - 1);
    spawn('true');
    await eventually('the refusal', () => endings.length === 1);
    expect(endings[0]).toMatchObject({ startedAt: null, outcome: outcome({ lost: true }) });
    launchers.fence(monotonicNow() + 60_000);
    spawn('exit 3');
    await eventually('the end of the second', () => endings.length === 2);
    expect(started).toEqual([2]);
    expect(endings[1]!.outcome.exit_code).toBe(3);
  });

  test('that passed while the launcher stood still makes attempts lost, and harms none that start later', async () => {
    const { dir, launchers, started, endings, spawn } = await lastingLaunchers();
    launchers.fence(monotonicNow() + 60_000);
    spawn('sleep 600');
    await eventually('the start', () => started.length === 1);
    launchers.fence(monotonicNow() + 1000);
    spawn('true');
    await eventually('the end of the second', () => endings.length === 1);
    const [launcher] = launchers.pids.launchers;
    process.kill(launcher!, 'SIGSTOP');
    // Waits at the launcher while the guardian kills.
    launchers.fence(monotonicNow() + 60_000);
    for (let count = 0; count < 5; count += 1) spawn('exit 5');
    await eventually('the kill', () => processesWith(`HOLDFAST_WORK_DIR=${dir}`).length === 0, 60_000);
    process.kill(launcher!, 'SIGCONT');
    await eventually('the other ends', () => endings.length === 7, 60_000);
    const byToken = endings.toSorted((a, b) => a.token - b.token).slice(2);
    expect(endings.find(({ token }) => token === 1)!.outcome).toMatchObject({ lost: true });
    expect(byToken.map((notice) => notice.outcome)).toEqual(Array(5).fill(outcome({ exit_code: 5 })));
  });

  test('that is moved in time is not felt', async () => {
    const { launchers, started, endings, spawn } = await lastingLaunchers();
    launchers.fence(monotonicNow() + 60_000);
    spawn('sleep 1; exit 5');
    await eventually('the start', () => started.length === 1);
    launchers.fence(monotonicNow() + 500);
    launchers.fence(monotonicNow() + 60_000);
    await eventually('the end', () => endings.length === 1);
    expect(endings[0]!.outcome).toEqual(outcome({ exit_code: 5 }));
  });
});

describe('the directory of launchers', () => {
  test('is for its owner alone, and empty when they have gone', async () => {
    const { dir, launchers } = await lastingLaunchers();
    const directory = join(dir, 'launchers');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory).map((name) => name.replace(/^\w+/, ''))).toEqual(
      expect.arrayContaining(['.json', '.sock']),
    );
    await launchers.stop();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is elsewhere if a socket could not have so long a path', async () => {
    const dir = join(temporaryDirectory(), 'x'.repeat(120));
    mkdirSync(dir);
    const { launchers, endings, spawn } = await lastingLaunchers(dir);
    launchers.fence(monotonicNow() + 60_000);
    const { socketPath } = new LauncherDirectory(dir).newPlace();
    expect(socketPath.length).toBeLessThanOrEqual(100);
    expect(new LauncherDirectory(dir).list()).toHaveLength(1);
    spawn('exit 4');
    await eventually('the end', () => endings.length === 1);
    expect(endings[0]!.outcome.exit_code).toBe(4);
  });

  test('that others can enter is refused', () => {
    const dir = temporaryDirectory();
    mkdirSync(join(dir, 'launchers'), { mode: 0o755 });
    expect(() => new LauncherDirectory(dir).newPlace()).toThrow(/only its owner can enter/);
  });
});
