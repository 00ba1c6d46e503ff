import { join } from 'node:path';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { RequestWorld } from './request-world.ts';

/** A way in past the engine, with the clock of the world. */
export async function openStoreOf({ dir, clock, database }: RequestWorld): Promise<Store> {
  const { databaseUrl } = database;
  const now = () => clock.now;
  return databaseUrl === undefined
    ? new SqliteStore(join(dir, 'holdfast.db'), now)
    : PostgresStore.open(databaseUrl, { clock: now });
}
