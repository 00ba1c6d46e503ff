import { randomBytes } from 'node:crypto';
import type { Engine } from '../contract/engine.ts';

/**
 * What happened since a version of another server nobody here knows, so that it is not waited for; but a proxy in
 * front of several servers brings the same client here again and again, at once after each answer.
 */
const STRANGE_WAIT_MS = 1_000;

/** One look at what the engine commits, for everybody who waits here. */
export class ChangeFeed {
  /** Distinguishes counts of this server from those of another one, or of an earlier process. */
  readonly #era = randomBytes(6).toString('hex');
  #count = 0;
  readonly #waiting = new Set<() => void>();
  readonly #unsubscribe: () => void;

  constructor(engine: Pick<Engine, 'onChange'>) {
    this.#unsubscribe = engine.onChange(() => {
      this.#count += 1;
      this.#wakeAll();
    });
  }

  get version(): string {
    return `${this.#era}.${this.#count}`;
  }

  /** Resolves once the version is another one, the time is over, or the signal says so. */
  async waitFor(since: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const isOwn = since.startsWith(`${this.#era}.`);
    if ((isOwn && since !== this.version) || timeoutMs <= 0 || signal.aborted) return;
    const longestMs = isOwn ? timeoutMs : Math.min(timeoutMs, STRANGE_WAIT_MS);
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, longestMs);
      signal.addEventListener('abort', done);
      this.#waiting.add(done);
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
