/** How long one try may take. */
export const NOTIFY_TIMEOUT_MS = 10_000;

/** After so many tries a message is given up: after about two hours. */
export const MOST_NOTIFY_TRIES = 12;

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30 * 60_000;

/** The wait after so many failed tries: 2, 6, 18 s and so on, at most half an hour; null: no more tries. */
export function notifyDelayMs(tries: number): number | null {
  if (tries >= MOST_NOTIFY_TRIES) return null;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 * 3 ** (tries - 1));
}
