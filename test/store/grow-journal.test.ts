import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Script } from '../../src/store/script.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

function* insert(number: number): Script<void> {
  yield { sql: 'insert into number (value, text) values (?, ?)', values: [number, 'x'.repeat(number % 500)] };
}

function* listNumbers(): Script<unknown[]> {
  const { rows } = yield { sql: 'select value from number order by value', values: [] };
  return rows.map(({ value }) => value);
}

function* createTable(): Script<void> {
  yield { sql: 'create table number (value integer primary key, text text)', values: [] };
}

/** What is there after the machine was lost now: database and journal, without what only processes share. */
async function afterLoss(path: string, copy: string): Promise<unknown[]> {
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
  const store = new SqliteStore(copy);
  try {
    return await store.read(() => listNumbers());
  } finally {
    await store.close();
    for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
  }
}

test('a journal that was given its size keeps it, and every commit in it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-journal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'holdfast.db');
  const first = new SqliteStore(path);
  await first.write(() => createTable());
  // Connections that come later find a journal with frames in it, and write their own between the others'.
  const stores = [first, new SqliteStore(path), new SqliteStore(path)];
  const sizes = new Set<number>();
  const written: number[] = [];
  for (let number = 0; number < 1_500; number += 1) {
    const store = number < 20 ? first : stores[(number * 7) % 3]!;
    await store.write(() => insert(number));
    written.push(number);
    if (number >= 20) sizes.add(statSync(`${path}-wal`).size);
    if (number % 250 < 2) expect(await afterLoss(path, join(dir, 'copy.db'))).toEqual(written);
  }
  expect([...sizes]).toEqual([5 * 1024 * 1024]);
  for (const store of stores) await store.close();
  const again = new SqliteStore(path);
  expect(await again.read(() => listNumbers())).toEqual(written);
  await again.close();
});
