import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { Guardian } from '../../src/worker/launcher/guardian.ts';
import { killFamilies } from '../../src/worker/launcher/kill/kill-families.ts';
import { eventually, isAlive } from './launcher-world.ts';

/** Looks as a child of a launcher does between fork and exec: the launcher's arguments, and no marker. */
async function unborn(prefix: string, spawned: (pid: number) => void = () => {}): Promise<number> {
  const script = 'console.log("up"); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', script, prefix], { stdio: ['ignore', 'pipe', 'ignore'] });
  spawned(child.pid!);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child.pid!;
}

test('a child that has not become its command yet dies with the rest of its dead launcher', async () => {
  const prefix = `${randomUUID()}.`;
  const pid = await unborn(prefix);
  await killFamilies(prefix, new Map([[1, null]]));
  expect(isAlive(pid)).toBe(false);
});

test('a live launcher with the same prefix and its new children are left alone', async () => {
  const prefix = `${randomUUID()}.`;
  const launcher = await unborn(prefix);
  await killFamilies(prefix, new Map([[1, null]]), () => new Set([launcher]));
  expect(isAlive(launcher)).toBe(true);
  // This process is the parent of the other one, as a launcher would be.
  await killFamilies(prefix, new Map([[1, null]]), () => new Set([process.pid]));
  expect(isAlive(launcher)).toBe(true);
});

test('a launcher that is started meanwhile is left alone, too', async () => {
  const prefix = `${randomUUID()}.`;
  const live = new Set<number>();
  let looks = 0;
  let later: Promise<number> | undefined;
  await killFamilies(prefix, new Map([[1, null]]), () => {
    looks += 1;
    later ??= unborn(prefix, (pid) => live.add(pid));
    return live;
  });
  // It was there for the second look at the latest.
  expect(looks).toBeGreaterThan(1);
  const pid = await later!;
  await killFamilies(prefix, new Map([[1, null]]), () => live);
  expect(isAlive(pid)).toBe(true);
});

test('nothing of another launcher is touched', async () => {
  const pid = await unborn(`${randomUUID()}.`);
  await killFamilies(`${randomUUID()}.`, new Map([[1, null]]));
  expect(isAlive(pid)).toBe(true);
});

test('the guardian kills it too, once nobody holds the lifeline, and ends', async () => {
  const prefix = `${randomUUID()}.`;
  const pid = await unborn(prefix);
  const guardian = new Guardian(prefix);
  guardian.ensure();
  guardian.lifeline!.end();
  await eventually('the end of the child', () => !isAlive(pid));
  await eventually('the end of the guardian', () => guardian.pid === null);
});
