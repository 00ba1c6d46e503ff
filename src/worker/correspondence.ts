import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../core/engine.ts';
import { type ErrorCode, HoldfastError } from '../core/errors.ts';
import type { Exchange, ExchangeResult } from '../core/exchange.ts';
import { monotonicNow } from './launcher/monotonic-now.ts';

/** The engine may only be away for a while: nothing about the question was wrong. */
const PASSING = new Set<ErrorCode>([
  'SERVER_UNREACHABLE',
  'SHUTTING_DOWN',
  'DATABASE_UNREACHABLE',
  'STORE_FAILED',
]);

export function isPassing(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && PASSING.has(error.code);
}

/** One that takes longer may stand still: there are some more tries within the lease. */
const EXCHANGE_MS = 8_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Before the next try; jittered, so that the workers of a server that comes back do not all come at once. */
export function pauseBeforeTry(failures: number, random = Math.random): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + random() / 2);
}

export interface Answer {
  result: ExchangeResult;
  /** When the question was first sent, by `monotonicNow`: what it says of the lease counts from there. */
  sentAt: number;
}

/**
 * Asks an engine over a network that loses questions and answers. What was asked is asked again, under the same
 * number, until there is an answer; nothing newer overtakes it.
 */
export class Correspondence {
  hasGivenUp = false;
  private readonly narrate: (line: string) => void;
  private readonly givenUp: Promise<never>;
  private giveUp!: (error: Error) => void;
  private giveUpTimer: NodeJS.Timeout | undefined;

  constructor(narrate: (line: string) => void) {
    this.narrate = narrate;
    this.givenUp = new Promise((_, reject) => {
      this.giveUp = reject;
    });
    this.givenUp.catch(() => {});
  }

  /** Whoever waits for an answer after this time is told that there is none. */
  giveUpWithin(ms: number): void {
    clearTimeout(this.giveUpTimer);
    this.giveUpTimer = setTimeout(() => {
      this.hasGivenUp = true;
      this.giveUp(
        new HoldfastError('SERVER_UNREACHABLE', { url: 'the server', problem: 'no answer in time' }),
      );
    }, ms);
    this.giveUpTimer.unref();
  }

  /** Tries until it succeeds; an error that does not pass is thrown. */
  async insist<T>(ask: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        const answer = await Promise.race([ask(), this.givenUp]);
        if (failures > 0) this.narrate('the server answers again');
        return answer;
      } catch (error) {
        if (!isPassing(error) || this.hasGivenUp) throw error;
        if (failures === 0) this.narrate(`${error.message}; trying again`);
        await Promise.race([sleep(pauseBeforeTry(failures)), this.givenUp]);
      }
    }
  }

  /** One exchange, whose number must be one more than that of the last. */
  async exchange(engine: Engine, workerId: number, exchange: Exchange): Promise<Answer> {
    const sentAt = monotonicNow();
    const result = await this.insist(() =>
      within(EXCHANGE_MS, engine.exchange(workerId, { ...exchange, sent_at_ms: Date.now() })),
    );
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
