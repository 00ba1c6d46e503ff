import { isPattern, likePattern } from '../core/selection/glob.ts';

export type SqlValue = string | number | null | Uint8Array;
export type Row = Record<string, SqlValue>;

/** One SQL statement with `?` placeholders, as a script hands it to the database. */
export interface Statement {
  sql: string;
  values: SqlValue[];
  /** Nothing but locks, or help for a planner, as databases with several writers at a time need it; SQLite skips it. */
  lock?: true;
  /** What databases with several writers at a time add to the statement: a clause that locks the rows it selects. */
  locking?: string;
  /**
   * Only that it changes this many rows matters, or nothing at all if that may be any number. A database behind a network does not make the script wait for it: a
   * script whose statement changed another number of rows, or failed, hears of it with one of its next statements, at the
   * latest before the commit.
   */
  expect?: number | 'any';
  /** In place of one statement several, none of which needs the result of another. */
  group?: Statement[];
  /** In place of a statement: the time, as `now` of the only row. */
  clock?: true;
}

export interface StatementResult {
  rows: Row[];
  /** Rows inserted, updated or deleted. */
  changes: number;
  /** Of a group, in its order. */
  group?: StatementResult[];
}

/**
 * The body of a transaction, written once for every database: it yields statements and is resumed with
 * their results. SQLite runs it to the end without an await inside the transaction; a database behind a
 * network awaits each statement.
 */
export type Script<T> = Generator<Statement, T, StatementResult>;

export function* all<R>(sql: string, ...values: SqlValue[]): Script<R[]> {
  const result = yield { sql, values };
  return result.rows as R[];
}

export function* first<R>(sql: string, ...values: SqlValue[]): Script<R | undefined> {
  const result = yield { sql, values };
  return result.rows[0] as R | undefined;
}

/** Returns how many rows it changed. */
export function* change(sql: string, ...values: SqlValue[]): Script<number> {
  const result = yield { sql, values };
  return result.changes;
}

/**
 * The time at this point of the script. The time that a script is given is that of its beginning; another script may
 * have committed later times to the same rows while this one waited for their locks.
 */
export function* currentTime(): Script<number> {
  const result = yield { sql: '', values: [], clock: true };
  return result.rows[0]!.now as number;
}

/** However many rows it changes. */
export function* run(sql: string, ...values: SqlValue[]): Script<void> {
  yield { sql, values, expect: 'any' };
}

/** Returns the id of the inserted row. */
export function* insert(sql: string, ...values: SqlValue[]): Script<number> {
  const result = yield { sql: `${sql} returning id`, values };
  return result.rows[0]!.id as number;
}

/** For a compare-and-set that must hit exactly one row; anything else is a bug and rolls back. */
export function* changeOne(sql: string, ...values: SqlValue[]): Script<void> {
  yield { sql, values, expect: 1 };
}

/** The same for as many rows. */
export function* changeAll(count: number, sql: string, ...values: SqlValue[]): Script<void> {
  yield { sql, values, expect: count };
}

export function unexpectedChanges({ sql, expect }: Statement, changes: number): Error {
  return new Error(`expected to change ${expect} rows, changed ${changes}: ${sql}`);
}

/**
 * Scripts that do not depend on each other, side by side: a database behind a network is asked for the next statements
 * of all of them at once, and each continues to the first whose result it needs.
 */
export function* together<T extends unknown[]>(...scripts: { [K in keyof T]: Script<T[K]> }): Script<T> {
  const values: unknown[] = [];
  let open = scripts.map((script, index) => ({ script, index, ...advance(script) }));
  for (;;) {
    const group = open.flatMap(({ statements }) => statements);
    const results = group.length > 0 ? (yield { sql: '', values: [], group }).group! : [];
    let position = 0;
    for (const entry of open) {
      position += entry.statements.length;
      if (entry.step.done) values[entry.index] = entry.step.value;
      else Object.assign(entry, advance(entry.script, results[position - 1]!));
    }
    open = open.filter(({ index }) => !(index in values));
    if (open.length === 0) return values as T;
  }
}

interface Advance {
  /** All but the last are of the kind whose result nobody reads; the last is, too, if the script has ended. */
  statements: Statement[];
  step: IteratorResult<Statement, unknown>;
}

function advance(script: Script<unknown>, result?: StatementResult): Advance {
  const statements: Statement[] = [];
  let step = result === undefined ? script.next() : script.next(result);
  for (; !step.done; step = script.next(presumedResult(step.value))) {
    statements.push(step.value);
    if (!isPresumed(step.value)) break;
  }
  return { statements, step };
}

/** What it will change is known, or of no interest: whoever sends it need not wait. */
export function isPresumed({ lock, expect }: Statement): boolean {
  return lock === true || expect !== undefined;
}

/** The result of such a statement; if it turns out otherwise, the transaction fails. */
export function presumedResult({ expect }: Statement): StatementResult {
  return { rows: [], changes: typeof expect === 'number' ? expect : 0 };
}

/** Takes locks until the end of the transaction. Rows are locked in the order of their ids, workers before workflows. */
export function* lock(sql: string, ...values: SqlValue[]): Script<void> {
  yield { sql, values, lock: true };
}

/** `(?, ?, ?)` for `in` lists. Nothing is in an empty one, which PostgreSQL has no notation for. */
export function placeholders(count: number): string {
  if (count === 0) return '(null)';
  return `(${Array.from({ length: count }, () => '?').join(', ')})`;
}

/**
 * A value for `lower(column) like ? escape '\\'`: what contains the text or, with `*` or `?` in it, matches it as a whole. Upper
 * and lower case of plain letters are one, on every database.
 */
export function searched(text: string): string {
  return lowered(isPattern(text) ? likePattern(text) : `%${text.replace(/[\\%_]/g, '\\$&')}%`);
}

function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
