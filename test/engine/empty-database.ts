import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../src/engine/open-engine.ts';

let content: Promise<Buffer> | undefined;

/**
 * Gives a state directory the database that an engine would make there. To make its tables takes ten times as long as
 * to open it, so that it is made once in a process.
 */
export async function placeEmptyDatabase(dir: string): Promise<void> {
  content ??= makeOne();
  const database = await content;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dir, 'holdfast.db'), database, { mode: 0o600, flag: 'wx' });
}

async function makeOne(): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-empty-'));
  const engine = await openEngine({ dir, create: true });
  await engine.close();
  const database = readFileSync(join(dir, 'holdfast.db'));
  rmSync(dir, { recursive: true });
  return database;
}
