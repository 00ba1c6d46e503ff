import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeProject, runCli, startCli, until } from './run-cli.ts';

/** Runs until a file called `go` appears beside it, and says in `pids` which process it is. */
const WAIT_FOR_GO = 'echo started; echo $$ >> pids; until [ -e go ]; do sleep 0.05; done; echo gone';

function project(...jobs: object[]): string {
  return makeProject({ 'spec.json': { name: 'live', jobs } });
}

/** The processes that the jobs have written down, once there are `count`. */
function pids(cwd: string, count: number): Promise<number[]> {
  return until(() => {
    if (!existsSync(join(cwd, 'pids'))) return null;
    const found = readFileSync(join(cwd, 'pids'), 'utf8').split('\n').filter(Boolean).map(Number);
    return found.length >= count ? found : null;
  }, `${count} jobs have started`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function running(cwd: string, count: number): Promise<boolean> {
  return until(async () => {
    const { stdout, code } = await runCli(['jobs', '1', '--status', 'running', '--output', 'quiet'], { cwd });
    return code === 0 && stdout.trim().split('\n').filter(Boolean).length === count;
  }, `${count} jobs are running`);
}

describe('Ctrl-C', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '(%s) stops the running jobs, exits with 130, and run ID continues',
    async (signal) => {
      const cwd = project(
        { name: 'first', command: WAIT_FOR_GO },
        { name: 'next', command: 'true', depends_on: ['first'] },
      );
      const run = startCli(['run', 'spec.json'], { cwd });
      const [pid] = await pids(cwd, 1);
      await running(cwd, 1);
      run.child.kill(signal);
      const ended = await run.ended;
      expect(ended.code).toBe(130);
      expect(ended.stderr).toContain('stopping 1 running job (grace 10s); press Ctrl-C again to kill it');
      expect(ended.stdout).toContain('next: holdfast run 1');
      expect(isAlive(pid!)).toBe(false);

      writeFileSync(join(cwd, 'go'), '');
      const resumed = await runCli(['run', '1'], { cwd });
      expect(resumed.code).toBe(0);
      const { stdout } = await runCli(['attempts', '1', 'first'], { cwd });
      expect(stdout).toMatch(/ 1 {2}STOPPED /);
      expect(stdout).toMatch(/ 2 {2}SUCCEEDED /);
    },
  );

  test('twice kills jobs that do not listen, and says so', async () => {
    const cwd = project({ name: 'stubborn', command: `trap '' TERM; ${WAIT_FOR_GO}` });
    const run = startCli(['run', 'spec.json', '--grace', '10m'], { cwd });
    const [pid] = await pids(cwd, 1);
    run.child.kill('SIGINT');
    await until(() => run.output().stderr.includes('press Ctrl-C again'), 'the first Ctrl-C was answered');
    expect(isAlive(pid!)).toBe(true);
    run.child.kill('SIGINT');
    const ended = await run.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).toContain('killing the running jobs');
    expect(isAlive(pid!)).toBe(false);
  });
});

describe('a second process', () => {
  test('only follows a run that is driven, and exits as the run does', async () => {
    const cwd = project({ name: 'job', command: `${WAIT_FOR_GO}; exit 4` });
    const driver = startCli(['run', 'spec.json'], { cwd });
    await running(cwd, 1);
    const follower = startCli(['run', '1'], { cwd });
    await until(() => follower.output().stderr.includes('Ctrl-C only stops following'), 'it follows');
    expect(follower.output().stderr).toContain(`process ${driver.child.pid} on `);
    writeFileSync(join(cwd, 'go'), '');
    expect((await driver.ended).code).toBe(1);
    const followed = await follower.ended;
    expect(followed.code).toBe(1);
    expect(followed.stdout).toContain('failed job: exit 4');
    expect((await pids(cwd, 1)).length).toBe(1);
  });

  test('that follows leaves the run alone when it is interrupted', async () => {
    const cwd = project({ name: 'job', command: WAIT_FOR_GO });
    const driver = startCli(['run', 'spec.json'], { cwd });
    await running(cwd, 1);
    const follower = startCli(['run', '1'], { cwd });
    await until(() => follower.output().stderr.includes('Ctrl-C only stops following'), 'it follows');
    follower.child.kill('SIGINT');
    expect((await follower.ended).code).toBe(130);
    expect(driver.child.exitCode).toBeNull();
    writeFileSync(join(cwd, 'go'), '');
    expect((await driver.ended).code).toBe(0);
  });

  test('sees the run in status and cancels jobs of it', async () => {
    const cwd = project(
      { name: 'busy', command: WAIT_FOR_GO },
      { name: 'other', command: 'true', depends_on: ['busy'] },
    );
    const driver = startCli(['run', 'spec.json'], { cwd });
    const [pid] = await pids(cwd, 1);
    await running(cwd, 1);
    expect((await runCli(['status', '1'], { cwd })).stdout).toMatch(
      /: running, started .*\n.*\n(?: {2}owner .*\n)? {2}driven by process \d+/,
    );
    expect((await runCli(['cancel', '1', '--dry-run'], { cwd })).stdout).toBe(
      'workflow 1: would cancel 1 job, would stop 1 job that runs now\n',
    );
    const canceled = await runCli(['cancel', 'busy', '--reason', 'wrong input'], { cwd });
    expect(canceled).toMatchObject({ code: 0 });
    const ended = await driver.ended;
    expect(ended.code).toBe(1);
    expect(isAlive(pid!)).toBe(false);
    expect((await runCli(['explain', '1', 'busy'], { cwd })).stdout).toContain('canceled');
    expect((await runCli(['events', '1'], { cwd })).stdout).toContain('wrong input');
  });
});

describe('logs -f', () => {
  test('prints what a running job writes until it has ended', async () => {
    const cwd = project({ name: 'job', command: WAIT_FOR_GO });
    const driver = startCli(['run', 'spec.json'], { cwd });
    await running(cwd, 1);
    const logs = startCli(['logs', 'job', '-f'], { cwd });
    await until(() => logs.output().stdout === 'started\n', 'the first line was printed');
    writeFileSync(join(cwd, 'go'), '');
    expect(await logs.ended).toEqual({ code: 0, stdout: 'started\ngone\n', stderr: '' });
    await driver.ended;
  });

  test('continues with the next attempt when the job is retried', async () => {
    const cwd = project({
      name: 'job',
      command: `echo "attempt $HOLDFAST_ATTEMPT_ID"; ${WAIT_FOR_GO}; [ "$HOLDFAST_ATTEMPT_ID" -eq 2 ]`,
      retry: { max_retries_failure: 1, initial_retry_delay_ms: 10 },
    });
    const driver = startCli(['run', 'spec.json'], { cwd });
    await running(cwd, 1);
    const logs = startCli(['logs', '1', 'job', '-f'], { cwd });
    await until(() => logs.output().stdout.includes('started'), 'the first attempt is followed');
    writeFileSync(join(cwd, 'go'), '');
    const followed = await logs.ended;
    expect(followed.code).toBe(0);
    expect(followed.stdout).toBe('attempt 1\nstarted\ngone\nattempt 2\nstarted\ngone\n');
    expect(followed.stderr).toContain('attempt 1: exit 1 - retry 1 of 1 after 10ms');
    expect((await driver.ended).code).toBe(0);
  });
});

describe('output', () => {
  test('into a pipe that is closed early ends quietly', () => {
    const cwd = makeProject();
    const bin = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
    const script = `"$1" "$2" schema | head -c 10 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', process.execPath, bin], {
      cwd,
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });

  test('of a job into a pipe is copied byte by byte, escapes included', async () => {
    const cwd = project({ name: 'raw', command: "printf 'a\\033[2Jb\\000c'" });
    await runCli(['run', 'spec.json'], { cwd });
    expect((await runCli(['logs', 'raw'], { cwd })).stdout).toBe('a\x1b[2Jb\x00c');
  });

  test('of names with escapes is made visible everywhere else', async () => {
    const cwd = project({ name: 'bad', command: "printf '\\033]0;owned\\007' >&2; exit 1" });
    const { stdout } = await runCli(['run', 'spec.json'], { cwd });
    expect(stdout).toContain('| ␛]0;owned␇');
    expect(stdout).not.toContain('\x1b');
  });
});
