import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../contract/engine.ts';
import type { Exchange, ExchangeResult } from '../../contract/records/exchange.ts';
import { HoldfastError } from '../../core/errors.ts';
import { monotonicNow } from '../launcher/monotonic-now.ts';
import { isCorrigible, isPassing } from './refusals.ts';

/** One that takes longer may stand still: there are some more tries within the lease. */
const EXCHANGE_MS = 8_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** So many failures in a row are not worth a word: the next try mostly succeeds. */
const UNREPORTED_FAILURES = 2;

/** Before the next try; jittered, so that the workers of a server that comes back do not all come at once. */
export function pauseBeforeTry(failures: number, random = Math.random): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + random() / 2);
}

export interface ExchangeAnswer {
  result: ExchangeResult;
  /** When the question was first sent, by `monotonicNow`: what it says of the lease counts from there. */
  sentAt: number;
}

/** What an exchange needs besides, where it is not answered at once. */
export interface Repeats {
  /** Waited for before each of them. */
  before?(): Promise<void>;
  /** Whether the worker has anything to lose: then what an operator can put right is waited for. */
  hasJobs?(): boolean;
}

/**
 * Asks an engine over a network that loses questions and answers. The only place where exchanges are numbered, stamped
 * with the time, and repeated: an exchange is sent again, under the same number, until there is an answer, and nothing
 * newer overtakes it.
 */
export class ExchangeSender {
  /** Of the last exchange. */
  #seq = 0;
  readonly #narrate: (line: string) => void;
  #givenUp: Error | null = null;
  /** How those who wait learn that it was given up. */
  readonly #waiting = new Set<(error: Error) => void>();
  #giveUpTimer: NodeJS.Timeout | undefined;

  constructor(narrate: (line: string) => void) {
    this.#narrate = narrate;
  }

  get hasGivenUp(): boolean {
    return this.#givenUp !== null;
  }

  /** A caller that waits for an answer after this time gets none. */
  giveUpWithin(ms: number): void {
    clearTimeout(this.#giveUpTimer);
    this.#giveUpTimer = setTimeout(() => {
      const problem = 'no answer in time';
      this.#givenUp = new HoldfastError('SERVER_UNREACHABLE', { url: 'the server', problem });
      for (const giveUp of this.#waiting) giveUp(this.#givenUp);
    }, ms);
    this.#giveUpTimer.unref();
  }

  /** Does nothing for a while; an error if it is given up meanwhile. */
  async pause(ms: number): Promise<void> {
    await this.#unlessGivenUp(sleep(ms));
  }

  /** Tries until it succeeds; an error that does not pass is thrown, unless `hasJobs` and an operator can put it right. */
  async insist<T>(ask: () => Promise<T>, hasJobs: () => boolean = () => false): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        const answer = await this.#unlessGivenUp(ask());
        if (failures > UNREPORTED_FAILURES) this.#narrate('the server answers again');
        return answer;
      } catch (error) {
        if (this.hasGivenUp || !(isPassing(error) || (isCorrigible(error) && hasJobs()))) throw error;
        if (failures === UNREPORTED_FAILURES) {
          const until = isPassing(error) ? '' : ' until the lease ends';
          this.#narrate(`${error.message}; trying again${until}`);
        }
        await this.#unlessGivenUp(sleep(pauseBeforeTry(failures)));
      }
    }
  }

  /**
   * An error if it is given up meanwhile. Each wait has a promise of its own: one that all of them are raced against would
   * keep every answer for as long as the worker lives.
   */
  async #unlessGivenUp<T>(work: Promise<T>): Promise<T> {
    let giveUp!: (error: Error) => void;
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    if (this.#givenUp !== null) giveUp(this.#givenUp);
    this.#waiting.add(giveUp);
    try {
      return await Promise.race([work, givenUp]);
    } finally {
      this.#waiting.delete(giveUp);
    }
  }

  /** The next exchange is the one after this: the last that the engine has accepted of the worker; 0 for a new one. */
  continueAfter(seq: number): void {
    this.#seq = seq;
  }

  /** One exchange, with the next number. */
  async exchange(
    engine: Engine,
    workerId: number,
    exchange: Exchange,
    repeats: Repeats = {},
  ): Promise<ExchangeAnswer> {
    const sentAt = monotonicNow();
    let isRepeat = false;
    this.#seq += 1;
    const numbered = { ...exchange, seq: this.#seq };
    const result = await this.insist(async () => {
      if (isRepeat) await repeats.before?.();
      isRepeat = true;
      return within(EXCHANGE_MS, engine.exchange(workerId, { ...numbered, sent_at_ms: Date.now() }));
    }, repeats.hasJobs);
    return { result, sentAt };
  }
}

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(noAnswer(ms)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function noAnswer(ms: number): HoldfastError {
  return new HoldfastError('SERVER_UNREACHABLE', { url: 'the server', problem: `no answer within ${ms} ms` });
}
