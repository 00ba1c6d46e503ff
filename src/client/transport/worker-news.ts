import { endpoints } from '../../contract/endpoints.ts';
import { hasGrown, queryOf } from '../../contract/operations/worker-room.ts';
import type { WorkerRoom } from '../../contract/records/worker-news.ts';
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
 * has exchanged: until then they would be the same. A poll says what the worker has free; when more becomes free, another
 * one takes its place.
 */
export class WorkerNews {
  readonly #connection: HttpConnection;
  readonly #worker: RequestOfWorker;
  readonly #listener: () => void;
  readonly #stopping = new AbortController();
  /** Ends the wait for the next exchange. */
  #asked: (() => void) | null = null;
  #room: WorkerRoom;
  /** The poll under way, and what it said. */
  #polled: { room: WorkerRoom; outdated: AbortController } | null = null;

  constructor(
    connection: HttpConnection,
    worker: RequestOfWorker,
    room: WorkerRoom = { workflow_id: null, free: null },
    listener: () => void,
  ) {
    this.#connection = connection;
    this.#worker = worker;
    this.#room = room;
    this.#listener = listener;
    void this.#poll(this.#stopping.signal);
  }

  /** The worker has exchanged, and has so much free after that. */
  exchanged(room: WorkerRoom): void {
    this.#room = room;
    this.#asked?.();
    if (this.#polled !== null && hasGrown(this.#polled.room, room)) this.#polled.outdated.abort();
  }

  stop(): void {
    this.#stopping.abort();
    this.#polled?.outdated.abort();
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#connection.isClosed) {
      const outdated = new AbortController();
      this.#polled = { room: this.#room, outdated };
      try {
        const { news } = await this.#connection.call(endpoints.news, {
          ...this.#worker,
          query: { timeout_ms: WAIT_MS, ...queryOf(this.#room) },
          timeoutMs: WAIT_MS + SLACK_MS,
          patienceMs: 0,
          signal: outdated.signal,
        });
        this.#polled = null;
        if (signal.aborted) return;
        if (news) await this.#notify(signal);
      } catch {
        this.#polled = null;
        if (outdated.signal.aborted) continue;
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
