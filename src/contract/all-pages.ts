import type { PageQuery } from './engine.ts';
import type { Page } from './records/records.ts';

const PAGE_SIZE = 1000;

/** Every item of a paginated list. */
export async function allPages<T>(list: (page: PageQuery) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let after: number | null = null;
  do {
    const page: Page<T> = await list({ limit: PAGE_SIZE, ...(after === null ? {} : { after }) });
    for (const item of page.items) items.push(item);
    after = page.next;
  } while (after !== null);
  return items;
}
