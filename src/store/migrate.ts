import { HoldfastError } from '../core/errors.ts';
import type { Dialect } from './dialect.ts';
import { initialSchema } from './migrations/0001-initial.ts';
import { owners } from './migrations/0002-owners.ts';
import { all, change, type Script } from './script.ts';

/** Forward only; the position in the list, from 1, is the schema version. */
const MIGRATIONS: readonly ((dialect: Dialect) => string[])[] = [initialSchema, owners];

/** Brings the schema up to date; refuses one that a newer Holdfast wrote. `name` is the database in messages. */
export function* migrate(dialect: Dialect, name: string): Script<void> {
  yield* change('create table if not exists schema_version (version integer not null)');
  const rows = yield* all<{ version: number }>('select version from schema_version');
  const version = rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new HoldfastError('SCHEMA_TOO_NEW', { path: name, found: version, known: MIGRATIONS.length });
  }
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) {
    for (const statement of migration(dialect)) yield* change(statement);
  }
  yield* change('delete from schema_version');
  yield* change('insert into schema_version (version) values (?)', MIGRATIONS.length);
}
