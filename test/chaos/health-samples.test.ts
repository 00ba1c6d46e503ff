import { expect, test } from 'vitest';
import { drawPlot } from '../../bench/line-plot.ts';
import { plots, type Sample, trends } from '../../chaos/health/health-samples.ts';

/** An hour in which the server's memory follows a rule, and nothing else changes. */
function hour(memory: (minute: number) => number): Sample[] {
  return Array.from({ length: 120 }, (_, index) => ({
    minute: index / 2,
    memory: { server: memory(index / 2) },
    descriptors: { server: 30 },
    database: { database: 8 },
    latency: { read: index % 7 === 0 ? Number.NaN : 5 },
  }));
}

test.each<[string, (minute: number) => number, boolean]>([
  ['grows without end', (minute) => 100 + minute, false],
  ['grows while it warms up', (minute) => (minute < 8 ? 100 + minute * 10 : 180), true],
  ['goes up and down', (minute) => 150 + 40 * Math.sin(minute), true],
])('memory that %s', (_, memory, isFlat) => {
  const found = trends(hour(memory));
  expect(found.filter((trend) => !trend.isFlat).map(({ measure, line }) => [measure, line])).toEqual(
    isFlat ? [] : [['memory', 'server']],
  );
  expect(found).toHaveLength(4);
});

test('a plot has a line for each process, with minutes from 0', () => {
  const { memory } = plots(
    hour(() => 100),
    'SQLite',
  );
  const svg = drawPlot({ ...memory, lines: [...memory.lines, { name: 'worker 1', points: [[30, 100]] }] });
  expect(svg).toContain('>Memory of processes, SQLite</text>');
  for (const minute of ['0', '20', '40']) expect(svg).toContain(`>${minute}</text>`);
  // Lines that end at the same height have names below each other.
  const heights = ['server', 'worker 1'].map((name) =>
    Number(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`).exec(svg)![1]),
  );
  expect(Math.abs(heights[0]! - heights[1]!)).toBeGreaterThanOrEqual(14);
});
