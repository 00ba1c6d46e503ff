import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/outcome.ts';
import { eventually, isAlive, launcherWorld, processesWith } from './launcher-world.ts';

describe('a command that ends by itself', () => {
  test.each([0, 1, 75, 255])('has its exit code %i', async (code) => {
    const world = await launcherWorld();
    const job = world.start(`exit ${code}`);
    const ended = await job.ended;
    expect(ended.outcome).toEqual(outcome({ exitCode: code }));
    expect(ended.startedAt).toBe((await job.started).startedAt);
    expect(ended.finishedAt).toBeGreaterThanOrEqual(ended.startedAt!);
  });

  test.each(['SEGV', 'TERM', 'KILL'])('by SIG%s has the signal and no exit code', async (signal) => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run(`kill -${signal} $$`);
    expect(facts).toEqual(outcome({ signal: `SIG${signal}` }));
  });

  test('may be a script of 300 KB', async () => {
    const world = await launcherWorld();
    const job = world.start(`: '${'x'.repeat(300_000)}'\necho the end`);
    expect((await job.ended).outcome.exitCode).toBe(0);
    expect(world.stdout(job)).toBe('the end\n');
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

  test('runs in its directory, with nothing on stdin', async () => {
    const world = await launcherWorld();
    const cwd = join(world.dir, 'with space');
    mkdirSync(cwd);
    const job = world.start('pwd -P; cat', { cwd });
    expect((await job.ended).outcome.exitCode).toBe(0);
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
    expect((await job.ended).outcome).toEqual(outcome({ exitCode: 0 }));
    const pid = Number(world.stdout(job));
    await eventually('the end of the background process', () => !isAlive(pid));
  });

  test('may leave a daemon behind on purpose', async () => {
    const world = await launcherWorld();
    const job = world.start(
      `setsid bash -c 'touch daemon; exec sleep 600' &
       until [ -e daemon ]; do sleep 0.02; done`,
    );
    expect((await job.ended).outcome.exitCode).toBe(0);
    const left = processesWith(`HOLDFAST_WORK_DIR=${job.order.workDir}`);
    expect(left).toHaveLength(1);
    process.kill(left[0]!, 'SIGKILL');
  });
});

describe('declared outputs', () => {
  test('that do not exist after exit 0 are told', async () => {
    const world = await launcherWorld();
    const absolute = join(world.dir, 'absolute.txt');
    const { outcome: facts } = await world.run('touch here.txt', {
      outputFiles: ['here.txt', 'missing.txt', absolute],
    });
    expect(facts).toEqual(outcome({ exitCode: 0, missingOutputs: ['missing.txt', absolute] }));
  });

  test('are not asked for after a failure', async () => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run('exit 3', { outputFiles: ['missing.txt'] });
    expect(facts).toEqual(outcome({ exitCode: 3 }));
  });
});

describe('a command that cannot be started', () => {
  test('because its log is below a file says which path, and why', async () => {
    const world = await launcherWorld();
    writeFileSync(join(world.dir, 'file'), '');
    const stdoutPath = join(world.dir, 'file', '1.o');
    const ended = await world.run('touch ran', { stdoutPath });
    expect(ended).toMatchObject({ startedAt: null, usage: null });
    expect(ended.outcome.spawnError).toBe(
      `cannot open the log ${stdoutPath}: not a directory (ENOTDIR); a part of the path is a file`,
    );
    expect(ended.outcome).toMatchObject({ exitCode: null, signal: null, lost: false });
    expect(existsSync(join(world.dir, 'ran'))).toBe(false);
  });

  test('because a directory cannot be made says so', async () => {
    const world = await launcherWorld();
    writeFileSync(join(world.dir, 'file'), '');
    const workDir = join(world.dir, 'file', 'work');
    const { outcome: facts } = await world.run('true', { workDir });
    expect(facts.spawnError).toContain(`cannot make the directory ${workDir}: not a directory`);
  });

  test('because its directory is missing names the directory', async () => {
    const world = await launcherWorld();
    const cwd = join(world.dir, 'gone');
    const { outcome: facts, startedAt } = await world.run('true', { cwd });
    expect(startedAt).toBeNull();
    expect(facts.spawnError).toBe(`cannot run in ${cwd}: no such file or directory (ENOENT)`);
  });

  test('because its environment is too large says so', async () => {
    const world = await launcherWorld();
    const { outcome: facts } = await world.run('true', { env: { LARGE: 'x'.repeat(200_000) } });
    expect(facts.spawnError).toMatch(/^cannot start .*bash: argument list too long \(E2BIG\)/);
  });

  test('leaves the launcher in good health', async () => {
    const world = await launcherWorld();
    await world.run('true', { cwd: join(world.dir, 'gone') });
    expect((await world.run('exit 4')).outcome.exitCode).toBe(4);
    expect(readFileSync(join(world.dir, 'launcher.log'), 'utf8')).toBe('');
  });

  test('is not one whose directories were only removed meanwhile', async () => {
    const world = await launcherWorld();
    await world.run('rm -rf logs scripts work');
    const job = world.start('echo again');
    expect((await job.ended).outcome).toEqual(outcome({ exitCode: 0 }));
    expect(world.stdout(job)).toBe('again\n');
  });
});
