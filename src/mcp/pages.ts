import type { PageQuery } from '../contract/engine.ts';
import type { Page } from '../contract/records/records.ts';

const PAGE_SIZE = 1000;

/** Items of a paginated list, at most so many. */
export async function firstPages<T>(
  fetch: (page: PageQuery) => Promise<Page<T>>,
  most: number,
): Promise<T[]> {
  const items: T[] = [];
  let after: number | null = null;
  do {
    const limit = Math.min(PAGE_SIZE, most - items.length);
    const page: Page<T> = await fetch({ limit, ...(after === null ? {} : { after }) });
    items.push(...page.items);
    after = page.next;
  } while (after !== null && items.length < most);
  return items;
}
