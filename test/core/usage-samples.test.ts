import { describe, expect, test } from 'vitest';
import { MOST_SAMPLES, SampleSeries } from '../../src/core/job/usage-samples.ts';

const sample = (at_ms: number) => ({ at_ms, rss_bytes: at_ms * 2, cpu_ms: at_ms / 2 });

describe('a series of samples', () => {
  test('leaves out what comes before its interval is over', () => {
    const series = new SampleSeries(1000);
    for (const at of [250, 500, 1240, 1250, 2000, 2250]) series.add(sample(at));
    expect(series.samples.map(({ at_ms }) => at_ms)).toEqual([250, 1250, 2250]);
  });

  test('never has more than it may, and still covers all of the time', () => {
    const series = new SampleSeries(250);
    for (let at = 250; at <= 250 * 10_000; at += 250) {
      series.add(sample(at));
      if (series.samples.length > MOST_SAMPLES) throw new Error(`${series.samples.length} samples`);
    }
    const times = series.samples.map(({ at_ms }) => at_ms);
    expect(times[0]).toBe(250);
    expect(times.at(-1)).toBeGreaterThan(250 * 9_900);
    expect(times.length).toBeGreaterThanOrEqual(MOST_SAMPLES / 2);
    const gaps = times.slice(1).map((at, index) => at - times[index]!);
    expect(new Set(gaps)).toEqual(new Set([gaps[0]]));
  });
});
