import type { Random } from './random.ts';
import type { Database } from './world.ts';

/** Faults that last longer than a lease come less often; those that start no process cost least, and come most often. */
const WEIGHTS = {
  'kill server': 3,
  'pause server': 6,
  'end server': 1,
  'kill worker': 3,
  'pause worker': 6,
  'fence worker': 1,
  'drain worker': 1,
  'kill launcher': 3,
  'pause launcher': 6,
  'cut network': 3,
  'bad network': 3,
  'kill driver': 4,
  'pause driver': 3,
  'interrupt driver': 2,
  'kill postgres': 1,
  'stop postgres': 1,
  'pause postgres': 3,
  'end sessions': 5,
  'set server clock': 3,
  'set worker clock': 3,
  'set driver clock': 3,
  'fill state disk': 2,
  'fill output disk': 2,
  'fill driver disk': 2,
  'pause workflow': 3,
} as const;

export type FaultKind = keyof typeof WEIGHTS;
const ON_POSTGRES: readonly FaultKind[] = [
  'kill postgres',
  'stop postgres',
  'pause postgres',
  'end sessions',
];

/** What to break, chosen before anything runs, so that a seed gives the same list again. */
export interface Fault {
  kind: FaultKind;
  /** Which of several servers, workers, launchers, drivers or workflows. */
  which: number;
  ms: number;
  /** Of a clock. */
  jumpMs: number;
}

/** What is due by a clock that is then set back comes later by as much, so that large ones cost the campaign time. */
const CLOCK_JUMPS_MS = [-8_000, -5_000, -3_000, -2_000, 2_000, 3_000, 5_000, 8_000, 20_000];
const SMALL_JUMPS_MS = [-2_000, 2_000];

/** Faults that a world of this kind can have. `quick` leaves out those that outlast a lease. */
export function chooseFaults(
  random: Random,
  {
    count,
    database,
    hasDisks,
    quick,
  }: { count: number; database: Database; hasDisks: boolean; quick: boolean },
): Fault[] {
  const kinds = (Object.entries(WEIGHTS) as [FaultKind, number][])
    .filter(([kind]) => {
      if (ON_POSTGRES.includes(kind)) return database === 'postgres';
      if (kind === 'fill state disk') return hasDisks && database === 'sqlite';
      if (kind.startsWith('fill')) return hasDisks;
      return !(quick && kind === 'fence worker');
    })
    .flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));
  return Array.from({ length: count }, () => ({
    kind: random.pick(kinds),
    which: random.int(0, 1_000_000),
    ms: random.int(100, quick ? 600 : 1_000),
    jumpMs: random.pick(quick ? SMALL_JUMPS_MS : CLOCK_JUMPS_MS),
  }));
}
