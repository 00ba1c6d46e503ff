import type { AnswerOf } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { HttpConnection } from './http-connection.ts';
import { pause } from './pause.ts';

const WAIT_MS = 20_000;
/** What an answer may take beyond the wait. */
const SLACK_MS = 10_000;
const RECONNECT_MS = 1_000;

/** Hears of changes on a server by one long poll, as long as there are listeners. */
export class ServerChanges {
  readonly #connection: HttpConnection;
  readonly #listeners = new Set<() => void>();
  #polling: AbortController | null = null;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#polling === null) {
      this.#polling = new AbortController();
      void this.#poll(this.#polling.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#polling?.abort();
      this.#polling = null;
    };
  }

  /** After each connection listeners may have missed something, so that they are called then, too. */
  async #poll(signal: AbortSignal): Promise<void> {
    let since: string | null = null;
    while (!signal.aborted && !this.#connection.isClosed) {
      try {
        const answer: AnswerOf<typeof endpoints.changes> = await this.#connection.call(endpoints.changes, {
          query: since === null ? { timeout_ms: 0 } : { since, timeout_ms: WAIT_MS },
          timeoutMs: WAIT_MS + SLACK_MS,
          patienceMs: 0,
          signal,
        });
        if (signal.aborted) return;
        if (since === null || answer.changed) this.#notify();
        since = answer.version;
      } catch {
        // Whoever asks for something now hears what is wrong.
        since = null;
        await pause(RECONNECT_MS * (0.5 + Math.random()), [signal]);
      }
    }
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
