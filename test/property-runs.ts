/**
 * HOLDFAST_PROPERTY_RUNS=10 makes every property test run ten times as many courses (default: 1). Not fewer: some count
 * what their courses have covered.
 */
export const FACTOR = Math.max(1, Number(process.env.HOLDFAST_PROPERTY_RUNS ?? 1));

/** How many courses a property test runs that normally runs so many. */
export function courses(normally: number): number {
  return Math.ceil(normally * FACTOR);
}
