import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectionConfig, SESSION_SETTINGS } from './connection-config.ts';
import type { DatabaseAddress } from './database-address.ts';
import { databaseError, isConnectionLoss } from './database-errors.ts';

const IDLE_MS = 30_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;
/** A database that does not answer would keep its connections, and with them the process, for ever. */
const CLOSE_WITHIN_MS = 5_000;

/** Some connections to one database. A server that is away is waited for, with growing pauses. */
export class ConnectionPool {
  readonly #address: DatabaseAddress;
  readonly #pool: pg.Pool;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Socket>();

  constructor(address: DatabaseAddress, mode: 'read' | 'write', max: number) {
    this.#address = address;
    this.#pool = new pg.Pool({
      ...connectionConfig(address.url),
      max,
      idleTimeoutMillis: IDLE_MS,
      stream: () => this.#newSocket(),
    });
    // An idle connection that breaks is dropped by the pool; the next call makes a new one.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      client.on('error', () => {});
      client.query(SESSION_SETTINGS[mode], () => {});
    });
  }

  /** A connection of one's own until `release`; gives up at `deadline`, a time of `performance.now()`. */
  async acquire(deadline: number): Promise<pg.PoolClient> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        const isOver = this.#closing.signal.aborted || performance.now() + pause > deadline;
        if (isOver || !isConnectionLoss(error)) throw databaseError(error, this.#address);
        await delay(pause, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }

  /** Waits for the connections that are in use, but not for a database that does not answer. */
  async close(): Promise<void> {
    this.#closing.abort();
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_WITHIN_MS);
    await this.#pool.end();
    clearTimeout(cut);
    // Those that were idle have said goodbye; whether they are answered is of no interest.
    for (const socket of this.#sockets) socket.unref();
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
