import { all, changeOne, first, placeholders, run, type Script } from '../../script.ts';

/** Far below what any database takes as values of one statement. */
const NAMES_AT_ONCE = 500;

/** `data`: its first value as JSON. */
export function* insertUserData(
  workflowId: number,
  { name, data, is_ephemeral }: { name: string; data: string | null; is_ephemeral: boolean },
): Script<void> {
  yield* run(
    'insert into user_data (workflow_id, name, initial, data, is_ephemeral) values (?, ?, ?, ?, ?)',
    workflowId,
    name,
    data,
    data,
    is_ephemeral ? 1 : 0,
  );
}

/** The values of these names; one that has none is left out. */
export function* loadUserData(workflowId: number, names: readonly string[]): Script<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
    const part = names.slice(from, from + NAMES_AT_ONCE);
    const rows = yield* all<{ name: string; data: string }>(
      `select name, data from user_data
       where workflow_id = ? and data is not null and name in ${placeholders(part.length)}`,
      workflowId,
      ...part,
    );
    for (const { name, data } of rows) values.set(name, JSON.parse(data));
  }
  return values;
}

export function* setUserData(workflowId: number, name: string, data: unknown): Script<void> {
  yield* changeOne(
    'update user_data set data = ? where workflow_id = ? and name = ?',
    encodeUserData(data),
    workflowId,
    name,
  );
}

export function* listEphemeralNames(workflowId: number): Script<string[]> {
  const rows = yield* all<{ name: string }>(
    'select name from user_data where workflow_id = ? and is_ephemeral = 1 order by name',
    workflowId,
  );
  return rows.map((row) => row.name);
}

export interface UserDataRow {
  id: number;
  name: string;
  data: string | null;
  is_ephemeral: number;
}

const COLUMNS = 'id, name, data, is_ephemeral';

/** In the order in which they were declared. */
export function* listUserData(workflowId: number, after: number, limit: number): Script<UserDataRow[]> {
  return yield* all<UserDataRow>(
    `select ${COLUMNS} from user_data where workflow_id = ? and id > ? order by id limit ?`,
    workflowId,
    after,
    limit,
  );
}

export function* findUserData(workflowId: number, name: string): Script<UserDataRow | undefined> {
  return yield* first<UserDataRow>(
    `select ${COLUMNS} from user_data where workflow_id = ? and name = ?`,
    workflowId,
    name,
  );
}

/** Back to the first value. */
export function* restoreUserData(workflowId: number, name: string): Script<void> {
  yield* changeOne(
    'update user_data set data = initial where workflow_id = ? and name = ?',
    workflowId,
    name,
  );
}

/** A JSON null is no value. */
export function encodeUserData(data: unknown): string | null {
  const text = JSON.stringify(data ?? null);
  return text === 'null' ? null : text;
}
