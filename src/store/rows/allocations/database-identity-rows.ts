import { first, run, type Script } from '../../script.ts';

/** The id of the database; `fresh` becomes it if there is none. */
export function* identifyDatabase(fresh: string): Script<string> {
  yield* run('insert into database_identity (slot, id) values (1, ?) on conflict (slot) do nothing', fresh);
  return (yield* findDatabaseId())!;
}

export function* findDatabaseId(): Script<string | undefined> {
  return (yield* first<{ id: string }>('select id from database_identity'))?.id;
}
