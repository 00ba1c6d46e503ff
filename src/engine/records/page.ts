import type { PageQuery } from '../../contract/engine.ts';
import type { Page } from '../../contract/records/records.ts';
import type { Script } from '../../store/script.ts';

const DEFAULT_LIMIT = 100;
export const LARGEST_PAGE = 1_000;
/** A page ends after the record that reaches this, however many were asked for. */
export const PAGE_BYTES = 1024 * 1024;
/** So many rows are read at a time, so that no more than these are in memory for nothing. */
const ROWS_AT_ONCE = 50;

export function pageLimit(query: PageQuery): number {
  return Math.min(Math.max(query.limit ?? DEFAULT_LIMIT, 1), LARGEST_PAGE);
}

/**
 * Reads rows until there are as many as were asked for, or as many bytes as a page may have. `key` says where the next
 * page continues; `read` gives the rows after one, and the first ones after `start`.
 */
export function* readPage<R extends object, T>(
  query: PageQuery,
  start: number,
  read: (after: number, limit: number) => Script<R[]>,
  record: (row: R) => T,
  key: (row: R) => number,
): Script<Page<T>> {
  const limit = pageLimit(query);
  const items: T[] = [];
  let bytes = 0;
  let after = query.after ?? start;
  for (;;) {
    const wanted = Math.min(limit - items.length, ROWS_AT_ONCE);
    const rows = yield* read(after, wanted);
    for (const row of rows) {
      items.push(record(row));
      bytes += textIn(row);
      after = key(row);
      if (items.length === limit || bytes >= PAGE_BYTES) return { items, next: after };
    }
    if (rows.length < wanted) return { items, next: null };
  }
}

function textIn(row: object): number {
  return Object.values(row).reduce(
    (sum: number, value: unknown) => sum + (typeof value === 'string' ? value.length : 8),
    0,
  );
}
