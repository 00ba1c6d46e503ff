import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { refuseServer } from '../../config/refuse-server.ts';
import { writtenFileView } from '../../texts/spec/written-file-text.ts';

export const backupCommand: Command = async (context, { args }) => {
  const file = args[0]!;
  refuseServer(context, 'a backup is made where the state is; run it on the machine of the server');
  if (context.settings.database_url !== null) {
    throw refused('backup', 'the state is in PostgreSQL; `pg_dump` makes a consistent copy while it is used');
  }
  if (existsSync(file)) throw refused(file, 'exists already, and is left as it is');
  await (await context.openServedEngine({ create: false })).backup(resolve(file));
  context.show(writtenFileView, { file });
  return 0;
};

function refused(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
