import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AllocationClock } from '../../src/worker/allocation-clock.ts';

const MINUTE = 60_000;

describe('the clock of an allocation', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** An allocation of ten minutes whose end a test may move. */
  async function started(answer: () => Promise<number | null>, times: object = {}) {
    const moments: string[] = [];
    const began = Date.now();
    const note = (what: string) => moments.push(`${what} after ${Math.round((Date.now() - began) / 1000)} s`);
    const clock = new AllocationClock(
      { takeUntilMs: MINUTE, endBeforeMs: MINUTE / 2, endsAt: answer, now: () => Date.now(), ...times },
      { stopTaking: () => note('stop taking'), endJobs: () => note('end jobs') },
    );
    await clock.start();
    return { clock, moments };
  }

  test('says when to take nothing more and when to end jobs', async () => {
    const end = Date.now() + 10 * MINUTE;
    const { clock, moments } = await started(async () => end);
    expect(clock.timeLeftMs).toBe(9.5 * MINUTE);
    await vi.advanceTimersByTimeAsync(8 * MINUTE);
    expect([moments, clock.isOver]).toEqual([[], false]);
    await vi.advanceTimersByTimeAsync(4 * MINUTE);
    expect(moments).toEqual(['stop taking after 540 s', 'end jobs after 570 s']);
    expect([clock.timeLeftMs, clock.isOver]).toEqual([0, true]);
  });

  test('follows an end that is moved, to later and to earlier', async () => {
    const began = Date.now();
    let end = began + 10 * MINUTE;
    const { moments } = await started(async () => end);
    await vi.advanceTimersByTimeAsync(8.5 * MINUTE);
    end = began + 20 * MINUTE;
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(moments).toEqual([]);
    end = began + 17 * MINUTE;
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    expect(moments).toEqual(['stop taking after 960 s', 'end jobs after 990 s']);
  });

  test('keeps the last end when nobody answers any more, and does not wait for who hangs', async () => {
    const end = Date.now() + 10 * MINUTE;
    let answers: Promise<number | null> = Promise.resolve(end);
    const { moments } = await started(() => answers);
    answers = Promise.resolve(null);
    await vi.advanceTimersByTimeAsync(8.5 * MINUTE);
    answers = new Promise(() => {});
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(moments).toEqual(['stop taking after 543 s', 'end jobs after 573 s']);
  });

  test('without any answer asks again, and knows of no end', async () => {
    let end: number | null = null;
    const { clock, moments } = await started(async () => end);
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    expect([clock.timeLeftMs, clock.isOver, moments]).toEqual([null, false, []]);
    end = Date.now() + 10 * MINUTE;
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(clock.timeLeftMs).toBe(end - 1.5 * MINUTE - (Date.now() - MINUTE));
  });

  test('an allocation that is shorter than both times takes nothing', async () => {
    const { moments } = await started(async () => Date.now() + 20_000);
    expect(moments).toEqual(['stop taking after 0 s', 'end jobs after 0 s']);
  });

  test('takes nothing that it would end at once, whatever the order of the times', async () => {
    const end = Date.now() + 10 * MINUTE;
    const { moments } = await started(async () => end, { takeUntilMs: 0 });
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(moments).toEqual(['stop taking after 570 s', 'end jobs after 570 s']);
  });
});
