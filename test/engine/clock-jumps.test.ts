import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';

const LEASE_MS = 6_000;

/** An engine whose clock can be set, and a worker on another host with a short lease. */
async function makeScene() {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-clock-'));
  const clock = { wall: 1_700_000_000_000, monotonic: 5_000 };
  const times = { clock: () => clock.wall, monotonic: () => clock.monotonic };
  const engine: ServedEngine = await openEngine({ dir, create: true, ...times });
  onTestFinished(async () => {
    await engine.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const identity = ownIdentity({ kind: 'service', cpus: 1, lease_ms: LEASE_MS, directory: '/srv' });
  const worker = await engine.registerWorker({ ...identity, host: 'elsewhere' }, 'ops');
  const pass = (ms: number) => {
    clock.wall += ms;
    clock.monotonic += ms;
    return engine.sweep();
  };
  await engine.start();
  await pass(0);
  return { clock, pass, worker, engine };
}

// A launcher ends its jobs by a clock that cannot be set: until then another attempt would be a second live one.
test.each([3_000, 20_000, 59_000, 3_600_000])(
  'a clock that is set forward by %i ms ends no lease before its time',
  async (jump) => {
    const { clock, pass } = await makeScene();
    expect(await pass(1_000)).toBe(0);
    clock.wall += jump;
    expect(await pass(3_000)).toBe(0);
    expect(await pass(LEASE_MS)).toBe(1);
  },
);

test('a clock that is set back and forward again ends no lease before its time', async () => {
  const { clock, pass } = await makeScene();
  clock.wall -= 30_000;
  expect(await pass(0)).toBe(0);
  clock.wall += 30_000;
  expect(await pass(3_000)).toBe(0);
  expect(await pass(LEASE_MS)).toBe(1);
});

test('time during which no server was up does not count after the clock was set back, either', async () => {
  const { clock, pass, engine } = await makeScene();
  clock.wall -= 3_600_000;
  await pass(3_000);
  clock.wall += 60_000;
  clock.monotonic += 60_000;
  await engine.start();
  expect(await engine.sweep()).toBe(0);
});
