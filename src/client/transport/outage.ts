import type { OutagePatience } from '../../contract/engine.ts';
import type { HoldfastError } from '../../core/errors.ts';

/** An absence that is shorter is not worth a word. */
const UNNOTICED_MS = 1_000;

/** Whether a server answers, and how long those who follow something on it wait until it does. */
export class Outage {
  readonly #waiting = new Set<OutagePatience>();
  #isAway = false;
  #isKnown = false;

  /** Waits from now on. Returns the way to stop. */
  waitOut(patience: OutagePatience): () => void {
    this.#waiting.add(patience);
    return () => void this.#waiting.delete(patience);
  }

  get isWaitedOut(): boolean {
    return this.#waiting.size > 0;
  }

  /** The server is away, and no caller waits for it any more. */
  get isGivenUp(): boolean {
    return this.#isAway && !this.isWaitedOut;
  }

  get patienceMs(): number {
    return Math.max(0, ...[...this.#waiting].map(({ patienceMs }) => patienceMs));
  }

  /** A question that was first asked so long ago was not answered. */
  failed(error: HoldfastError, sinceMs: number): void {
    if (!this.isWaitedOut) return;
    this.#isAway = true;
    if (this.#isKnown || sinceMs < UNNOTICED_MS) return;
    this.#isKnown = true;
    this.#notify(`${error.message}; waiting for the server`);
  }

  answered(): void {
    this.#isAway = false;
    if (!this.#isKnown) return;
    this.#isKnown = false;
    this.#notify('the server answers again');
  }

  #notify(line: string): void {
    for (const { notify } of this.#waiting) notify(line);
  }
}
