import type { SqlValue } from './script.ts';

/** Far below what any database takes as values of one statement. */
const MOST_ROWS = 64;
const MOST_IDS = 512;

/**
 * Parts of a list whose sizes are powers of two or sums of two of them: statements that write many rows then come in
 * few lengths, which a database can keep prepared, and most lists are one or two parts.
 */
export function inParts<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < rows.length; ) {
    const left = Math.min(rows.length - from, MOST_ROWS);
    const most = powerWithin(left);
    const size = most + powerWithin(left - most);
    parts.push(rows.slice(from, from + size));
    from += size;
  }
  return parts;
}

/** The largest power of two that is not more; 0 of 0. */
function powerWithin(count: number): number {
  return count === 0 ? 0 : 2 ** Math.floor(Math.log2(count));
}

/** Ids for `in` lists, filled up to a power of two with the last one: to name it twice changes nothing. */
export function idLists<T extends number | string = number>(ids: readonly T[]): T[][] {
  const lists: T[][] = [];
  for (let from = 0; from < ids.length; from += MOST_IDS) {
    const part = ids.slice(from, from + MOST_IDS);
    const size = 2 ** Math.ceil(Math.log2(part.length));
    lists.push([...part, ...Array<T>(size - part.length).fill(part.at(-1)!)]);
  }
  return lists;
}

/** `values` for an insert. */
export function valueRows(rows: readonly SqlValue[][]): { sql: string; values: SqlValue[] } {
  const row = `(${rows[0]!.map(() => '?').join(', ')})`;
  return { sql: `values ${Array(rows.length).fill(row).join(', ')}`, values: flat(rows) };
}

/** Takes a tenth of the time of `rows.flat()`. */
function flat(rows: readonly SqlValue[][]): SqlValue[] {
  const values: SqlValue[] = [];
  for (const row of rows) for (const value of row) values.push(value);
  return values;
}

/**
 * A table of values to join with, whose columns are `column1`, `column2` …; the first row gives the types, which
 * PostgreSQL would not know otherwise.
 */
export function valueTable(
  types: readonly string[],
  rows: readonly SqlValue[][],
): { sql: string; values: SqlValue[] } {
  const typed = `(${types.map((type) => `cast(? as ${type})`).join(', ')})`;
  const row = `(${types.map(() => '?').join(', ')})`;
  return {
    sql: `(values ${rows.map((_, index) => (index === 0 ? typed : row)).join(', ')})`,
    values: flat(rows),
  };
}
