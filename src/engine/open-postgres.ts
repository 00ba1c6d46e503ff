import { PostgresStore } from '../store/postgres/postgres-store.ts';
import type { Store } from '../store/store.ts';
import { PostgresWake } from './wake/postgres-wake.ts';
import type { Wake } from './wake/wake.ts';

/** A database on PostgreSQL, and the way to hear of its changes. */
export async function openPostgres(
  url: string,
  clock: (() => number) | undefined,
  mayUpgrade: boolean,
): Promise<{ store: Store; wake: Wake }> {
  const store = await PostgresStore.open(url, { mayUpgrade, ...(clock !== undefined && { clock }) });
  return { store, wake: new PostgresWake(url) };
}
