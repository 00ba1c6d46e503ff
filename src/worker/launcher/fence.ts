import { monotonicNow } from './monotonic-now.ts';

/** Longest wait that a timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Until when attempts may live. A worker that holds a lease moves it on with each renewal; when it does not, because
 * it is stopped, dead or cut off, another worker may soon be given the same jobs.
 */
export class Fence {
  readonly #passed: () => void;
  #until = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** `passed` is called each time the end is reached. Until the first `move`, there is none. */
  constructor(passed: () => void) {
    this.#passed = passed;
  }

  /** `until` is a time of `monotonicNow`, so that it does not matter when it is heard. */
  move(until: number): void {
    this.check();
    this.#until = until;
    this.#arm();
  }

  /**
   * To be called before anything is believed that may have happened while this process stood still: its timers run after
   * what else it finds then, such as exits of attempts that the guardian has killed, and a renewal that comes too late.
   */
  check(): void {
    if (this.isClosed) this.#passed();
  }

  /** Nothing may live, and nothing may be started. */
  get isClosed(): boolean {
    return monotonicNow() >= this.#until;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const left = this.#until - monotonicNow();
    this.#timer = setTimeout(
      () => (this.isClosed ? this.#passed() : this.#arm()),
      Math.min(Math.max(0, Math.ceil(left)), MAX_TIMER_MS),
    );
  }
}
