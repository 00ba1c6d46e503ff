import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { storeConformance } from '../store/conformance.ts';
import { sharedPostgres } from './postgres-world.ts';

storeConformance('PostgreSQL', async () => {
  const postgres = await sharedPostgres();
  const { url, giveBack } = await postgres.borrowDatabase();
  return {
    open: () => PostgresStore.open(url),
    remove: giveBack,
  };
});
