export type SqlValue = string | number | null | Uint8Array;
export type Row = Record<string, SqlValue>;

/** One SQL statement with `?` placeholders, as a script hands it to the database. */
export interface Statement {
  sql: string;
  values: SqlValue[];
  /** Only takes locks: for databases with several writers at a time. SQLite has one, and skips it. */
  lock?: true;
}

export interface StatementResult {
  rows: Row[];
  /** Rows inserted, updated or deleted. */
  changes: number;
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

/** Returns the id of the inserted row. */
export function* insert(sql: string, ...values: SqlValue[]): Script<number> {
  const result = yield { sql: `${sql} returning id`, values };
  return result.rows[0]!.id as number;
}

/** For a compare-and-set that must hit exactly one row; anything else is a bug and rolls back. */
export function* changeOne(sql: string, ...values: SqlValue[]): Script<void> {
  const changes = yield* change(sql, ...values);
  if (changes !== 1) throw new Error(`expected to change one row, changed ${changes}: ${sql}`);
}

/** Takes locks until the end of the transaction. Rows are locked in the order of their ids, workers before workflows. */
export function* lock(sql: string, ...values: SqlValue[]): Script<void> {
  yield { sql, values, lock: true };
}

/** `(?, ?, ?)` for `in` lists. */
export function placeholders(count: number): string {
  return `(${Array.from({ length: count }, () => '?').join(', ')})`;
}
