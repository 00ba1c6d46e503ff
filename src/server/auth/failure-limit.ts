const WINDOW_MS = 60_000;
const MOST_FAILURES = 10;
/** So many addresses are remembered; beyond, the oldest are forgotten. */
const MOST_ADDRESSES = 10_000;

/** Counts requests with a wrong token by the address they come from. */
export class FailureLimit {
  readonly #failures = new Map<string, { count: number; until: number }>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Seconds to wait once there were too many; null as long as there were not. */
  count(address: string): number | null {
    const now = this.#clock();
    const known = this.#failures.get(address);
    const entry = known !== undefined && known.until > now ? known : { count: 0, until: now + WINDOW_MS };
    entry.count += 1;
    if (entry !== known) this.#remember(address, entry);
    return entry.count > MOST_FAILURES ? Math.ceil((entry.until - now) / 1000) : null;
  }

  #remember(address: string, entry: { count: number; until: number }): void {
    this.#failures.delete(address);
    this.#failures.set(address, entry);
    if (this.#failures.size <= MOST_ADDRESSES) return;
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined) this.#failures.delete(oldest);
  }
}
