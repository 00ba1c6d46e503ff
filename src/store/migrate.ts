import { HoldfastError } from '../core/errors.ts';
import type { Dialect } from './dialect.ts';
import { initialSchema } from './migrations/0001-initial.ts';
import { owners } from './migrations/0002-owners.ts';
import { draining } from './migrations/0003-draining.ts';
import { all, change, type Script } from './script.ts';

/** Forward only; the position in the list, from 1, is the schema version. */
const MIGRATIONS: readonly ((dialect: Dialect) => string[])[] = [initialSchema, owners, draining];

export const SCHEMA_VERSION = MIGRATIONS.length;

interface MigrateOptions {
  /** false: a schema of an older version is refused. A new database gets its tables in any case. */
  mayUpgrade?: boolean;
  /** The version to stop at, to see how an older schema looked. */
  upTo?: number;
}

/** Brings the schema up to date; refuses one that a newer Holdfast wrote. `name` is the database in messages. */
export function* migrate(
  dialect: Dialect,
  name: string,
  { mayUpgrade = true, upTo = SCHEMA_VERSION }: MigrateOptions = {},
): Script<void> {
  yield* change('create table if not exists schema_version (version integer not null)');
  const rows = yield* all<{ version: number }>('select version from schema_version');
  const version = rows[0]?.version ?? 0;
  const facts = { path: name, found: version, known: SCHEMA_VERSION };
  if (version > SCHEMA_VERSION) throw new HoldfastError('SCHEMA_TOO_NEW', facts);
  if (version >= upTo) return;
  if (version > 0 && !mayUpgrade) throw new HoldfastError('SCHEMA_TOO_OLD', facts);
  for (const migration of MIGRATIONS.slice(version, upTo)) {
    for (const statement of migration(dialect)) yield* change(statement);
  }
  yield* change('delete from schema_version');
  yield* change('insert into schema_version (version) values (?)', upTo);
}
