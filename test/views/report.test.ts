import { describe, expect, test } from 'vitest';
import { TimelineSums } from '../../src/views/report/run-timeline.ts';
import { UsageSums, usageAdvice } from '../../src/views/report/usage-groups.ts';
import { utilization } from '../cli/decision-records.ts';
import { attempt } from '../cli/records.ts';

const MB = 1024 ** 2;

describe('a timeline', () => {
  test('has how many attempts ran at once, by how they ended', () => {
    const sums = new TimelineSums(1000, 1000 + 120_000);
    sums.add(attempt({ state: 'SUCCEEDED', started_at_ms: 1000, finished_at_ms: 61_000 }));
    sums.add(attempt({ state: 'FAILED', started_at_ms: 31_500, finished_at_ms: 32_000 }));
    sums.add(attempt({ state: 'RUNNING', started_at_ms: 61_000, finished_at_ms: null }));
    sums.add(attempt({ state: 'PENDING', started_at_ms: null, finished_at_ms: null }));
    const { parts, attempts } = sums.timeline;
    expect(attempts).toBe(3);
    expect([parts[0], parts[30], parts[59], parts[60], parts[119]]).toEqual([
      { good: 1, bad: 0, other: 0, runs: 0 },
      { good: 1, bad: 0.5, other: 0, runs: 0 },
      { good: 1, bad: 0, other: 0, runs: 0 },
      { good: 0, bad: 0, other: 0, runs: 1 },
      { good: 0, bad: 0, other: 0, runs: 1 },
    ]);
  });

  test('keeps the longest attempts of many, in the order in which they began', () => {
    const sums = new TimelineSums(0, 100_000);
    for (let index = 0; index < 5000; index += 1) {
      const length = index % 100 === 7 ? 500 : 1;
      sums.add(attempt({ job_name: `job_${index}`, started_at_ms: index, finished_at_ms: index + length }));
    }
    const { bars, attempts, parts } = sums.timeline;
    expect([attempts, bars.length, parts.length]).toEqual([5000, 60, 120]);
    expect(bars.filter((bar) => bar.to_ms - bar.from_ms === 500)).toHaveLength(50);
    expect(bars.map(({ from_ms }) => from_ms)).toEqual(
      bars.map(({ from_ms }) => from_ms).toSorted((a, b) => a - b),
    );
  });

  test('of a run of no length can be drawn', () => {
    const sums = new TimelineSums(5, 5);
    sums.add(attempt({ started_at_ms: 5, finished_at_ms: 5 }));
    expect(sums.timeline).toMatchObject({ from_ms: 5, to_ms: 6, attempts: 1 });
  });
});

describe('requested and used', () => {
  const group = (...jobs: Parameters<typeof utilization>[0][]) => {
    const sums = new UsageSums();
    for (const each of jobs) sums.add(utilization(each));
    return sums.groups;
  };
  const none = {
    memory_requested_bytes: null,
    peak_rss_bytes: null,
    runtime_limit_ms: null,
    ran_ms: null,
    cpus_requested: null,
    cpus_used: null,
  };

  test('are the most of jobs whose names differ in numbers only', () => {
    const found = group(
      { ...none, name: 'train_1', memory_requested_bytes: 1000 * MB, peak_rss_bytes: 950 * MB },
      { ...none, name: 'train_2', memory_requested_bytes: 1000 * MB, peak_rss_bytes: 10 * MB },
      { ...none, name: 'merge' },
    );
    expect(
      found.map(({ pattern, jobs, peak_rss_bytes, marks }) => [pattern, jobs, peak_rss_bytes, marks]),
    ).toEqual([
      ['train_*', 2, 950 * MB, { memory_high: 1, memory_low: 1 }],
      ['merge', 1, null, {}],
    ]);
    expect(usageAdvice(found[0]!)).toEqual([
      '1 of 2 jobs: more than 90 % of the memory was used; ask for 1.2g',
    ]);
    expect(usageAdvice(found[1]!)).toEqual([]);
  });

  test('lead to less only where it is enough for all', () => {
    const low = { ...none, runtime_limit_ms: 3_600_000, ran_ms: 4000, cpus_requested: 8, cpus_used: 1.2 };
    const [found] = group({ ...low, name: 'a_1' }, { ...low, name: 'a_2' });
    expect(usageAdvice(found!)).toEqual([
      'all 2 jobs: less than 20 % of the time was used; 5s is enough',
      'all 2 jobs: less than 20 % of the CPUs were busy; 2 is enough',
    ]);
  });

  test('of more kinds of jobs than a page shows are added up', () => {
    const letters = Array.from({ length: 70 }, (_, index) => 'x'.repeat(index + 1));
    const found = group(...letters.map((name) => ({ ...none, name })));
    expect(found.map(({ pattern, jobs }) => [pattern, jobs]).slice(0, 2)).toEqual([
      ['other jobs', 20],
      ['x', 1],
    ]);
  });
});
