/** `registered`: outputs of units that were finished in a run are valid. `invalidated`: none of them is any more. */
export const OUTPUT_EVENTS = ['registered', 'invalidated'] as const;

export type OutputEvent = (typeof OUTPUT_EVENTS)[number];

/** One file that a unit delivered. Paths are relative to where the jobs run, or absolute. */
export interface UnitOutput {
  unit: number;
  path: string;
}

/** How long a hook may run. */
export const HOOK_TIMEOUT_MS = 10 * 60_000;

/** After so many tries a hook that fails is given up. */
export const MOST_HOOK_TRIES = 10;

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 5 * 60_000;

/** The wait after so many failed tries: 1, 2, 4 s and so on, at most 5 minutes. */
export function hookDelayMs(tries: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1));
}

/** The same in every try, and in no other event. */
export function idempotencyKey(
  { name, version }: { name: string; version: number },
  event: OutputEvent,
  place: { round: number; run_id: number },
): string {
  const request = `${name}@${version}`;
  return event === 'registered'
    ? `${request}/registered/${place.round}/${place.run_id}`
    : `${request}/invalidated`;
}

/** The file that lists invalidated outputs, relative to the output directory. */
export function manifestPath({ name, version }: { name: string; version: number }): string {
  return `requests/${name}/v${version}/invalidated.json`;
}
