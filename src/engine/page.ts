import type { PageQuery } from '../core/engine.ts';
import type { Page } from '../core/records.ts';

const DEFAULT_LIMIT = 100;
export const LARGEST_PAGE = 1_000;

export function pageLimit(query: PageQuery): number {
  return Math.min(Math.max(query.limit ?? DEFAULT_LIMIT, 1), LARGEST_PAGE);
}

/** `key` tells where the next page goes on; a page that is not full is the last. */
export function page<R, T>(
  rows: R[],
  limit: number,
  record: (row: R) => T,
  key: (row: R) => number,
): Page<T> {
  const last = rows.at(-1);
  return { items: rows.map(record), next: rows.length === limit && last !== undefined ? key(last) : null };
}
