const MINUTE_MS = 60_000;

/** After so many refusals in a row, in minutes; the last one from then on. */
const WAITS = [0, 1, 15, 30, 60];

/** How long nothing is submitted after this many refusals in a row. */
export function backOffMs(refusals: number): number {
  return WAITS[Math.min(Math.max(refusals, 1), WAITS.length) - 1]! * MINUTE_MS;
}

/** A cluster that does not answer is asked again after this time. */
export const ABSENT_MS = MINUTE_MS;

/** So many allocations in a row that end without their worker pause their scheduler. */
export const MOST_MISSES = 3;
