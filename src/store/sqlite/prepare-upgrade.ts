import { existsSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { HoldfastError } from '../../core/errors.ts';
import { formatSize } from '../../core/text/quantity.ts';
import { SCHEMA_VERSION } from '../migrate.ts';
import { copyDatabase } from './copy-database.ts';
import type { Database } from './database.ts';

/** Besides the copy: the journal of the migration, which may change every page. */
const TIMES_ITS_SIZE = 2;

export interface UpgradeFacts {
  /** Every table with its columns, as a database of this version has them. */
  shapeOf(version: number): Set<string>;
  freeBytes(path: string): number;
}

/**
 * Before the schema of an older version is changed: it must look as that version left it, and a copy is written beside it.
 * Returns the path of the copy; null: there is nothing to upgrade.
 */
export function prepareUpgrade(database: Database, path: string, facts: UpgradeFacts): string | null {
  const version = versionOf(database);
  if (version === null) {
    refuseForeign(database, path);
    return null;
  }
  if (version === 0 || version >= SCHEMA_VERSION) return null;
  const present = shape(database);
  const missing = [...facts.shapeOf(version)].filter((column) => !present.has(column));
  if (missing.length > 0) throw unknownShape(path, `it has schema version ${version} and no ${missing[0]}`);
  const needed = sizeOf(database) * TIMES_ITS_SIZE;
  const free = facts.freeBytes(dirname(path));
  if (free < needed) throw noRoom(path, version, needed, free);
  const copy = freeName(`${path}.v${version}-backup`);
  copyDatabase(database, copy);
  // Another process may have upgraded it meanwhile; its copy is the one of before.
  if (versionOf(database) === version) return copy;
  rmSync(copy, { force: true });
  return null;
}

/** Nothing is to be made or changed in it. */
export function isUpToDate(database: Database): boolean {
  return versionOf(database) === SCHEMA_VERSION;
}

export function defaultFreeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

export function shape(database: Database): Set<string> {
  const rows = database
    .prepare(
      `select tables.name as "table", columns.name as "column" from sqlite_master tables
       join pragma_table_info(tables.name) columns where tables.type = 'table'`,
    )
    .all() as { table: string; column: string }[];
  return new Set(rows.map(({ table, column }) => `${table}.${column}`));
}

/** null: it has no table with the version. */
function versionOf(database: Database): number | null {
  const tables = database.prepare(`select 1 from sqlite_master where name = 'schema_version'`).all();
  if (tables.length === 0) return null;
  const [row] = database.prepare('select version from schema_version').all() as { version: number }[];
  return row?.version ?? 0;
}

/** A database of another program is not ours to add tables to. */
function refuseForeign(database: Database, path: string): void {
  const [table] = [...shape(database)].filter((column) => !column.startsWith('sqlite_'));
  if (table !== undefined) {
    throw unknownShape(path, `it has the table ${table.split('.')[0]} and no schema version`);
  }
}

function sizeOf(database: Database): number {
  const value = (pragma: string) =>
    Number(Object.values(database.prepare(`pragma ${pragma}`).all()[0] as object)[0]);
  return value('page_count') * value('page_size');
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let count = 2; existsSync(name); count += 1) name = `${wanted}.${count}`;
  return name;
}

function unknownShape(path: string, problem: string): HoldfastError {
  return new HoldfastError('SCHEMA_UNKNOWN', { path, problem });
}

function noRoom(path: string, version: number, needed: number, free: number): HoldfastError {
  const upgrade = `its upgrade from schema version ${version} to ${SCHEMA_VERSION}`;
  const problem = `${upgrade} needs ${formatSize(needed)} for a copy, and ${formatSize(free)} are free`;
  return new HoldfastError('STATE_UNUSABLE', { path, problem });
}
