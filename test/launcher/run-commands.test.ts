import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import type { Shell } from '../../src/core/job/shell.ts';
import { eventually, isAlive, launcherWorld, processesWith } from './launcher-world.ts';

describe('a command that ends by itself', () => {
  test.each([0, 1, 75, 255])('has its exit code %i', async (code) => {
    const world = await launcherWorld();
    const job = world.start(`exit ${code}`);
    const ended = await job.ended;
    expect(ended.outcome).toEqual(outcome({ exit_code: code }));
    expect(ended.startedAt).toBe((await job.started).startedAt);
    expect(ended.finishedAt).toBeGreaterThanOrEqual(ended.startedAt!);
  });

  test.each(['SEGV', 'TERM', 'KILL'])('by SIG%s has the signal and no exit code', async (signal) => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run(`kill -${signal} $$`);
    expect(facts).toEqual(outcome({ signal: `SIG${signal}` }));
  });

  test('has the certificates of Node in its environment, which its launcher does not read', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ours.pem');
    onTestFinished(() => void vi.unstubAllEnvs());
    const world = await launcherWorld();
    const names = `tr '\\0' '\\n' </proc/$PPID/environ | grep -c ^NODE_EXTRA_CA_CERTS`;
    const job = world.start(`echo $NODE_EXTRA_CA_CERTS; ${names}; env | grep -c NODE_EXTRA_CA_CERTS`);
    await job.ended;
    expect(world.stdout(job)).toBe('/etc/ours.pem\n0\n1\n');
  });

  test('may be a script of 300 KB', async () => {
    const world = await launcherWorld();
    const job = world.start(`: '${'x'.repeat(300_000)}'\necho the end`);
    expect((await job.ended).outcome.exit_code).toBe(0);
    expect(world.stdout(job)).toBe('the end\n');
  });

  test.each<[string, Shell, string, number, string]>([
    ['strict stops in a pipe', 'strict', 'false | cat', 1, ''],
    ['strict stops at a line', 'strict', 'cat /missing 2>/dev/null\necho on', 1, ''],
    ['strict takes a script of 300 KB', 'strict', `: '${'x'.repeat(300_000)}'\nfalse\necho on`, 1, ''],
    ['strict does not take a command for an option', 'strict', '-x || echo on', 0, 'on\n'],
    ['another shell gets the command', ['node', '-e'], 'console.log(6 * 7); process.exitCode = 5', 5, '42\n'],
    [
      'another shell takes a script of 300 KB',
      ['node', '--no-warnings', '-e'],
      `'${'x'.repeat(300_000)}'; console.log(6 * 7)`,
      0,
      '42\n',
    ],
  ])('with a shell: %s', async (_, shell, script, code, printed) => {
    const world = await launcherWorld();
    const job = world.start(script, { shell });
    expect((await job.ended).outcome).toEqual(outcome({ exit_code: code }));
    expect(world.stdout(job)).toBe(printed);
  });

  test('finds another shell by its own PATH, and says which one it does not find', async () => {
    const world = await launcherWorld();
    const env = { PATH: join(world.dir, 'bin') };
    const shell = ['my-shell', 'said'];
    const { outcome: facts } = await world.run('hello', { shell, env });
    expect(facts.spawn_error).toBe('cannot start my-shell: no such file or directory (ENOENT)');
    mkdirSync(env.PATH);
    writeFileSync(join(env.PATH, 'my-shell'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const job = world.start('hello', { shell, env });
    expect((await job.ended).outcome.exit_code).toBe(0);
    expect(world.stdout(job)).toBe('said hello\n');
    const long = await world.run('x'.repeat(200_000), { shell, env });
    expect(long.outcome.spawn_error).toBe(
      'cannot start my-shell: the command is longer than the 128 KiB that an argument may have',
    );
  });

  test('writes stdout and stderr to its files', async () => {
    const world = await launcherWorld();
    const job = world.start('echo out; echo err >&2');
    await job.ended;
    expect(world.stdout(job)).toBe('out\n');
    expect(readFileSync(job.order.stderrPath, 'utf8')).toBe('err\n');
  });

  test('may have one file for both', async () => {
    const world = await launcherWorld();
    const path = join(world.dir, 'both.log');
    await world.run('echo out; echo err >&2', { stdoutPath: path, stderrPath: path });
    expect(readFileSync(path, 'utf8')).toBe('out\nerr\n');
  });

  test('has the environment of the launcher, and its own on top', async () => {
    const world = await launcherWorld();
    const env = { GREETING: 'a "b"\n$c', PATH: '/nowhere' };
    const job = world.start('echo "$GREETING"; echo "$PATH"; echo "$HOME"', { env });
    await job.ended;
    expect(world.stdout(job)).toBe(`a "b"\n$c\n/nowhere\n${process.env.HOME}\n`);
  });

  test('finds the directories of its declared outputs', async () => {
    const world = await launcherWorld();
    const file = join(world.dir, 'made', 'on', 'the', 'way.txt');
    const { outcome: facts } = await world.run(`echo > '${file}'`, { outputFiles: [file] });
    expect(facts).toEqual(outcome({ exit_code: 0 }));
    const nowhere = join(world.dir, 'nowhere');
    const missing = await world.run('true', { cwd: nowhere, outputFiles: [join(nowhere, 'sub', 'x')] });
    expect(missing.outcome.spawn_error).toContain(`cannot run in ${nowhere}`);
    expect(existsSync(nowhere)).toBe(false);
  });

  test('is not started without an input that no job writes', async () => {
    const world = await launcherWorld();
    const file = join(world.dir, 'input.txt');
    const trace = join(world.dir, 'trace');
    const without = await world.run(`touch '${trace}'`, { inputFiles: [file] });
    expect(without.outcome).toEqual(
      outcome({ spawn_error: `the input ${file} does not exist, and no job writes it` }),
    );
    expect(existsSync(trace)).toBe(false);
    writeFileSync(file, '');
    expect((await world.run(`touch '${trace}'`, { inputFiles: [file] })).outcome.exit_code).toBe(0);
  });

  test('runs in its directory, with nothing on stdin', async () => {
    const world = await launcherWorld();
    const cwd = join(world.dir, 'with space');
    mkdirSync(cwd);
    const job = world.start('pwd -P; cat', { cwd });
    expect((await job.ended).outcome.exit_code).toBe(0);
    expect(world.stdout(job)).toBe(`${execFileSync('pwd', ['-P'], { cwd, encoding: 'utf8' })}`);
  });

  test('finds its work directory empty', async () => {
    const world = await launcherWorld();
    const workDir = join(world.dir, 'deep', 'work');
    mkdirSync(join(workDir, 'old'), { recursive: true });
    writeFileSync(join(workDir, 'old', 'file'), '');
    const job = world.start(`ls -A '${workDir}'; echo end`, { workDir });
    await job.ended;
    expect(world.stdout(job)).toBe('end\n');
  });

  test('holds no file of the launcher open', async () => {
    const world = await launcherWorld();
    const job = world.start('for fd in /proc/$$/fd/*; do echo "$(readlink "$fd")"; done');
    await job.ended;
    const own = world
      .stdout(job)
      .trim()
      .split('\n')
      .filter((target) => /^(socket|anon_inode):|launcher\.log/.test(target));
    expect(own).toEqual([]);
    expect(world.stdout(job)).toContain(job.order.stdoutPath);
  });

  test('leaves nothing in its process group behind', async () => {
    const world = await launcherWorld();
    const job = world.start('sleep 600 & echo $!');
    expect((await job.ended).outcome).toEqual(outcome({ exit_code: 0 }));
    const pid = Number(world.stdout(job));
    await eventually('the end of the background process', () => !isAlive(pid));
  });

  test('may leave a daemon behind on purpose', async () => {
    const world = await launcherWorld();
    const job = world.start(
      `setsid bash -c 'touch daemon; exec sleep 600' &
       until [ -e daemon ]; do sleep 0.02; done`,
    );
    expect((await job.ended).outcome.exit_code).toBe(0);
    const left = processesWith(`HOLDFAST_WORK_DIR=${job.order.workDir}`);
    expect(left).toHaveLength(1);
    process.kill(left[0]!, 'SIGKILL');
  });
});

describe('declared outputs', () => {
  test('that do not exist after exit 0 are reported', async () => {
    const world = await launcherWorld();
    const absolute = join(world.dir, 'absolute.txt');
    const { outcome: facts } = await world.run('touch here.txt', {
      outputFiles: ['here.txt', 'missing.txt', absolute],
    });
    expect(facts).toEqual(outcome({ exit_code: 0, missing_outputs: ['missing.txt', absolute] }));
  });

  test('are not read after a failure', async () => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run('exit 3', { outputFiles: ['missing.txt'] });
    expect(facts).toEqual(outcome({ exit_code: 3 }));
  });
});

describe('a command that cannot be started', () => {
  test('because its log is below a file says which path, and why', async () => {
    const world = await launcherWorld();
    writeFileSync(join(world.dir, 'file'), '');
    const stdoutPath = join(world.dir, 'file', '1.o');
    const ended = await world.run('touch ran', { stdoutPath });
    expect(ended).toMatchObject({ startedAt: null, usage: null });
    expect(ended.outcome.spawn_error).toBe(
      `cannot open the log ${stdoutPath}: not a directory (ENOTDIR); a part of the path is a file`,
    );
    expect(ended.outcome).toMatchObject({ exit_code: null, signal: null, lost: false });
    expect(existsSync(join(world.dir, 'ran'))).toBe(false);
  });

  test('because nobody reads the pipe in the place of its log says so, and keeps nothing waiting', async () => {
    const world = await launcherWorld();
    const stdoutPath = join(world.dir, 'pipe');
    execFileSync('mkfifo', [stdoutPath]);
    const { outcome: facts } = await world.run('true', { stdoutPath });
    expect(facts.spawn_error).toContain(`cannot open the log ${stdoutPath}: `);
    expect((await world.run('true')).outcome).toEqual(outcome({ exit_code: 0 }));
  });

  test('because a directory cannot be made says so', async () => {
    const world = await launcherWorld();
    writeFileSync(join(world.dir, 'file'), '');
    const workDir = join(world.dir, 'file', 'work');
    const { outcome: facts } = await world.run('true', { workDir });
    expect(facts.spawn_error).toContain(`cannot make the directory ${workDir}: not a directory`);
  });

  test('because its directory is missing names the directory', async () => {
    const world = await launcherWorld();
    const cwd = join(world.dir, 'gone');
    const { outcome: facts, startedAt } = await world.run('true', { cwd });
    expect(startedAt).toBeNull();
    expect(facts.spawn_error).toBe(`cannot run in ${cwd}: no such file or directory (ENOENT)`);
  });

  test('because its environment is too large says so', async () => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run('true', { env: { LARGE: 'x'.repeat(200_000) } });
    expect(facts.spawn_error).toMatch(/^cannot start .*bash: argument list too long \(E2BIG\)/);
  });

  test('leaves the launcher in good health', async () => {
    const world = await launcherWorld();
    await world.run('true', { cwd: join(world.dir, 'gone') });
    expect((await world.run('exit 4')).outcome.exit_code).toBe(4);
    expect(readFileSync(join(world.dir, 'launcher.log'), 'utf8')).toBe('');
  });

  test('is not one whose directories were only removed meanwhile', async () => {
    const world = await launcherWorld();
    await world.run('rm -rf logs scripts work');
    const job = world.start('echo again');
    expect((await job.ended).outcome).toEqual(outcome({ exit_code: 0 }));
    expect(world.stdout(job)).toBe('again\n');
  });
});
