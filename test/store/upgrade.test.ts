import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { migrate, SCHEMA_VERSION } from '../../src/store/migrate.ts';
import { all, change } from '../../src/store/script.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/database.ts';
import { prepareUpgrade, shape } from '../../src/store/sqlite/prepare-upgrade.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const STORED = resolve(import.meta.dirname, 'stored');

/** A state directory with a database that an earlier Holdfast wrote; see stored/README.md. */
function stateWith(name: string): { dir: string; path: string; files: () => string[] } {
  const dir = join(mkdtempSync(join(tmpdir(), 'holdfast-upgrade-')), '.holdfast');
  mkdirSync(dir);
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'holdfast.db');
  writeFileSync(path, gunzipSync(readFileSync(join(STORED, `${name}.db.gz`))));
  return { dir, path, files: () => readdirSync(dir).filter((file) => file.includes('backup')) };
}

function using<T>(path: string, use: (database: Database) => T): T {
  const database = openDatabase(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

const versionIn = (database: Database) => database.prepare('select version from schema_version').all();

describe('a database of version 1', () => {
  test('is upgraded, and kept beside as it was', async () => {
    const { dir, path, files } = stateWith('version-1');
    const copies: string[] = [];
    const engine = await openEngine({ dir, create: false, onUpgrade: (copy) => copies.push(copy) });
    const { items } = await engine.listWorkflows();
    const kept = [
      items.map(({ name, user, owner, access_groups }) => ({ name, user, owner, access_groups })),
      (await engine.listRequests()).items.map(({ request_name, status, owner }) => [
        request_name,
        status,
        owner,
      ]),
      (await engine.listTokens()).map(({ name, role }) => [name, role]),
      (await engine.status(1)).counts.failed + (await engine.status(1)).counts.pending_failed,
    ];
    await engine.close();
    expect(kept).toEqual([
      [
        { name: 'events-v1-round-1', user: null, owner: 'root', access_groups: [] },
        { name: 'nightly', user: 'ada', owner: 'root', access_groups: [] },
      ],
      [['events', 'COMPLETED', 'root']],
      [['ada', 'operator']],
      1,
    ]);
    const copy = `${path}.v1-backup`;
    expect([copies, files()]).toEqual([[copy], ['holdfast.db.v1-backup']]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(using(copy, versionIn)).toEqual([{ version: 1 }]);
    expect(using(copy, (database) => shape(database).has('workflow.owned_by'))).toBe(false);
    // The same tables as those of a new one, and nothing to do the next time.
    const fresh = join(dir, 'fresh.db');
    await new SqliteStore(fresh).close();
    expect(using(path, shape)).toEqual(using(fresh, shape));
    await new SqliteStore(path).close();
    expect(files()).toHaveLength(1);
  });

  test('stays as it was if its upgrade fails half-way', async () => {
    const { dir, path, files } = stateWith('version-1');
    using(path, (database) => database.exec('alter table request add column owned_by text'));
    const before = using(path, shape);
    await expect(openEngine({ dir, create: false })).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('duplicate column name: owned_by'),
    });
    expect(using(path, versionIn)).toEqual([{ version: 1 }]);
    expect(using(path, shape)).toEqual(before);
    expect(files()).toEqual(['holdfast.db.v1-backup']);
  });

  test('is not upgraded without room for the copy', () => {
    const { path, files } = stateWith('version-1');
    const facts = { shapeOf: () => new Set<string>(), freeBytes: () => 1000 };
    expect(() => using(path, (database) => prepareUpgrade(database, path, facts))).toThrow(
      expect.objectContaining({
        code: 'STATE_UNUSABLE',
        message: expect.stringMatching(/from schema version 1 to 3 needs .* for a copy, and .* are free$/),
      }),
    );
    expect(files()).toEqual([]);
  });

  test('leaves an earlier copy as it is', async () => {
    const { path, files } = stateWith('version-1');
    writeFileSync(`${path}.v1-backup`, 'of an earlier try');
    await new SqliteStore(path).close();
    expect(files().sort()).toEqual(['holdfast.db.v1-backup', 'holdfast.db.v1-backup.2']);
    expect(readFileSync(`${path}.v1-backup`, 'utf8')).toBe('of an earlier try');
  });

  test('is upgraded on PostgreSQL only by the command for it', async () => {
    const store = new SqliteStore(':memory:');
    const older = () => store.write(() => change('update schema_version set version = 1'));
    const open = (mayUpgrade: boolean) =>
      store.write(() => migrate('postgres', 'the database', { mayUpgrade }));
    await older();
    await expect(open(false)).rejects.toMatchObject({
      code: 'SCHEMA_TOO_OLD',
      message: `the database has schema version 1, this Holdfast needs ${SCHEMA_VERSION}`,
      hint: expect.stringContaining('holdfast migrate'),
    });
    // It begins; the columns are there already in this one.
    await expect(open(true)).rejects.toThrow('duplicate column name');
    await store.close();
  });
});

describe('a database is refused, and left as it is', () => {
  test('of an unreleased version with other columns', async () => {
    const { dir, path, files } = stateWith('unknown-shape');
    const before = readFileSync(path);
    await expect(openEngine({ dir, create: false })).rejects.toMatchObject({
      code: 'SCHEMA_UNKNOWN',
      message: expect.stringMatching(
        /holdfast\.db is no database that this Holdfast can use: it has schema version 1 and no \w+\.\w+$/,
      ),
    });
    expect([readFileSync(path).equals(before), files()]).toEqual([true, []]);
  });

  test('of a newer version', async () => {
    const { dir, path, files } = stateWith('version-1');
    using(path, (database) => database.exec('update schema_version set version = 99'));
    await expect(openEngine({ dir, create: false })).rejects.toMatchObject({
      code: 'SCHEMA_TOO_NEW',
      message: `${path} has schema version 99, this Holdfast knows ${SCHEMA_VERSION}`,
    });
    expect(files()).toEqual([]);
  });

  test('of another program', async () => {
    const { dir, path } = stateWith('version-1');
    rmSync(path);
    using(path, (database) => database.exec('create table recipe (id integer primary key)'));
    await expect(openEngine({ dir, create: false })).rejects.toMatchObject({
      code: 'SCHEMA_UNKNOWN',
      message: expect.stringContaining('it has the table recipe and no schema version'),
    });
    expect(using(path, shape)).toEqual(new Set(['recipe.id']));
  });

  test('that is no database at all', async () => {
    const { dir, path } = stateWith('version-1');
    writeFileSync(path, 'a text'.repeat(1000));
    await expect(openEngine({ dir, create: false })).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('file is not a database'),
    });
    expect(existsSync(path)).toBe(true);
  });
});

test('a column that is missing is reported in words', async () => {
  const store = new SqliteStore(':memory:');
  await expect(store.read(() => all('select owned_bye from workflow'))).rejects.toMatchObject({
    code: 'SCHEMA_UNKNOWN',
    message: expect.stringContaining('no such column: owned_bye'),
  });
  await store.close();
});
