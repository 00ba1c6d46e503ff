import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-private-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Of the state directory and its database files, while the engine is open. */
async function modes(dir: string): Promise<Record<string, string>> {
  const before = process.umask(0o000);
  const engine = await openEngine({ dir, create: true }).finally(() => process.umask(before));
  try {
    // The files that SQLite adds are there once something was written.
    await engine.createToken({ name: 'a', role: 'viewer', expires_at_ms: null, actor: 'test' });
    const files = readdirSync(dir).filter((name) => name.startsWith('holdfast.db'));
    return Object.fromEntries([
      ['.', modeOf(dir)],
      ...files.sort().map((name) => [name, modeOf(join(dir, name))]),
    ]);
  } finally {
    await engine.close();
  }
}

const PRIVATE = { '.': '700', 'holdfast.db': '600', 'holdfast.db-shm': '600', 'holdfast.db-wal': '600' };

test('new state is for its owner alone, whatever the umask; the directories above it are not', async () => {
  const dir = directory();
  chmodSync(dir, 0o755);
  const state = join(dir, 'project', '.holdfast');
  expect(await modes(state)).toEqual(PRIVATE);
  expect(modeOf(join(dir, 'project'))).toBe('777');
});

test('state that others can read is made private when it is opened', async () => {
  const state = join(directory(), '.holdfast');
  await modes(state);
  writeFileSync(join(state, 'notes'), '');
  chmodSync(state, 0o755);
  // A reader that was killed leaves them behind.
  for (const name of ['holdfast.db', 'holdfast.db-wal', 'holdfast.db-shm']) {
    writeFileSync(join(state, name), '', { flag: 'a' });
    chmodSync(join(state, name), 0o644);
  }
  expect(await modes(state)).toEqual(PRIVATE);
});

test('a directory under another name is made private if it has nothing but the state', async () => {
  const state = join(directory(), 'state');
  mkdirSync(state, { mode: 0o755 });
  chmodSync(state, 0o755);
  expect(await modes(state)).toEqual(PRIVATE);
  chmodSync(state, 0o755);
  writeFileSync(join(state, 'spec.yaml'), '');
  expect(await modes(state)).toEqual({ ...PRIVATE, '.': '755' });
});
