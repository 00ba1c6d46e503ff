import type pg from 'pg';
import {
  type Row,
  type Script,
  type SqlValue,
  type Statement,
  type StatementResult,
  unexpectedChanges,
} from '../script.ts';
import { numberedSql } from './numbered-sql.ts';

/** Statements whose answers nobody waits for are sent ahead up to this many. */
const MOST_IN_FLIGHT = 200;
/** A server that is silent for longer than any statement may take is gone, even if the network does not say so. */
const SILENCE_MS = 75_000;

const NOW = 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now';

export const BEGIN = {
  read: 'begin isolation level repeatable read read only',
  write: 'begin isolation level read committed',
} as const;

/**
 * One transaction on a connection. Statements are sent without waiting for the answers to those before, where the
 * script does not need them: PostgreSQL answers in order, and refuses everything after the first that failed.
 */
export class Transaction {
  private readonly client: pg.PoolClient;
  private readonly watch: NodeJS.Timeout;
  private inFlight = 0;
  /** Woken when an answer arrives. */
  private roomFor: (() => void) | undefined;
  /** What went wrong first. */
  private failure: Error | undefined;

  constructor(client: pg.PoolClient) {
    this.client = client;
    this.watch = setTimeout(() => this.giveUp(), SILENCE_MS);
    this.watch.unref();
  }

  /** Begins. Returns the time: that of the database, unless a clock is given. */
  async begin(mode: keyof typeof BEGIN, clock: (() => number) | undefined): Promise<number> {
    if (clock !== undefined) {
      this.defer({ sql: BEGIN[mode], values: [] });
      return clock();
    }
    // Two statements in one message: one way to the database and back.
    const results = await this.send<pg.QueryResult[]>(`${BEGIN[mode]}; ${NOW}`);
    return results[1]!.rows[0].now as number;
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

  /** The number by which the outcome of a commit can be asked for later; null if nothing was changed. */
  async number(): Promise<string | null> {
    const { rows } = await this.execute({
      sql: 'select pg_current_xact_id_if_assigned()::text as xid',
      values: [],
    });
    return rows[0]!.xid as string | null;
  }

  async commit(): Promise<void> {
    await this.send('commit');
  }

  /** Undoes everything and gives the connection back; one that does not answer any more is dropped. */
  async rollback(): Promise<void> {
    this.failure = undefined;
    let isUsable = true;
    await this.send('rollback').catch(() => {
      isUsable = false;
    });
    this.release(isUsable);
  }

  release(isUsable: boolean): void {
    clearTimeout(this.watch);
    this.client.release(!isUsable);
  }

  private async execute(statement: Statement): Promise<StatementResult> {
    if (statement.lock === true || statement.expect !== undefined) {
      while (this.inFlight >= MOST_IN_FLIGHT)
        await new Promise<void>((resolve) => {
          this.roomFor = resolve;
        });
      if (this.failure !== undefined) throw this.failure;
      this.defer(statement);
      return { rows: [], changes: statement.expect ?? 0 };
    }
    const result = await this.send(queryOf(statement));
    return { rows: result.rows as Row[], changes: result.rowCount ?? 0 };
  }

  private defer(statement: Statement): void {
    this.inFlight += 1;
    this.client.query(queryOf(statement), (error: Error | null, result: pg.QueryResult) => {
      this.inFlight -= 1;
      this.answered();
      if (error !== null && error !== undefined) this.failure ??= error;
      else if (statement.expect !== undefined && result.rowCount !== statement.expect) {
        this.failure ??= unexpectedChanges(statement, result.rowCount ?? 0);
      }
    });
  }

  /** Waits for the answer, and with it for those to everything before. */
  private send<R = pg.QueryResult>(query: string | pg.QueryConfig): Promise<R> {
    return new Promise((resolve, reject) => {
      this.client.query(query as pg.QueryConfig, (error: Error | null, result: pg.QueryResult) => {
        this.answered();
        const failure = this.failure ?? error;
        if (failure === null || failure === undefined) resolve(result as R);
        else {
          this.failure = failure;
          reject(failure);
        }
      });
    });
  }

  private answered(): void {
    this.watch.refresh();
    this.roomFor?.();
    this.roomFor = undefined;
  }

  private giveUp(): void {
    (this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
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
