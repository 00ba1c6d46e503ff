import { describe, expect, test } from 'vitest';
import { ownThreadId, readCpuMs } from '../../src/sandbox/cpu-time.ts';
import { Pulse } from '../../src/sandbox/pulse.ts';

describe('the CPU time that code may still use', () => {
  /** As the thread has it, and as its watcher sees it. */
  function twoSides(): [Pulse, Pulse] {
    const thread = new Pulse();
    return [thread, new Pulse(thread.buffer)];
  }

  test('counts from its beginning', () => {
    const [thread, watcher] = twoSides();
    thread.begin(5000);
    expect(watcher.remaining(5000)).toBe(100);
    expect(watcher.remaining(5070)).toBe(30);
    expect(watcher.remaining(5130)).toBe(-30);
  });

  test('is more with each beat', () => {
    const [thread, watcher] = twoSides();
    thread.begin(0);
    thread.beat();
    thread.beat();
    expect(watcher.remaining(100)).toBe(8);
  });

  test('is untouched while nothing runs', () => {
    const [thread, watcher] = twoSides();
    thread.begin(0);
    thread.beat();
    thread.rest();
    thread.beat();
    expect(watcher.remaining(1_000_000)).toBe(100);
    thread.begin(2000);
    expect(watcher.remaining(2000)).toBe(100);
  });
});

describe('reading CPU times', () => {
  function work(): void {
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 100_000);
  }

  test.each([
    ['of the calling thread', ownThreadId()],
    ['of the process', null],
  ])('%s, they grow with its work', (_, threadId) => {
    const before = readCpuMs(threadId);
    work();
    expect(readCpuMs(threadId)).toBeGreaterThan(before);
  });

  test('of a thread that is not there, they are beyond every limit', () => {
    expect(readCpuMs(2 ** 30)).toBe(Number.POSITIVE_INFINITY);
  });
});
