import { HoldfastError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Exchanged, SentExchange } from './exchange.ts';
import { renewTogether } from './renew-together.ts';

/** Renewals that share a transaction at the most. */
const MOST_AT_ONCE = 64;
/** From the beginning of one transaction to that of the next: those that come meanwhile share it. */
const PACE_MS = 25;

export type PauseFor = (ms: number) => Promise<void>;

interface Waiting extends SentExchange {
  resolve(renewed: Exchanged | null): void;
  reject(error: unknown): void;
}

/**
 * Renewals of one process share transactions, apart from exchanges that report or claim, so that neither waits for the
 * other. The first one is not delayed.
 */
export class RenewalQueue {
  readonly #store: Store;
  readonly #pause: PauseFor;
  readonly #waiting = new Map<number, Waiting>();
  #isMoving = false;
  #begunAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, pause: PauseFor) {
    this.#store = store;
    this.#pause = pause;
  }

  /** null: nothing was changed, and the worker needs a whole exchange. */
  renew(sent: SentExchange): Promise<Exchanged | null> {
    // The same exchange, sent again before it was answered: it is answered as one that was made before.
    if (this.#waiting.has(sent.workerId)) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#waiting.set(sent.workerId, { ...sent, resolve, reject });
      if (!this.#isMoving) void this.#move();
    });
  }

  async #move(): Promise<void> {
    this.#isMoving = true;
    while (this.#waiting.size > 0) {
      const early = this.#begunAt + PACE_MS - performance.now();
      if (early > 0) await this.#pause(early);
      this.#begunAt = performance.now();
      const group = [...this.#waiting.values()].slice(0, MOST_AT_ONCE);
      for (const { workerId } of group) this.#waiting.delete(workerId);
      await this.#settle(group);
    }
    this.#isMoving = false;
  }

  async #settle(group: readonly Waiting[]): Promise<void> {
    try {
      const renewed = await this.#store.write((now) => renewTogether(group, now));
      for (const [index, { resolve }] of group.entries()) resolve(renewed[index]!);
    } catch (error) {
      for (const { resolve, reject } of group) {
        if (error instanceof HoldfastError) reject(error);
        // What is unforeseen is left to the whole exchange of each worker, so that it hits only whom it concerns.
        else resolve(null);
      }
    }
  }
}
