import { SCHEMA_VERSION } from '../../../store/migrate.ts';
import type { Command } from '../../command-context.ts';
import { refuseServer } from '../../config/refuse-server.ts';
import { schemaVersionView } from '../../texts/schema-version-text.ts';

/** Opening upgrades; on PostgreSQL only here. */
export const migrateCommand: Command = async (context) => {
  refuseServer(context, 'a database is upgraded where it is; run it on the machine of the server');
  await context.openServedEngine({ create: false, mayUpgrade: true });
  context.show(schemaVersionView, { schema_version: SCHEMA_VERSION });
  return 0;
};
