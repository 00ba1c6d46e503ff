import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '../../core/errors.ts';
import { migrate } from '../migrate.ts';
import { all, lock, type Script } from '../script.ts';
import type { Store } from '../store.ts';
import { type CommitMark, CommitMarks, forgetMarks, isMarked, writeMark } from './commit-marks.ts';
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
  /** Upgrades an older schema, which is refused otherwise: other servers may be using it, and nobody has copied it. */
  mayUpgrade?: boolean;
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
 * another, or whose connection broke, is run again from its beginning. A commit whose answer was lost is looked up
 * by its mark, so that a script is never run twice nor reported as failed when it was not.
 */
export class PostgresStore implements Store {
  readonly #address: DatabaseAddress;
  readonly #clock: (() => number) | undefined;
  readonly #patienceMs: number;
  readonly #writers: ConnectionPool;
  readonly #readers: ConnectionPool;
  readonly #marks = new CommitMarks();
  #isMigrated = false;
  #closed = false;

  private constructor(address: DatabaseAddress, { clock, patienceMs = PATIENCE_MS }: PostgresOptions) {
    this.#address = address;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#writers = new ConnectionPool(address, 'write', WRITERS);
    this.#readers = new ConnectionPool(address, 'read', READERS);
  }

  /** Connects and brings the schema up to date. */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
    const store = new PostgresStore(readDatabaseUrl(url), options);
    try {
      await store.#transact(
        'write',
        () => migrateAlone(store.#address.name, options.mayUpgrade === true),
        options.openPatienceMs ?? OPEN_PATIENCE_MS,
      );
    } catch (error) {
      await store.close();
      throw error;
    }
    store.#isMigrated = true;
    await store.write(forgetMarks);
    return store;
  }

  read<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.#transact('read', script, this.#patienceMs);
  }

  write<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.#transact('write', script, this.#patienceMs);
  }

  /** The disk is elsewhere. */
  backup(): Promise<never> {
    const problem = 'the state is in PostgreSQL; `pg_dump` makes a consistent copy while it is used';
    return Promise.reject(new HoldfastError('INVALID_ARGUMENT', { argument: 'backup', problem }));
  }

  freeBytes(): null {
    return null;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#writers.close(), this.#readers.close()]);
  }

  async #transact<T>(
    mode: 'read' | 'write',
    script: (now: number) => Script<T>,
    patienceMs: number,
  ): Promise<T> {
    const deadline = performance.now() + patienceMs;
    for (let collisions = 0; ; ) {
      try {
        return await this.#attempt(mode, script, deadline);
      } catch (error) {
        const isCollided = isCollision(error) && collisions < MOST_COLLISIONS;
        if (isCollided) collisions += 1;
        const runsAgain =
          isCollided || (isConnectionLoss(error) && performance.now() < deadline && !this.#closed);
        if (!runsAgain) throw databaseError(error, this.#address);
        // Those who collided must not meet again at once.
        if (isCollided) await delay(Math.random() * 20 * collisions);
      }
    }
  }

  async #attempt<T>(
    mode: 'read' | 'write',
    script: (now: number) => Script<T>,
    deadline: number,
  ): Promise<T> {
    const transaction = new Transaction(
      await (mode === 'read' ? this.#readers : this.#writers).acquire(deadline),
      this.#clock,
    );
    const mark = mode === 'write' && this.#isMigrated ? this.#marks.take() : null;
    let value: T;
    try {
      transaction.begin(mode);
      if (mark !== null) await transaction.execute(writeMark(mark));
      // A script without a parameter needs no time, and its first statements leave together with `begin`.
      const now = script.length === 0 ? Number.NaN : await transaction.beginning();
      value = await transaction.play(script(now));
      await transaction.check();
    } catch (error) {
      if (mark !== null) this.#marks.giveBack(mark);
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
      const { number } = transaction;
      const isLost = mark !== null && number !== null && isConnectionLoss(error);
      if (isLost && (await this.#wasCommitted(number, mark, deadline))) return value;
      throw error;
    }
    if (mark !== null) this.#marks.giveBack(mark);
    transaction.release(true);
    return value;
  }

  /** Whether a transaction whose commit was not answered has been made durable. */
  async #wasCommitted(number: string, mark: CommitMark, deadline: number): Promise<boolean> {
    for (;;) {
      const outcome = await this.#outcomeOf(number, mark, deadline);
      // Its old connection still has it: the server has not noticed yet that nobody is there.
      if (outcome === null || performance.now() > deadline) throw this.#unknownOutcome();
      if (outcome !== 'in progress') return outcome === 'committed';
      await delay(100);
    }
  }

  async #outcomeOf(
    number: string,
    mark: CommitMark,
    deadline: number,
  ): Promise<'in progress' | 'committed' | 'lost' | null> {
    try {
      return await this.#transact(
        'read',
        function* () {
          const status = 'select pg_xact_status(cast(? as xid8)) as status';
          const [row] = yield* all<{ status: string | null }>(status, number);
          if (row!.status === 'in progress') return 'in progress';
          return (yield* isMarked(mark)) ? 'committed' : 'lost';
        },
        Math.max(deadline - performance.now(), OPEN_PATIENCE_MS),
      );
    } catch {
      return null;
    }
  }

  #unknownOutcome(): Error {
    return unreachable(
      this.#address,
      'it went away while a change was being saved, which may have been made or not; look before you ask for it again',
    );
  }
}

/** Servers that start at the same time take turns. */
function* migrateAlone(name: string, mayUpgrade: boolean): Script<void> {
  yield* lock('select pg_advisory_xact_lock(?)', MIGRATION_LOCK);
  yield* migrate('postgres', name, { mayUpgrade });
}
