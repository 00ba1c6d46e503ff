import { endpoints } from '../../contract/endpoints.ts';
import type { HttpConnection } from './http-connection.ts';
import { pause } from './pause.ts';

const WAIT_MS = 20_000;
const SLACK_MS = 10_000;
const RECONNECT_MS = 1_000;
/** A worker that does not act on news at once is busy. */
const LONGEST_REST_MS = 1_000;

/** Which worker a request is for, and what shows that it comes from its process. */
export interface RequestOfWorker {
  params: { worker_id: number };
  headers: Record<string, string>;
}

/**
 * Hears by a long poll whether there may be something for one worker. After news it asks again only when the worker
 * has exchanged: until then they would be the same.
 */
export class WorkerNews {
  readonly #connection: HttpConnection;
  readonly #worker: RequestOfWorker;
  readonly #listener: () => void;
  readonly #stopping = new AbortController();
  /** Ends the wait for the next exchange. */
  #asked: (() => void) | null = null;

  constructor(connection: HttpConnection, worker: RequestOfWorker, listener: () => void) {
    this.#connection = connection;
    this.#worker = worker;
    this.#listener = listener;
    void this.#poll(this.#stopping.signal);
  }

  /** The worker has exchanged. */
  exchanged(): void {
    this.#asked?.();
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#connection.isClosed) {
      try {
        const { news } = await this.#connection.call(endpoints.news, {
          ...this.#worker,
          query: { timeout_ms: WAIT_MS },
          timeoutMs: WAIT_MS + SLACK_MS,
          patienceMs: 0,
          signal,
        });
        if (signal.aborted) return;
        if (news) await this.#notify(signal);
      } catch {
        await pause(RECONNECT_MS * (0.5 + Math.random()), [signal]);
      }
    }
  }

  async #notify(signal: AbortSignal): Promise<void> {
    const asked = new AbortController();
    this.#asked = () => asked.abort();
    this.#listener();
    await pause(LONGEST_REST_MS, [signal, asked.signal]);
    this.#asked = null;
  }
}
