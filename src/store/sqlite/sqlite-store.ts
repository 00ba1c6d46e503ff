import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { HoldfastError } from '../../core/errors.ts';
import { migrate } from '../migrate.ts';
import { type Row, type Script, type Statement, type StatementResult, unexpectedChanges } from '../script.ts';
import type { Store } from '../store.ts';
import { copyDatabase } from './copy-database.ts';
import { type Database, openDatabase } from './database.ts';
import { growJournal } from './grow-journal.ts';
import { isOutOfSpace } from './is-out-of-space.ts';
import { defaultFreeBytes, isUpToDate, prepareUpgrade, shape } from './prepare-upgrade.ts';

/** How long a writer waits for another process before it gives up. */
const BUSY_TIMEOUT_MS = 20_000;
/** After so many writes there will be more, and a journal that does not grow pays. */
const MANY_WRITES = 16;
/** Less room is left to what needs it. */
const PLENTY_BYTES = 256 * 1024 * 1024;

type Prepared = ReturnType<Database['prepare']> & { returnsRows: boolean };

/**
 * SQLite in WAL mode with synchronous=FULL: what was committed survives the loss of the machine.
 * Several processes may have the same file open; writers queue, readers never wait.
 */
export class SqliteStore implements Store {
  readonly holdsThread = true;
  readonly #database: Database;
  readonly #prepared = new Map<string, Prepared>();
  readonly #clock: () => number;
  /** null: in memory. */
  readonly #path: string | null;
  /** Where the database is as it was before it was upgraded; null: it was not. */
  readonly upgradeCopy: string | null;
  #writes = 0;
  #closed = false;

  /** Opens or creates the file and brings its schema up to date. */
  constructor(path: string, clock: () => number = Date.now) {
    this.#clock = clock;
    this.#path = path === ':memory:' ? null : path;
    this.#database = openDatabase(path);
    this.#database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.upgradeCopy = this.#path === null ? null : this.#prepareUpgrade(path);
    patiently(() => this.#database.exec('pragma journal_mode = wal'));
    this.#database.exec('pragma synchronous = full');
    this.#database.exec('pragma foreign_keys = on');
    this.#database.exec('pragma cache_size = -16000');
    try {
      // Those who come to read do not wait for those who write.
      if (!isUpToDate(this.#database)) this.#transact('begin immediate', () => migrate('sqlite', path));
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Before anything is changed: a file that is refused stays as it is, byte by byte. */
  #prepareUpgrade(path: string): string | null {
    let copy: string | null = null;
    try {
      patiently(() => {
        copy = prepareUpgrade(this.#database, path, UPGRADE_FACTS);
      });
    } catch (error) {
      this.#database.close();
      throw error;
    }
    return copy;
  }

  async read<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.#transact('begin', script);
  }

  async write<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.#transact('begin immediate', (now) => {
      this.#writes += 1;
      if (this.#writes === MANY_WRITES) this.#growJournal();
      return script(now);
    });
  }

  freeBytes(): number | null {
    if (this.#path === null) return null;
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize;
  }

  async backup(path: string): Promise<void> {
    copyDatabase(this.#database, path);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#prepared.clear();
    this.#database.close();
    // Node's own SQLite lets go of the files now. Its twin does so in a turn of the event loop after the statements
    // were collected, which has to come also where one store after another is opened and nothing is waited for.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #growJournal(): void {
    const free = this.freeBytes();
    if (this.#path !== null && free !== null && free > PLENTY_BYTES) growJournal(this.#path);
  }

  #transact<T>(begin: string, script: (now: number) => Script<T>): T {
    try {
      this.#database.exec(begin);
      try {
        const value = this.#play(script(this.#clock()));
        this.#database.exec('commit');
        return value;
      } catch (error) {
        this.#rollback();
        throw error;
      }
    } catch (error) {
      throw storeError(error, this.#path ?? ':memory:', () => this.freeBytes());
    }
  }

  /** No await in here: a transaction never spans a turn of the event loop. */
  #play<T>(script: Script<T>): T {
    let step = script.next();
    while (!step.done) {
      let result: StatementResult;
      try {
        result = this.#execute(step.value);
      } catch (error) {
        step = script.throw(error);
        continue;
      }
      step = script.next(result);
    }
    return step.value;
  }

  #execute(wanted: Statement): StatementResult {
    const { sql, values, lock, expect, group, clock } = wanted;
    if (group !== undefined) return { rows: [], changes: 0, group: group.map((each) => this.#execute(each)) };
    if (lock === true) return { rows: [], changes: 0 };
    if (clock === true) return { rows: [{ now: this.#clock() }], changes: 0 };
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      const returnsRows = /^\s*(select|with|pragma)\b/i.test(sql) || /\breturning\b/i.test(sql);
      statement = Object.assign(this.#database.prepare(sql), { returnsRows });
      this.#prepared.set(sql, statement);
    }
    if (statement.returnsRows) {
      const rows = statement.all(...values) as Row[];
      return { rows, changes: rows.length };
    }
    const changes = Number(statement.run(...values).changes);
    if (typeof expect === 'number' && changes !== expect) throw unexpectedChanges(wanted, changes);
    return { rows: [], changes };
  }

  #rollback(): void {
    try {
      this.#database.exec('rollback');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }
}

/** SQLite does not wait for others where two processes make a new file at once; one of them finds it locked. */
function patiently(attempt: () => void): void {
  const end = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      attempt();
      return;
    } catch (error) {
      if (!/database is locked/.test((error as Error).message) || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** The schema as an older version left it, made in memory. */
function shapeOf(version: number): Set<string> {
  const database = openDatabase(':memory:');
  const script = migrate('sqlite', ':memory:', { upTo: version });
  for (let step = script.next(); !step.done; ) {
    const { sql, values } = step.value;
    const statement = database.prepare(sql);
    const rows = /^select/.test(sql) ? (statement.all(...values) as Row[]) : [];
    if (!/^select/.test(sql)) statement.run(...values);
    step = script.next({ rows, changes: 0 });
  }
  const found = shape(database);
  database.close();
  return found;
}

const UPGRADE_FACTS = { shapeOf, freeBytes: defaultFreeBytes };

/** Errors of the disk and the file become product errors; everything else is a bug and stays as it is. */
function storeError(error: unknown, path: string, freeBytes: () => number | null): unknown {
  if (error instanceof HoldfastError || !(error instanceof Error)) return error;
  if (isOutOfSpace(error, freeBytes)) {
    return new HoldfastError('DISK_FULL', { problem: error.message }, error);
  }
  if (/no such (table|column)|has no column named/.test(error.message)) {
    return new HoldfastError('SCHEMA_UNKNOWN', { path, problem: error.message }, error);
  }
  const problem = /disk I\/O error|readonly database|database is locked|unable to open|malformed/i.exec(
    error.message,
  );
  return problem ? new HoldfastError('STORE_FAILED', { problem: error.message }, error) : error;
}
