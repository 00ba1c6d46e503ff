import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { holdsState, lockState } from '../../src/host/state-lock.ts';
import { buildProgram } from '../build-program.ts';

const LOCK = await buildProgram('src/host/state-lock.ts');

function stateDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-lock-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('one at a time: refused while it is held, free when it was released', () => {
  const dir = stateDirectory();
  const release = lockState(dir);
  expect(() => lockState(dir)).toThrow(`process ${process.pid} on`);
  release();
  lockState(dir)();
  expect(readdirSync(join(dir, 'workers'))).toEqual(['2.lock']);
});

test('is lost when the directory is removed, and then not released for whoever has it next', () => {
  const dir = stateDirectory();
  const release = lockState(dir);
  expect(holdsState(dir)).toBe(true);
  const held = readFileSync(join(dir, 'workers', '1.lock'), 'utf8');
  rmSync(dir, { recursive: true });
  expect(holdsState(dir)).toBe(false);
  mkdirSync(join(dir, 'workers'), { recursive: true });
  const other = held.replace(`"pid":${process.pid}`, `"pid":${process.ppid}`);
  writeFileSync(join(dir, 'workers', '1.lock'), other);
  expect(holdsState(dir)).toBe(false);
  release();
  expect(readFileSync(join(dir, 'workers', '1.lock'), 'utf8')).toBe(other);
});

/** Waits for a line, then takes the lock and says whether it got it; dies with it. */
const PROGRAM = `
  const { lockState } = await import(process.argv[1]);
  process.stdin.once('data', () => {
    try { lockState(process.argv[2]); console.log('got'); } catch { console.log('refused'); }
  });
  console.log('ready');`;

test('of many that come at once after one was killed, one gets it', async () => {
  const dir = stateDirectory();
  for (let round = 0; round < 3; round += 1) {
    const children = Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, LOCK, dir], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
    });
    for (const { lines } of children) expect((await lines.next()).value).toBe('ready');
    for (const { child } of children) child.stdin.write('go\n');
    const words = await Promise.all(children.map(async ({ lines }) => (await lines.next()).value as string));
    expect(words.filter((word) => word === 'got')).toHaveLength(1);
    const gone = children.map(({ child }) => new Promise((resolve) => child.once('exit', resolve)));
    for (const { child } of children) child.kill('SIGKILL');
    await Promise.all(gone);
  }
});
