import type { LinePlot } from '../../bench/line-plot.ts';

/** Everything that is measured at one time, by the name of its line. */
export interface Sample {
  minute: number;
  memory: Record<string, number>;
  descriptors: Record<string, number>;
  database: Record<string, number>;
  latency: Record<string, number>;
}

type Measure = Exclude<keyof Sample, 'minute'>;

/** How much the last third may exceed the first one: by a factor, and by so much that is noise. */
const LIMITS: Record<Measure, { title: string; unit: string; factor: number; noise: number }> = {
  memory: { title: 'Memory of processes', unit: 'MB', factor: 1.05, noise: 5 },
  descriptors: { title: 'Open descriptors', unit: 'descriptors', factor: 1, noise: 8 },
  database: { title: 'Database on disk', unit: 'MB', factor: 1.1, noise: 1 },
  // A busy machine is slower for a while; what grows without end is slower by far more.
  latency: { title: 'Latency, median of a sample', unit: 'ms', factor: 2, noise: 50 },
};
/** The share of latencies that a plot has room for. */
const SHOWN = 0.95;
const MEASURES = Object.keys(LIMITS) as Measure[];

export interface Trend {
  measure: Measure;
  line: string;
  unit: string;
  /** Medians of the first and the last third after the warm-up. */
  earlier: number;
  later: number;
  isFlat: boolean;
}

/** Compares the first and the last third of what was measured after the warm-up, which is a sixth of the time. */
export function trends(samples: readonly Sample[]): Trend[] {
  const warm = samples.slice(Math.ceil(samples.length / 6));
  const third = Math.ceil(warm.length / 3);
  return MEASURES.flatMap((measure) =>
    Object.keys(samples[0]?.[measure] ?? {}).map((line) => {
      const values = warm
        .map((sample) => sample[measure][line] ?? Number.NaN)
        .filter((value) => !Number.isNaN(value));
      const [earlier, later] = [median(values.slice(0, third)), median(values.slice(-third))];
      const { unit, factor, noise } = LIMITS[measure];
      return { measure, line, unit, earlier, later, isFlat: later <= earlier * factor + noise };
    }),
  );
}

export function plots(samples: readonly Sample[], database: string): Record<Measure, LinePlot> {
  const drawn = MEASURES.map((measure): [Measure, LinePlot] => {
    const names = Object.keys(samples[0]?.[measure] ?? {});
    const lines = names.map((name) => ({
      name,
      points: samples
        .filter((sample) => Number.isFinite(sample[measure][name]))
        .map(({ minute, [measure]: values }): [number, number] => [minute, values[name]!]),
    }));
    const { title, unit } = LIMITS[measure];
    const all = lines.flatMap(({ points }) => points.map(([, value]) => value)).sort((a, b) => a - b);
    // The rest of the machine makes some samples so slow that nothing else could be seen.
    const cut = measure === 'latency' ? { most: all[Math.floor(all.length * SHOWN)]! } : {};
    return [
      measure,
      { title: `${title}, ${database}`, x: 'minutes', y: unit, scale: 'linear', ...cut, lines },
    ];
  });
  return Object.fromEntries(drawn) as Record<Measure, LinePlot>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
