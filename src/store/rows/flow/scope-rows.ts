import { inParts, valueRows } from '../../many-rows.ts';
import { first, run, type Script, type SqlValue } from '../../script.ts';

export interface ScopeRow {
  scope: string;
  item_index: number;
  total: number;
  /** JSON; null for the root. */
  item: string | null;
  loops: number;
}

export interface ItemScope {
  scope: string;
  index: number;
  value: unknown;
}

/** The scope of a workflow that is in no item. */
export function* putRootScope(workflowId: number): Script<void> {
  yield* run(
    `insert into scope (workflow_id, scope, item_index, total, item) values (?, '', 0, 0, null)`,
    workflowId,
  );
}

/** All items of a forEach; those that were there before start anew. */
export function* putItemScopes(workflowId: number, items: readonly ItemScope[]): Script<void> {
  for (const part of inParts(items)) {
    const { sql, values } = valueRows(
      part.map(({ scope, index, value }) => [workflowId, scope, index, items.length, JSON.stringify(value)]),
    );
    yield* run(
      `insert into scope (workflow_id, scope, item_index, total, item) ${sql}
       on conflict (workflow_id, scope) do update set item_index = excluded.item_index, total = excluded.total,
         item = excluded.item, loops = 0`,
      ...values,
    );
  }
}

export function* findScope(workflowId: number, scope: string): Script<ScopeRow> {
  return (yield* first<ScopeRow>(
    'select scope, item_index, total, item, loops from scope where workflow_id = ? and scope = ?',
    workflowId,
    scope,
  ))!;
}

/** One more re-attempt or jump; returns how many that makes. */
export function* addLoop(workflowId: number, scope: string): Script<number> {
  const row = yield* first<{ loops: number }>(
    'update scope set loops = loops + 1 where workflow_id = ? and scope = ? returning loops',
    workflowId,
    scope,
  );
  return row!.loops;
}

/** A new run: no route has been taken in it. */
export function* resetLoops(workflowId: number): Script<void> {
  yield* run('update scope set loops = 0 where workflow_id = ?', workflowId);
}

/** `list[0]/parts[2]` lies in `list[0]`, which lies in the root. */
export function enclosingScopes(scope: string): string[] {
  if (scope === '') return [''];
  const end = scope.lastIndexOf(']/');
  return [scope, ...enclosingScopes(end === -1 ? '' : scope.slice(0, end + 1))];
}

/** A condition for the jobs of a scope and of the items in it. */
export function inScope(column: string, scope: string): { sql: string; values: SqlValue[] } {
  if (scope === '') return { sql: '1 = 1', values: [] };
  // '0' follows '/': everything that begins with the scope and a slash.
  return {
    sql: `(${column} = ? or (${column} > ? and ${column} < ?))`,
    values: [scope, `${scope}/`, `${scope}0`],
  };
}

/** What a step in the scope calls the item: the step that put out the list. */
export function producerOf(scope: string): string {
  const start = scope.lastIndexOf(']/') + 1;
  return scope.slice(start === 0 ? 0 : start + 1, scope.lastIndexOf('['));
}
