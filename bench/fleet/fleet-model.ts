import type { Cost } from './fleet-place.ts';
import type { Rhythm } from './fleet-worker.ts';

/** What one of each costs. */
export interface Constants {
  /** Servers and PostgreSQL, each second, when nothing is asked of them. */
  idle: Cost;
  renewal: Cost;
  /** An exchange that ends one job and claims one, while other workers wait for news. */
  completion: Cost;
  /** A long poll that ends without news. */
  poll: Cost;
  /** An event stream finds something new and sends it. */
  reading: Cost;
  /** Of the database, for each job from its creation to its end. */
  storedBytes: number;
  /** JSON of an exchange and its answer. */
  renewalBytes: number;
  completionBytes: number;
}

export interface Load {
  workers: number;
  rhythm: Rhythm;
  readers: number;
}

/** How often each of them happens, per second. */
export interface Rates {
  renewal: number;
  completion: number;
  poll: number;
  reading: number;
}

/** A stream sends after each commit, but not more often than this: it collects what comes within 20 ms. */
const READING_MS = 25;

/** Workers with one slot that are all busy. */
export function ratesOf({ workers, rhythm, readers }: Load): Rates {
  const exchanges = (workers * 1000) / rhythm.renewMs;
  const completion = exchanges / rhythm.exchangesPerJob;
  return {
    completion,
    renewal: exchanges - completion,
    poll: (workers * 1000) / rhythm.pollMs,
    reading: readers * Math.min(completion, 1000 / READING_MS),
  };
}

/** What that costs each second. */
export function costOf(rates: Rates, constants: Constants): Cost {
  const sum = (part: keyof Cost) =>
    constants.idle[part] +
    (['renewal', 'completion', 'poll', 'reading'] as const).reduce(
      (total, kind) => total + rates[kind] * constants[kind][part],
      0,
    );
  return {
    server: sum('server'),
    database: sum('database'),
    statements: sum('statements'),
    walBytes: sum('walBytes'),
  };
}
