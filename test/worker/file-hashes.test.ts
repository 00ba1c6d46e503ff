import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CHANGED_MEANWHILE } from '../../src/core/files/file-mark.ts';
import { factsOf, lookAtFile } from '../../src/host/look-at-file.ts';
import { FileHashes } from '../../src/worker/observe/file-hashes.ts';

const MOST = 1_000_000;

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-hashes-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function written(content = 'hello', dir = place()): string {
  const path = join(dir, 'file');
  writeFileSync(path, content);
  return path;
}

/** Takes no room on the disk, and as long to read as one that does. */
function largeFile(bytes: number): string {
  const path = written('');
  truncateSync(path, bytes);
  return path;
}

function hashes(longestMs?: number): FileHashes {
  const made = new FileHashes(longestMs);
  onTestFinished(() => made.stop());
  return made;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a declared file', () => {
  test('has size, time in nanoseconds, and the sha256 of its content', () => {
    const path = written();
    const state = lookAtFile(path, MOST);
    expect(state).toMatchObject({ kind: 'file', size: 5, hash: sha256('hello'), problem: null });
    expect(state.mtime_ns).toMatch(/^\d{19}$/);
  });

  test('above the limit has no hash; one that does not exist is missing', () => {
    const path = written();
    expect(lookAtFile(path, 4)).toMatchObject({ kind: 'file', size: 5, hash: null, problem: null });
    expect(lookAtFile(`${path}-not`, MOST)).toMatchObject({ kind: 'missing', size: null });
    expect(lookAtFile(`${path}/below`, MOST)).toMatchObject({ kind: 'missing' });
  });

  test('that is a pipe or a device is not opened', () => {
    const pipe = join(place(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(lookAtFile(pipe, MOST)).toMatchObject({ kind: 'other', size: null, hash: null });
    expect(lookAtFile('/dev/zero', MOST)).toMatchObject({ kind: 'other' });
  });

  test('that is a directory is all of its names and contents, without what its links lead to', () => {
    const dir = place();
    mkdirSync(join(dir, 'tree', 'sub'), { recursive: true });
    writeFileSync(join(dir, 'tree', 'a'), 'a');
    writeFileSync(join(dir, 'tree', 'sub', 'b'), 'bb');
    symlinkSync(join(dir, 'elsewhere'), join(dir, 'tree', 'link'));
    const tree = join(dir, 'tree');
    const first = lookAtFile(tree, MOST);
    expect(first).toMatchObject({ kind: 'directory', size: 3, hash: expect.any(String) });
    writeFileSync(join(dir, 'elsewhere'), 'anything');
    utimesSync(join(tree, 'a'), 1, 1);
    expect(lookAtFile(tree, MOST).hash).toBe(first.hash);
    writeFileSync(join(tree, 'sub', 'b'), 'cc');
    expect(lookAtFile(tree, MOST).hash).not.toBe(first.hash);
    expect(lookAtFile(tree, MOST).mtime_ns).not.toBe(first.mtime_ns);
    expect(lookAtFile(tree, 2)).toMatchObject({ size: 3, hash: null });
  });
});

describe('the thread that reads declared files', () => {
  test('reads a file that many attempts share once, while it does not change', async () => {
    const path = written();
    const reader = hashes();
    const seen = factsOf(path);
    reader.readAhead(path, MOST);
    expect(await reader.read(path, MOST, seen)).toMatchObject({ hash: sha256('hello'), problem: null });
    // Known by what it was: it need not even be there any more.
    rmSync(path);
    const all = await Promise.all(Array.from({ length: 1000 }, () => reader.read(path, MOST, seen)));
    expect(new Set(all.map(({ hash }) => hash))).toEqual(new Set([sha256('hello')]));
  });

  test('says of a file that has changed since that its content is not known', async () => {
    const path = written();
    const seen = factsOf(path);
    appendFileSync(path, ' world');
    expect(await hashes().read(path, MOST, seen)).toEqual({
      kind: 'file',
      size: 5,
      mtime_ns: seen.mtime_ns,
      hash: null,
      problem: CHANGED_MEANWHILE,
    });
  });

  test('says of a file that changes while it is read that its content is not known', async () => {
    const path = largeFile(200_000_000);
    const reader = hashes();
    const read = reader.read(path, 1_000_000_000, factsOf(path));
    const writing = setInterval(() => appendFileSync(path, 'y'), 1);
    onTestFinished(() => clearInterval(writing));
    const state = await read;
    clearInterval(writing);
    expect(state).toMatchObject({ size: 200_000_000, hash: null, problem: CHANGED_MEANWHILE });
  });

  test('does not hold up this thread, nor what ended attempts wait for behind what is read ahead', async () => {
    const large = largeFile(50_000_000);
    const small = written('small');
    const reader = hashes();
    for (let at = 0; at < 50; at += 1) reader.readAhead(large, MOST * 1000 + at);
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    onTestFinished(() => clearInterval(turning));
    expect(await reader.read(small, MOST, factsOf(small))).toMatchObject({ hash: sha256('small') });
    expect(turns).toBeGreaterThan(0);
  });

  test('gives up on what takes too long, and reads the next file', async () => {
    const reader = hashes(30);
    const endless = largeFile(3_000_000_000);
    const small = written('small');
    const late = reader.read(endless, 4_000_000_000, factsOf(endless));
    expect(await late).toMatchObject({ kind: 'file', hash: null, problem: 'it was not read within 0.03 s' });
    // A thread takes longer to start than this reader waits; a file of a reader that waits is read.
    expect(await hashes().read(small, MOST, factsOf(small))).toMatchObject({ hash: sha256('small') });
  });

  test('keeps nobody waiting once it is stopped', async () => {
    const reader = hashes();
    const path = largeFile(100_000_000);
    const asked = [1, 2, 3].map(() => reader.read(path, 1_000_000_000, factsOf(path)));
    await reader.stop();
    const after = await reader.read(path, 1_000_000_000, factsOf(path));
    for (const state of [...(await Promise.all(asked)), after]) {
      expect(state).toMatchObject({
        size: 100_000_000,
        hash: null,
        problem: expect.stringMatching(/worker ended/),
      });
    }
  });
});
