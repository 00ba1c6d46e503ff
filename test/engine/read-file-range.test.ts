import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readFileRange } from '../../src/engine/read/read-file-range.ts';

/** An output directory beside something that is nobody's business. */
function outputDirectory(): { dir: string; read(path: string): ReturnType<typeof readFileRange> } {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-range-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const dir = join(home, 'output');
  mkdirSync(dir);
  writeFileSync(join(home, 'secret'), 'nobody’s business');
  writeFileSync(join(dir, 'log'), 'hello world');
  return { dir, read: (path) => readFileRange(dir, path, (size) => ({ offset: 6, limit: size })) };
}

describe('part of a file in the output directory', () => {
  test('is read from where it is asked for', async () => {
    const range = await outputDirectory().read('log');
    expect(range).toMatchObject({ offset: 6, size: 11 });
    expect(Buffer.from(range!.data).toString()).toBe('world');
  });

  test.each(['missing', '../secret', '../output/../secret', '.'])('%s is not one', async (path) => {
    expect(await outputDirectory().read(path)).toBeNull();
  });

  test('a link that leads out of the directory is none, as a file and as a directory', async () => {
    const { dir, read } = outputDirectory();
    symlinkSync(join(dir, '..', 'secret'), join(dir, 'link'));
    symlinkSync(join(dir, '..'), join(dir, 'up'));
    expect(await read('link')).toBeNull();
    expect(await read('up/secret')).toBeNull();
  });

  test('a pipe in its place is none, and nobody waits for it', async () => {
    const { dir, read } = outputDirectory();
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    expect(await read('pipe')).toBeNull();
  });
});
