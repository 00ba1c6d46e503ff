import { expect, test } from 'vitest';
import { WORKER_COLUMNS } from '../../src/store/rows/workflows/transfer-rows.ts';
import { WORKFLOW_TABLES } from '../../src/store/rows/workflows/workflow-content.ts';
import { all } from '../../src/store/script.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

test('every table of a workflow is known to deleting and exporting, with all of its columns', async () => {
  const store = new SqliteStore(':memory:');
  const columnsOf = (table: string) =>
    store.read(() => all<{ name: string }>(`select name from pragma_table_info('${table}')`));
  for (const { name, columns } of WORKFLOW_TABLES) {
    if (columns === null) continue;
    const stored = (await columnsOf(name)).map((column) => column.name);
    expect([name, Object.keys(columns).sort()]).toEqual([name, stored.sort()]);
  }
  const workers = (await columnsOf('worker')).map((column) => column.name);
  expect(workers).toEqual(expect.arrayContaining(Object.keys(WORKER_COLUMNS)));

  const known = new Set(WORKFLOW_TABLES.map(({ name }) => name));
  // A round belongs to its request, and the allocator of a workflow is whoever drives it.
  const others = new Set(['round', 'allocator']);
  const tables = await store.read(() =>
    all<{ name: string; sql: string }>(`select name, sql from sqlite_master where type = 'table'`),
  );
  const owned = tables.filter(({ sql }) =>
    /\bworkflow_id\b|references (job|attempt|unit|action)\b/.test(sql),
  );
  expect(owned.map(({ name }) => name).filter((name) => !known.has(name) && !others.has(name))).toEqual([]);
  await store.close();
});
