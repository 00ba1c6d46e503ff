import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { all } from '../../src/store/script.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { storeConformance } from './conformance.ts';

storeConformance('SQLite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-store-'));
  return {
    open: async () => new SqliteStore(join(dir, 'holdfast.db')),
    remove: async () => rmSync(dir, { recursive: true, force: true }),
  };
});

test('a state file that is no database is refused and left as it was', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-store-'));
  writeFileSync(
    join(dir, 'holdfast.db'),
    'this is a text file, not a database, and long enough to be read as one',
  );
  await expect(openEngine({ dir, create: true })).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  rmSync(dir, { recursive: true });
});

test('state that is not there is an error unless it may be made', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-store-'));
  await expect(openEngine({ dir: join(dir, 'none'), create: false })).rejects.toMatchObject({
    code: 'NO_STATE',
  });
  rmSync(dir, { recursive: true });
});

test('a store is opened and read while another process writes', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-store-'));
  const path = join(dir, 'holdfast.db');
  await new SqliteStore(path).close();
  const writer = openDatabase(path);
  writer.exec('begin immediate');
  const store = new SqliteStore(path);
  const rows = await store.read(() => all('select version from schema_version'));
  expect(rows).toHaveLength(1);
  writer.exec('rollback');
  writer.close();
  await store.close();
  rmSync(dir, { recursive: true });
});
