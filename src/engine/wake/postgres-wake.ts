import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { connectionConfig } from '../../store/postgres/connection-config.ts';
import type { Wake } from './wake.ts';

/** Commits of one process are announced at most this often. */
const COALESCE_MS = 10;
/** The safety net: listeners are called this often even without a notice. */
const SWEEP_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** How long the last notice may take when the process wants to end. */
const LAST_NOTICE_MS = 2_000;

const CHANNEL = 'holdfast';

/**
 * Announces commits to everyone on the same database, over one connection that does nothing else. It
 * is made when it is first needed, and again when it breaks; listeners are called after that, because they may have
 * missed something.
 */
export class PostgresWake implements Wake {
  readonly #url: string;
  readonly #ownName = randomUUID();
  readonly #listeners = new Set<() => void>();
  #client: pg.Client | undefined;
  #socket: Socket | undefined;
  #connecting: Promise<void> | undefined;
  #isConnected = false;
  #pauseMs = FIRST_PAUSE_MS;
  #reconnecting: NodeJS.Timeout | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #notifying: NodeJS.Timeout | undefined;
  #notice: Promise<void> | undefined;
  /** Something was committed that was not announced yet. */
  #isUnsent = false;
  #isClosed = false;

  constructor(url: string) {
    this.#url = url;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#connect();
    if (this.#sweep === undefined) {
      this.#sweep = setInterval(() => this.#callListeners(), SWEEP_MS);
      this.#sweep.unref();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    };
  }

  poke(): void {
    if (this.#isClosed) return;
    this.#callListeners();
    this.#isUnsent = true;
    this.#connect();
    this.#notifying ??= setTimeout(() => {
      this.#notifying = undefined;
      this.#notifyOthers();
    }, COALESCE_MS);
    this.#notifying.unref();
  }

  /** Announces what was not announced yet, if that is possible, and disconnects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    clearInterval(this.#sweep);
    clearTimeout(this.#notifying);
    clearTimeout(this.#reconnecting);
    const client = this.#client;
    if (client === undefined) return;
    const end = async () => {
      if (this.#isUnsent) await this.#connecting;
      await this.#notifyOthers();
      await client.end();
    };
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_NOTICE_MS);
    });
    await Promise.race([end().catch(() => {}), tooLong]);
    clearTimeout(timer);
    // Left open towards a database that does not answer, it would keep the process.
    this.#socket?.destroy();
  }

  #callListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  #connect(): void {
    if (this.#client !== undefined || this.#reconnecting !== undefined || this.#isClosed) return;
    const socket = new Socket();
    const client = new pg.Client({ ...connectionConfig(this.#url), pipeline: false, stream: () => socket });
    this.#client = client;
    this.#socket = socket;
    const lose = () => this.#lose(client);
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => {
      if (payload !== this.#ownName) this.#callListeners();
    });
    this.#connecting = client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(() => {
        this.#isConnected = true;
        this.#pauseMs = FIRST_PAUSE_MS;
        this.#callListeners();
        return this.#isUnsent ? this.#notifyOthers() : undefined;
      })
      .catch(lose);
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#isConnected = false;
    client.end().catch(() => {});
    if (this.#isClosed) return;
    this.#reconnecting = setTimeout(() => {
      this.#reconnecting = undefined;
      this.#connect();
    }, this.#pauseMs);
    this.#reconnecting.unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  async #notifyOthers(): Promise<void> {
    // What is committed while a notice is on its way is announced by another one after it.
    if (this.#notice !== undefined) await this.#notice;
    if (!this.#isUnsent || !this.#isConnected || this.#notice !== undefined) return;
    this.#isUnsent = false;
    this.#notice = this.#notify();
    await this.#notice;
    this.#notice = undefined;
  }

  async #notify(): Promise<void> {
    try {
      await this.#client?.query(`select pg_notify('${CHANNEL}', '${this.#ownName}')`);
    } catch {
      this.#isUnsent = true;
    }
  }
}
