import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../src/host/make-directory.ts';

const SRC = resolve(import.meta.dirname, '../../src');
const temporary = () => mkdtempSync(join(tmpdir(), 'holdfast-directories-'));

test('a directory is made with those above it, and again without an error', () => {
  const path = join(temporary(), 'a', 'b', 'c');
  makeDirectory(path, 0o700);
  makeDirectory(path, 0o700);
  expect(statSync(path).isDirectory()).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', () => {
  const file = join(temporary(), 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(file)).toThrow('EEXIST');
  expect(() => makeDirectory(join(file, 'below'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')(
  'a file system that answers ENOENT below a directory that exists is an error, not a loop',
  () => {
    expect(() => makeDirectory('/proc/holdfast-none')).toThrow('ENOENT');
    expect(() => makeDirectory('/proc/holdfast-none/below')).toThrow('ENOENT');
  },
);

test('nothing else makes directories with those above them', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const others = files.filter((file) =>
    /mkdir(?:Sync)?\([^;]*recursive: true/.test(readFileSync(join(SRC, file), 'utf8')),
  );
  expect(others).toEqual([]);
});
