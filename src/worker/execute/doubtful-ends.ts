/**
 * Ends that may not be believed yet. Whoever takes a machine away ends the jobs on it and the worker together, so that an
 * exit just before the worker hears of it may be due to that. Each end waits for a while, and counts only if the
 * machine was not taken away meanwhile.
 */
export class DoubtfulEnds {
  readonly #holdMs: number;
  readonly #held: { dueAt: number; settle: Settle }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isTaken = false;

  /** 0: everything is believed at once. */
  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  get size(): number {
    return this.#held.length;
  }

  /** Calls back once, when it is known whether the end is to be believed. */
  hold(settle: Settle): void {
    if (this.#isTaken || this.#holdMs === 0) {
      settle(!this.#isTaken);
      return;
    }
    this.#held.push({ dueAt: performance.now() + this.#holdMs, settle });
    this.#arm();
  }

  /** The machine is being taken away: nothing is believed that waits, or comes from now on. */
  take(): void {
    this.#isTaken = true;
    clearTimeout(this.#timer);
    for (const { settle } of this.#held.splice(0)) settle(false);
  }

  #arm(): void {
    const [first] = this.#held;
    if (first === undefined || this.#timer !== undefined) return;
    // A turn later: after this process stood still, timers come before the signal that arrived meanwhile.
    this.#timer = setTimeout(() => setImmediate(() => this.#release()), first.dueAt - performance.now());
  }

  #release(): void {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#held[0] !== undefined && this.#held[0].dueAt <= now) this.#held.shift()!.settle(true);
    this.#arm();
  }
}

type Settle = (isBelieved: boolean) => void;
