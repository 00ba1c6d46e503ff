import type { Duplex } from 'node:stream';
import type pg from 'pg';
import {
  isPresumed,
  presumedResult,
  type Row,
  type Script,
  type SqlValue,
  type Statement,
  type StatementResult,
  unexpectedChanges,
} from '../script.ts';
import { DATABASE_MS } from './commit-marks.ts';
import { numberedSql } from './numbered-sql.ts';

/** Statements whose answers nobody waits for are sent ahead up to this many. */
const MOST_IN_FLIGHT = 200;
/** A server that is silent for longer than any statement may take is gone, even if the network does not say so. */
const SILENCE_MS = 75_000;

const NOW = `${DATABASE_MS} as now`;

const BEGIN = {
  read: `begin isolation level repeatable read read only; select ${NOW}, null as number`,
  write: `begin isolation level read committed; select ${NOW}, pg_current_xact_id()::text as number`,
};

interface Begun {
  now: number;
  number: string | null;
}

/**
 * One transaction on a connection. Statements are sent without waiting for the answers to those before, where the
 * script does not need them: PostgreSQL answers in order, and refuses everything after the first that failed.
 */
export class Transaction {
  readonly #client: pg.PoolClient;
  /** Instead of the clock of the database. */
  readonly #clock: (() => number) | undefined;
  readonly #watch: NodeJS.Timeout;
  #inFlight = 0;
  /** Those in flight whose answers have to be seen before the commit. */
  #unchecked = 0;
  #now: number | undefined;
  #number: string | null = null;
  #isHeld = false;
  #isGrouping = false;
  /** Called when the next answer arrives. */
  #waiting: (() => void)[] = [];
  /** What went wrong first. */
  #failure: Error | undefined;

  constructor(client: pg.PoolClient, clock: (() => number) | undefined) {
    this.#client = client;
    this.#clock = clock;
    this.#watch = setTimeout(() => this.#giveUp(), SILENCE_MS);
    this.#watch.unref();
  }

  /** Of a writer that has begun: by it the outcome of its commit can be looked up later. */
  get number(): string | null {
    return this.#number;
  }

  /** Leaves with the first statement whose answer is awaited: no way to the database and back of its own. */
  begin(mode: 'read' | 'write'): void {
    this.#hold();
    this.#client.query(BEGIN[mode], (error: Error | null, results: unknown) => {
      this.#answered();
      if (error !== null && error !== undefined) {
        this.#failure ??= error;
        return;
      }
      const [, { rows }] = results as [pg.QueryResult, pg.QueryResult<Begun>];
      this.#now = rows[0]!.now;
      this.#number = rows[0]!.number;
    });
  }

  /** The time at which it began. */
  async beginning(): Promise<number> {
    if (this.#clock !== undefined) return this.#clock();
    this.#letGo();
    while (this.#now === undefined && this.#failure === undefined) await this.#answer();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#now!;
  }

  /** Runs the script to its end; everything that it did has been answered then. */
  async play<T>(script: Script<T>): Promise<T> {
    let step = script.next();
    while (!step.done) {
      let result: StatementResult;
      try {
        result = await this.execute(step.value);
      } catch (error) {
        step = script.throw(error);
        continue;
      }
      step = script.next(result);
    }
    return step.value;
  }

  /**
   * Everything that was sent has turned out as expected. What may change any number of rows is not waited for: if it
   * fails, PostgreSQL does not commit.
   */
  async check(): Promise<void> {
    if (this.#unchecked > 0) this.#letGo();
    while (this.#unchecked > 0) await this.#answer();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Rejects with what failed before it. */
  async commit(): Promise<void> {
    await this.#send('commit');
  }

  /** Undoes everything and gives the connection back; one that does not answer any more is dropped. */
  async rollback(): Promise<void> {
    const isUsable = await new Promise<boolean>((resolve) => {
      this.#client.query('rollback', (error: Error | null) => resolve(error === null || error === undefined));
      this.#letGo();
    });
    this.release(isUsable);
  }

  release(isUsable: boolean): void {
    clearTimeout(this.#watch);
    this.#client.release(!isUsable);
  }

  async execute(statement: Statement): Promise<StatementResult> {
    if (statement.group !== undefined) {
      this.#hold();
      // A group within a group leaves with the whole.
      const isWithin = this.#isGrouping;
      this.#isGrouping = true;
      const answers = statement.group.map((each) => this.execute(each));
      this.#isGrouping = isWithin;
      this.#letGo();
      return { rows: [], changes: 0, group: await Promise.all(answers) };
    }
    if (isPresumed(statement)) {
      // Those of a group stay in their order, however many they are.
      if (this.#inFlight >= MOST_IN_FLIGHT && !this.#isGrouping) {
        this.#letGo();
        while (this.#inFlight >= MOST_IN_FLIGHT) await this.#answer();
      }
      if (this.#failure !== undefined) throw this.#failure;
      this.#defer(statement);
      return presumedResult(statement);
    }
    if (statement.clock === true && this.#clock !== undefined) {
      return { rows: [{ now: this.#clock() }], changes: 0 };
    }
    const result = await this.#send(
      statement.clock === true ? { text: `select ${NOW}` } : queryOf(statement),
    );
    return { rows: result.rows as Row[], changes: result.rowCount ?? 0 };
  }

  /** What is sent from here on leaves with the next statement whose answer is awaited, in one message. */
  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    streamOf(this.#client).cork();
  }

  #letGo(): void {
    if (!this.#isHeld || this.#isGrouping) return;
    this.#isHeld = false;
    streamOf(this.#client).uncork();
  }

  #defer(statement: Statement): void {
    const isChecked = typeof statement.expect === 'number';
    this.#inFlight += 1;
    if (isChecked) this.#unchecked += 1;
    this.#hold();
    this.#client.query(queryOf(statement), (error: Error | null, result: pg.QueryResult) => {
      this.#inFlight -= 1;
      if (isChecked) this.#unchecked -= 1;
      this.#answered();
      if (error !== null && error !== undefined) this.#failure ??= error;
      else if (isChecked && result.rowCount !== statement.expect) {
        this.#failure ??= unexpectedChanges(statement, result.rowCount ?? 0);
      }
    });
  }

  /** Waits for the answer, and with it for those to everything before. */
  #send<R = pg.QueryResult>(query: string | pg.QueryConfig): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#client.query(query as pg.QueryConfig, (error: Error | null, result: pg.QueryResult) => {
        this.#answered();
        const failure = this.#failure ?? error;
        if (failure === null || failure === undefined) resolve(result as R);
        else {
          this.#failure = failure;
          reject(failure);
        }
      });
      this.#letGo();
    });
  }

  /** Waits for the next answer to anything. */
  #answer(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #answered(): void {
    this.#watch.refresh();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #giveUp(): void {
    streamOf(this.#client).destroy();
  }
}

function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}

function queryOf({ sql, values, locking }: Statement): pg.QueryConfig {
  const { text, name } = numberedSql(locking === undefined ? sql : `${sql} ${locking}`);
  const query: pg.QueryConfig = { text, values: values.map(storable) };
  if (name !== undefined) query.name = name;
  return query;
}

/** PostgreSQL stores no NUL in text. */
function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}
