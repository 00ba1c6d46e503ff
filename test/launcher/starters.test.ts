import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LibC, loadLibC } from '../../src/worker/launcher/start/libc.ts';
import { decodeStatus, NativeStarter } from '../../src/worker/launcher/start/native-starter.ts';
import { nodeStarter } from '../../src/worker/launcher/start/node-starter.ts';
import type { ProgramExit, Starter } from '../../src/worker/launcher/start/starter.ts';
import { layOutArrays, sizeOfArrays } from '../../src/worker/launcher/start/string-arrays.ts';

const c = loadLibC();

test.runIf(process.platform === 'linux')('processes are started by posix_spawn on Linux', () => {
  expect(c).not.toBeNull();
});

const starters: [name: string, Starter][] = [[nodeStarter.name, nodeStarter]];
if (c !== null) starters.push(['posix_spawn', new NativeStarter(c)], ['posix_spawn elsewhere', elsewhere(c)]);

/** Starts on other threads, as after a slow start. */
function elsewhere(c: LibC): Starter {
  const starter = new NativeStarter({
    ...c,
    posixSpawn: (...words) => {
      const until = performance.now() + 10;
      while (performance.now() < until);
      return c.posixSpawn(...words);
    },
  });
  const environment = { shared: {}, own: {} };
  const callbacks = { started() {}, exited() {}, failed() {} };
  const nowhere = {
    path: '/none',
    words: [],
    cwd: '/',
    environment,
    stdout: '/none/out',
    stderr: '/none/out',
  };
  starter.start(nowhere, callbacks);
  return starter;
}

interface RunOptions {
  cwd?: string;
  environment?: NodeJS.ProcessEnv;
  own?: Record<string, string>;
}

interface Ended extends ProgramExit {
  pid: number;
  stdout: string;
  stderr: string;
}

describe.each(starters)('%s', (_, starter) => {
  function run(script: string, options: RunOptions = {}) {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-starter-')));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const [stdout, stderr] = [join(dir, 'out'), join(dir, 'err')];
    return new Promise<Ended>((resolve, reject) => {
      const program = {
        path: '/bin/bash',
        words: ['--norc', '-c', script],
        cwd: options.cwd ?? dir,
        environment: { shared: options.environment ?? { PATH: process.env.PATH }, own: options.own ?? {} },
        stdout,
        stderr,
      };
      let pid = 0;
      starter.start(program, {
        started: (started) => {
          pid = started;
        },
        exited: (exit) =>
          resolve({
            ...exit,
            pid,
            stdout: readFileSync(stdout, 'utf8'),
            stderr: readFileSync(stderr, 'utf8'),
          }),
        failed: reject,
      });
    });
  }

  test.each([
    ['exit 0', { code: 0, signal: null }],
    ['exit 255', { code: 255, signal: null }],
    ['kill -SEGV $$', { code: null, signal: 'SIGSEGV' }],
    ['kill -KILL $$', { code: null, signal: 'SIGKILL' }],
  ])('reports the end of `%s`', async (script, exit) => {
    expect(await run(script)).toMatchObject(exit);
  });

  test('gives a program its words, directory, environment and files', async () => {
    const dir = realpathSync(tmpdir());
    const environment = { PATH: process.env.PATH, NAME: 'ä ✓ "quoted"\nnext', EMPTY: '', ABSENT: undefined };
    const script = 'pwd; printf "%s|%s|%s" "$NAME" "$EMPTY" "${ABSENT-none}"; echo trouble >&2; cat';
    expect(await run(script, { cwd: dir, environment })).toMatchObject({
      code: 0,
      stdout: `${dir}\nä ✓ "quoted"\nnext||none`,
      stderr: 'trouble\n',
    });
  });

  test('lets the variables of one program win over shared ones, which stay as they are', async () => {
    const environment = { PATH: process.env.PATH, A: 'shared', B: 'shared' };
    const script = 'echo "$A $B ${C-none}"';
    expect((await run(script, { environment, own: { A: 'own', C: '' } })).stdout).toBe('own shared \n');
    expect((await run(script, { environment })).stdout).toBe('shared shared none\n');
  });

  test('empties a log that is there, and appends to one for both streams', async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-starter-')));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const log = join(dir, 'log');
    writeFileSync(log, 'what was there before, and longer');
    await new Promise<unknown>((exited, failed) => {
      const words = ['-c', 'echo one; echo two >&2; echo three'];
      const environment = { shared: { PATH: process.env.PATH }, own: {} };
      starter.start(
        { path: '/bin/bash', words, cwd: dir, environment, stdout: log, stderr: log },
        { started() {}, exited, failed },
      );
    });
    expect(readFileSync(log, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  test('gives it a session of its own, with no signal blocked or ignored', async () => {
    const { stdout, pid } = await run("exec grep -E '^(NSsid|Sig(Blk|Ign))' /proc/self/status");
    const facts = Object.fromEntries(stdout.split('\n').map((line) => line.split(/:\s+/)));
    // The C library keeps two signals above 31 for itself.
    const standard = (set: string) => BigInt(`0x${set}`) & 0x7fffffffn;
    expect(facts.NSsid).toBe(String(pid));
    expect([standard(facts.SigBlk!), standard(facts.SigIgn!)]).toEqual([0n, 0n]);
  });

  test('takes an environment of many pages', async () => {
    const environment = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`V${index}`, 'ü'.repeat(100)]),
    );
    expect((await run('echo "$V0$V999"', { environment })).stdout).toBe(`${'ü'.repeat(200)}\n`);
  });

  test('reports every end of many that end together', async () => {
    const ends = await Promise.all(Array.from({ length: 60 }, (_, index) => run(`exit ${index}`)));
    expect(ends.map(({ code }) => code)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  test.each([
    ['a directory that does not exist', { cwd: '/nonexistent' }, 'ENOENT'],
    ['more environment than the system takes', { environment: { LARGE: 'x'.repeat(200_000) } }, 'E2BIG'],
  ])('fails with the error of the system for %s', async (_, options, code) => {
    await expect(run('true', options)).rejects.toMatchObject({ code, errno: expect.any(Number) });
  });

  test('refuses a null character instead of cutting the text there', async () => {
    await expect(run('true', { own: { NAME: 'a\0b' } })).rejects.toThrow();
  });
});

test('a process that a signal without a name has ended is reported as a shell would report it', () => {
  expect(decodeStatus(34)).toEqual({ code: 162, signal: null });
  expect(decodeStatus(0x80 | 11)).toEqual({ code: null, signal: 'SIGSEGV' });
});

test('arrays of texts end with null pointers and hold UTF-8, or addresses as they are', () => {
  const arrays = [['a', 'ü'], [7n]];
  const buffer = Buffer.alloc(sizeOfArrays(arrays), 0xff);
  const addresses = layOutArrays({ buffer, address: 1000n }, arrays);
  expect(addresses).toEqual([1000n, 1024n]);
  const pointers = [0, 8, 16, 24, 32].map((offset) => Number(buffer.readBigUInt64LE(offset)));
  expect(pointers).toEqual([1040, 1042, 0, 7, 0]);
  expect([...buffer.subarray(40, 45)]).toEqual([0x61, 0, 0xc3, 0xbc, 0]);
});
