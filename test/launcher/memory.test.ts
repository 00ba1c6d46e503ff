import { readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { launcherWorld } from './launcher-world.ts';

const MIB = 1024 ** 2;

/** Holds so many MiB, touched, in a child of the shell, and waits for good or the given time. */
function hold(mib: number, seconds: number): string {
  return `'${process.execPath}' -e "
    globalThis.held = Buffer.alloc(${mib} * 1048576, 1);
    console.log('held');
    setTimeout(() => {}, ${seconds * 1000});
  "; exit $?`;
}

describe('a memory limit', () => {
  test('ends an attempt whose processes hold more than it', async () => {
    const world = await launcherWorld();
    const ended = await world.run(hold(300, 600), { memoryBytes: 200 * MIB });
    expect(ended.outcome).toMatchObject({ oom: true, oom_evidence: 'sampler', timed_out: false });
    expect(ended.usage!.peak_rss_bytes).toBeGreaterThan(200 * MIB);
  });

  test('is only observed if it is not enforced', async () => {
    const world = await launcherWorld();
    const ended = await world.run(hold(300, 1.5), { memoryBytes: 200 * MIB, enforceMemory: false });
    expect(ended.outcome).toEqual(outcome({ exit_code: 0 }));
    expect(ended.usage!.peak_rss_bytes).toBeGreaterThan(300 * MIB);
    expect(ended.usage!.peak_rss_bytes).toBeLessThan(500 * MIB);
  });

  test('explains a SIGKILL by others when the attempt was near it', async () => {
    const world = await launcherWorld();
    const script = `'${process.execPath}' -e "
      globalThis.held = Buffer.alloc(300 * 1048576, 1);
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1500);
    "`;
    const { outcome: facts } = await world.run(script, { memoryBytes: 320 * MIB, enforceMemory: false });
    expect(facts).toMatchObject({ signal: 'SIGKILL', oom: true, oom_evidence: 'sigkill_near_limit' });
  });

  test('has nothing to do with a SIGKILL far from it', async () => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run('sleep 0.6; kill -KILL $$', { memoryBytes: 320 * MIB });
    expect(facts).toEqual(outcome({ signal: 'SIGKILL' }));
  });
});

describe('usage', () => {
  test('is null where the attempt was too short to sample', async () => {
    const world = await launcherWorld();
    expect((await world.run('true')).usage).toBeNull();
  });

  test('is sampled over time if the order asks for it', async () => {
    const world = await launcherWorld();
    const { usage, samples } = await world.run(hold(100, 1.5), { sampleMs: 250 });
    expect(samples!.length).toBeGreaterThan(0);
    expect(Math.max(...samples!.map(({ rss_bytes }) => rss_bytes))).toBe(usage!.peak_rss_bytes);
    expect(samples!.every(({ at_ms }, index) => at_ms - (samples![index - 1]?.at_ms ?? 0) >= 250)).toBe(true);
    expect(await world.run(hold(1, 0.6))).not.toHaveProperty('samples');
  });

  test('counts the time of the whole tree', async () => {
    const world = await launcherWorld();
    // Each of the two is ended by the kernel when it has used up a second.
    const spin = 'ulimit -t 1; while :; do :; done';
    const { usage } = await world.run(`(${spin}) & setsid -w bash -c '${spin}'; wait`);
    expect(usage!.cpu_seconds).toBeGreaterThan(0.5);
    expect(usage!.cpu_seconds).toBeLessThan(5);
  });
});

test('200 MB of output do not pass through the launcher', async () => {
  const world = await launcherWorld();
  await world.run('true');
  const [pid] = world.launchers.pids.launchers;
  const peakKiB = () => Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  const before = peakKiB();
  const job = world.start('head -c 200000000 /dev/zero');
  expect((await job.ended).outcome.exit_code).toBe(0);
  expect(statSync(job.order.stdoutPath).size).toBe(200_000_000);
  expect(peakKiB() - before).toBeLessThan(30 * 1024);
});
