import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const { cacheDirectory } = createRequire(import.meta.url)('../../bin/compile-cache.js') as {
  cacheDirectory(env: Record<string, string>, uid: number | undefined): string | null;
};

const UID = process.getuid!();

function cacheHome(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-cache-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const inside = (home: string, uid = UID) => cacheDirectory({ XDG_CACHE_HOME: home }, uid);

test('compiled code is kept in a directory that nobody else can look into', () => {
  const home = cacheHome();
  expect(inside(home)).toBe(join(home, 'holdfast'));
  expect(statSync(join(home, 'holdfast')).mode & 0o777).toBe(0o700);
});

test('a directory that others can write to is not believed', () => {
  const home = cacheHome();
  mkdirSync(join(home, 'holdfast'));
  for (const mode of [0o777, 0o770, 0o702]) {
    chmodSync(join(home, 'holdfast'), mode);
    expect(inside(home)).toBeNull();
  }
  chmodSync(join(home, 'holdfast'), 0o755);
  expect(inside(home)).not.toBeNull();
});

test('nor one of another user, nor one behind a link', () => {
  const home = cacheHome();
  inside(home);
  expect(inside(home, UID + 1)).toBeNull();
  const other = cacheHome();
  symlinkSync(join(home, 'holdfast'), join(other, 'holdfast'));
  expect(inside(other)).toBeNull();
});

test('where no directory can be made there is no cache, and no error', () => {
  expect(inside('/dev/null')).toBeNull();
  const home = join(cacheHome(), 'missing');
  expect(inside(join(home, '.cache'))).toBeNull();
  expect(existsSync(home)).toBe(false);
});
