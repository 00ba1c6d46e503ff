import type { ServedEngine } from '../contract/engine.ts';

/** Looks are at least so far apart, and wake so many workers for the same work at once. */
const PAUSE_MS = 5;
const AT_ONCE = 8;
/** A worker that was woken for work and got none is not woken again at once: what there is does not fit it. */
const FIRST_REST_MS = 20;
const LONGEST_REST_MS = 250;
/** Workers leave, and many without a word: beyond so many, those who have rested are forgotten. */
const MOST_RESTS = 1_000;

interface Waiting {
  workerId: number;
  answer: (news: boolean) => void;
}

/**
 * Wakes waiting workers when there may be something for them. One look answers for all of them: a hundred idle
 * workers cost one question after a commit, not a hundred transactions; and work for one of them does not wake the
 * whole hundred, but a few, then more while it is still there.
 */
export class NewsDesk {
  readonly #engine: Pick<ServedEngine, 'hasWork' | 'workersToNotify' | 'onChange'>;
  readonly #onProblem: (error: unknown) => void;
  readonly #unsubscribe: () => void;
  /** Longest waiting first. */
  readonly #waiting = new Set<Waiting>();
  readonly #rests = new Map<number, { ms: number; until: number }>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #again = false;
  #closed = false;

  constructor(
    engine: Pick<ServedEngine, 'hasWork' | 'workersToNotify' | 'onChange'>,
    onProblem: (error: unknown) => void,
  ) {
    this.#engine = engine;
    this.#onProblem = onProblem;
    this.#unsubscribe = engine.onChange(() => this.look());
  }

  /** Whether there may be something for the worker, at the latest when the time is over. */
  wait(workerId: number, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#closed || signal.aborted || timeoutMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const answer = (news: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#waiting.delete(entry);
        resolve(news);
      };
      const giveUp = () => answer(false);
      const timer = setTimeout(giveUp, timeoutMs);
      const entry = { workerId, answer };
      signal.addEventListener('abort', giveUp);
      this.#waiting.add(entry);
      // Something may have come between its last exchange and now.
      this.look();
    });
  }

  /** The worker got work: it is woken for more as soon as there is some. */
  gotWork(workerId: number): void {
    this.#rests.delete(workerId);
  }

  /** Soon, and once for all who ask meanwhile. */
  look(delayMs = PAUSE_MS): void {
    this.#again = true;
    if (this.#closed || this.#looking || this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#lookNow();
    }, delayMs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#unsubscribe();
    for (const { answer } of [...this.#waiting]) answer(false);
  }

  async #lookNow(): Promise<void> {
    this.#looking = true;
    this.#again = false;
    let restMs: number | null = null;
    try {
      const named = new Set(await this.#engine.workersToNotify());
      for (const { workerId, answer } of [...this.#waiting]) if (named.has(workerId)) answer(true);
      if (this.#waiting.size > 0 && (await this.#engine.hasWork())) restMs = this.#answerSome();
    } catch (error) {
      this.#onProblem(error);
    }
    this.#looking = false;
    if (restMs !== null) this.look(restMs);
    else if (this.#again) this.look();
  }

  /** Returns when to look again. */
  #answerSome(): number | null {
    const now = performance.now();
    const rested = [...this.#waiting].filter(
      ({ workerId }) => (this.#rests.get(workerId)?.until ?? 0) <= now,
    );
    for (const { workerId, answer } of rested.slice(0, AT_ONCE)) {
      const ms = Math.min((this.#rests.get(workerId)?.ms ?? FIRST_REST_MS / 2) * 2, LONGEST_REST_MS);
      this.#rests.set(workerId, { ms, until: now + ms });
      answer(true);
    }
    if (this.#rests.size > MOST_RESTS) {
      for (const [workerId, { until }] of this.#rests) if (until <= now) this.#rests.delete(workerId);
    }
    return this.#waiting.size === 0 ? null : rested.length > AT_ONCE ? PAUSE_MS : FIRST_REST_MS;
  }
}
