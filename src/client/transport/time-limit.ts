/** Aborts after a time, or with any of the signals. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #signals: readonly AbortSignal[];
  readonly #timer: NodeJS.Timeout;
  #isOver = false;

  constructor(ms: number, signals: readonly AbortSignal[]) {
    this.#signals = signals;
    this.#timer = setTimeout(() => {
      this.#isOver = true;
      this.#controller.abort();
    }, ms);
    for (const signal of signals) {
      if (signal.aborted) this.#controller.abort();
      signal.addEventListener('abort', this.#abort);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time was up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();
}
