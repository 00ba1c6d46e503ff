import type { PageQuery } from './engine.ts';
import type { Page } from './records/records.ts';

const PAGE_SIZE = 1000;

type ListPage<T> = (page: PageQuery) => Promise<Page<T>>;

/** Every item of a paginated list. */
export async function allPages<T>(list: ListPage<T>): Promise<T[]> {
  return firstPages(list, Number.POSITIVE_INFINITY);
}

/** The first items of a paginated list, at most so many. */
export async function firstPages<T>(list: ListPage<T>, most: number): Promise<T[]> {
  const items: T[] = [];
  let after: number | null = null;
  do {
    const limit = Math.min(PAGE_SIZE, most - items.length);
    const page: Page<T> = await list({ limit, ...(after === null ? {} : { after }) });
    for (const item of page.items) items.push(item);
    after = page.next;
  } while (after !== null && items.length < most);
  return items;
}
