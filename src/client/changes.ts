import type { Engine } from '../contract/engine.ts';

/** The safety net: a wait is over after this long even without a notice. */
const POLL_MS = 1000;

/** Waits for something to look at again, until it is stopped. */
export class Changes {
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;
  #missed = false;
  #wake: (() => void) | null = null;
  #isOver = false;

  constructor(engine: Pick<Engine, 'onChange'>) {
    this.#unsubscribe = engine.onChange(this.notify);
    this.#timer = setInterval(this.notify, POLL_MS);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves at the next change, at once if one came since the last call. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#missed || this.#isOver) {
        this.#missed = false;
        resolve();
      } else {
        this.#wake = resolve;
      }
    });
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#unsubscribe();
    this.notify();
  }

  /** Something is to be looked at again. */
  readonly notify = (): void => {
    const wake = this.#wake;
    this.#wake = null;
    if (wake === null) this.#missed = true;
    else wake();
  };
}
