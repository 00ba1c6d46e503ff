/** Distinguishes what is stuck from what is slow: it ends after a time in which nothing has changed. */
export class Patience {
  readonly #stillMs: number;
  readonly #mostMs: number;
  readonly #began: number;
  #changedAt: number;
  #seen = '';

  /** `mostMs`: what changes for ever is stuck as well. */
  constructor({ stillMs, mostMs }: { stillMs: number; mostMs: number }, now: number) {
    this.#stillMs = stillMs;
    this.#mostMs = mostMs;
    this.#began = now;
    this.#changedAt = now;
  }

  /** `seen` describes what is open, without anything that changes by itself. */
  isOver(seen: string, now: number): boolean {
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#changedAt = now;
    }
    return now - this.#changedAt >= this.#stillMs || now - this.#began >= this.#mostMs;
  }
}
