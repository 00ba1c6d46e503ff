import type { Reader } from '../../../contract/by.ts';
import type { SqlValue } from '../../script.ts';

/** A condition of a statement, with its values. */
export interface Condition {
  sql: string;
  values: SqlValue[];
}

/**
 * Rows of `table` (`workflow` or `request`) that belong to the reader or to a group of theirs. Groups are a list in JSON
 * whose names need no escapes; `replace` distinguishes upper and lower case on both databases, `like` does not.
 */
export function owned(table: 'workflow' | 'request', { name, groups }: Reader): Condition {
  const inGroup = groups.map(() => ` or replace(${table}.access_groups, ?, '') <> ${table}.access_groups`);
  return {
    sql: `(${table}.owned_by = ?${inGroup.join('')})`,
    values: [name, ...groups.map((group) => JSON.stringify(group))],
  };
}

/** The same as `mayRead`, for lists. Without a reader there is no condition. */
export function readable(table: 'workflow' | 'request', reader: Reader | undefined): Condition {
  if (reader === undefined) return { sql: '', values: [] };
  const { sql, values } = owned(table, reader);
  return { sql: ` and (${table}.access_groups = '[]' or ${sql})`, values };
}

/** Rows with a `workflow_id` whose workflow the reader may see. */
export function inReadable(column: string, reader: Reader | undefined): Condition {
  if (reader === undefined) return { sql: '', values: [] };
  const { sql, values } = readable('workflow', reader);
  return { sql: ` and ${column} in (select workflow.id from workflow where 1 = 1${sql})`, values };
}
