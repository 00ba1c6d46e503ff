import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Databases } from '../engine/engine-world.ts';
import { sharedPostgres } from './postgres-world.ts';

/** Worlds of the engine on the PostgreSQL of this process. */
export const onPostgres: Databases = async () => {
  const postgres = await sharedPostgres();
  const { url, giveBack } = await postgres.borrowDatabase();
  return { databaseUrl: url, openStore: () => PostgresStore.open(url), remove: giveBack };
};
