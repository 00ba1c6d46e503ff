import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../migrate.ts';
import { all, lock, type Script } from '../script.ts';
import type { Store } from '../store.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type DatabaseAddress, readDatabaseUrl } from './database-address.ts';
import { databaseError, isCollision, isConnectionLoss, unreachable } from './database-errors.ts';
import { Transaction } from './transaction.ts';

export interface PostgresOptions {
  /** Instead of the clock of the database. */
  clock?: () => number;
  /** How long a database that is away is waited for. */
  patienceMs?: number;
  /** The same while the store is being opened. */
  openPatienceMs?: number;
}

/** Writers wait for each other with a connection in hand; readers have their own, so that they never wait for them. */
const WRITERS = 8;
const READERS = 6;

const PATIENCE_MS = 30_000;
const OPEN_PATIENCE_MS = 10_000;
const MOST_COLLISIONS = 10;
/** Any number that nobody else takes: "holdfast" in letters of a telephone. */
const MIGRATION_LOCK = 46_533_278;

/**
 * PostgreSQL, shared by any number of processes. Writers take turns where scripts lock; a script that collided with
 * another, or whose connection broke, is run again from its beginning. A commit whose answer was lost is asked for
 * by its number, so that a script is never run twice nor reported as failed when it was not.
 */
export class PostgresStore implements Store {
  private readonly address: DatabaseAddress;
  private readonly clock: (() => number) | undefined;
  private readonly patienceMs: number;
  private readonly writers: ConnectionPool;
  private readonly readers: ConnectionPool;
  private closed = false;

  private constructor(address: DatabaseAddress, { clock, patienceMs = PATIENCE_MS }: PostgresOptions) {
    this.address = address;
    this.clock = clock;
    this.patienceMs = patienceMs;
    this.writers = new ConnectionPool(address, 'write', WRITERS);
    this.readers = new ConnectionPool(address, 'read', READERS);
  }

  /** Connects and brings the schema up to date. */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
    const store = new PostgresStore(readDatabaseUrl(url), options);
    try {
      await store.transact(
        'write',
        () => migrateAlone(store.address.name),
        options.openPatienceMs ?? OPEN_PATIENCE_MS,
      );
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  read<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.transact('read', script, this.patienceMs);
  }

  write<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.transact('write', script, this.patienceMs);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.all([this.writers.close(), this.readers.close()]);
  }

  private async transact<T>(
    mode: 'read' | 'write',
    script: (now: number) => Script<T>,
    patienceMs: number,
  ): Promise<T> {
    const deadline = performance.now() + patienceMs;
    for (let collisions = 0; ; ) {
      try {
        return await this.attempt(mode, script, deadline);
      } catch (error) {
        const isCollided = isCollision(error) && collisions < MOST_COLLISIONS;
        if (isCollided) collisions += 1;
        const runsAgain =
          isCollided || (isConnectionLoss(error) && performance.now() < deadline && !this.closed);
        if (!runsAgain) throw databaseError(error, this.address);
        // Those who collided must not meet again at once.
        if (isCollided) await delay(Math.random() * 20 * collisions);
      }
    }
  }

  private async attempt<T>(
    mode: 'read' | 'write',
    script: (now: number) => Script<T>,
    deadline: number,
  ): Promise<T> {
    const transaction = new Transaction(
      await (mode === 'read' ? this.readers : this.writers).acquire(deadline),
    );
    let value: T;
    let number: string | null;
    try {
      const begun = await transaction.begin(mode);
      number = begun.number;
      value = await transaction.play(script(this.clock?.() ?? begun.now));
      await transaction.flush();
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    if (mode === 'read') {
      // What was read is known; nobody waits for the end of it.
      void transaction.commit().then(
        () => transaction.release(true),
        () => transaction.release(false),
      );
      return value;
    }
    try {
      await transaction.commit();
    } catch (error) {
      transaction.release(false);
      if (number !== null && isConnectionLoss(error) && (await this.wasCommitted(number, deadline)))
        return value;
      throw error;
    }
    transaction.release(true);
    return value;
  }

  /** Whether a transaction whose commit was not answered has been made durable. */
  private async wasCommitted(number: string, deadline: number): Promise<boolean> {
    for (;;) {
      const status = await this.outcomeOf(number, deadline);
      if (status === 'committed' || status === 'aborted') return status === 'committed';
      // Its old connection still has it: the server has not noticed yet that nobody is there.
      if (status !== 'in progress' || performance.now() > deadline) throw this.unknownOutcome();
      await delay(100);
    }
  }

  private async outcomeOf(number: string, deadline: number): Promise<string | null> {
    try {
      const rows = await this.transact(
        'read',
        () => all<{ status: string | null }>('select pg_xact_status(cast(? as xid8)) as status', number),
        Math.max(deadline - performance.now(), OPEN_PATIENCE_MS),
      );
      return rows[0]!.status;
    } catch {
      return null;
    }
  }

  private unknownOutcome(): Error {
    return unreachable(
      this.address,
      'it went away while a change was being saved, which may have been made or not; look before you ask for it again',
    );
  }
}

/** Servers that start at the same time take turns. */
function* migrateAlone(name: string): Script<void> {
  yield* lock('select pg_advisory_xact_lock(?)', MIGRATION_LOCK);
  yield* migrate('postgres', name);
}
