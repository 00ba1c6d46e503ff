import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../cli/run-cli.ts';
import { jobsWorld } from './world.ts';

const WAIT_FOR_GO = 'echo "$HOLDFAST_ATTEMPT_ID" >> runs; until [ -e go ]; do sleep 0.05; done';

describe.concurrent('a run that is driven here', () => {
  test('and paused elsewhere finishes what runs, says so, and continues when it is resumed', async (context) => {
    const world = jobsWorld(context, [
      { name: 'first', command: WAIT_FOR_GO },
      { name: 'next', command: 'echo next >> nexts', depends_on: ['first'] },
    ]);
    const run = world.start('run', 'spec.json');
    await world.linesReached('runs', 1);
    await world.running();
    const paused = await world.run('pause', '1', '--reason', 'maintenance');
    expect([paused.code, paused.stdout]).toEqual([
      0,
      expect.stringMatching(/^workflow 1 is paused; 1 running job will finish\nnext: holdfast resume 1/),
    ]);
    world.write('go');
    await world.jobWhich('the first job has ended', ({ name, status }) => {
      return name === 'first' && status === 'completed';
    });
    await until(() => /paused +by .*\(maintenance\)/.test(run.output().stderr), 'the run shows the pause');
    expect((await world.run('status', '1')).stdout).toMatch(/: paused.*\n.*\n +paused by .* \(maintenance\)/);
    expect((await world.run('explain', '1', 'next')).stdout).toContain('its workflow was paused by');
    expect([world.lines('nexts'), run.child.exitCode]).toEqual([[], null]);
    const resumed = await world.run('resume', '1');
    expect(resumed.stdout).toBe('workflow 1 is resumed\n');
    expect((await run.ended).code).toBe(0);
    expect(world.lines('nexts')).toEqual(['next']);
  });

  test('and stopped elsewhere ends as if interrupted, charges nothing, and `run ID` resumes it', async (context) => {
    const world = jobsWorld(context, [
      { name: 'first', command: WAIT_FOR_GO, retry: { max_retries_failure: 0 } },
      { name: 'next', command: 'true', depends_on: ['first'] },
    ]);
    const run = world.start('run', 'spec.json');
    await world.linesReached('runs', 1);
    await world.running();
    // The process that would be resumed ends with the stop.
    expect((await world.run('stop', '1')).stdout).toMatch(
      /^workflow 1 is stopping: 1 running job will be ended and queued again\nnext: holdfast run 1\b/,
    );
    const ended = await run.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toContain('run 1: stopped');
    expect(ended.stdout).toContain('next: holdfast run 1');
    await world.nothingLeft();
    expect(await world.attempts()).toMatchObject([{ state: 'STOPPED', verdict: 'requeue' }]);

    world.write('go');
    const again = await world.run('run', '1');
    expect(again.code).toBe(0);
    expect(again.stderr).toMatch(/workflow 1 was stopped by \S+; it is resumed/);
    expect(await world.job('first')).toMatchObject({
      attempt_id: 2,
      failure_count: 0,
      preemption_count: 0,
    });
  });

  test('is refused what makes no sense', async (context) => {
    const world = jobsWorld(context, [{ name: 'a', command: 'true' }]);
    expect((await world.run('run', 'spec.json')).code).toBe(0);
    for (const command of ['pause', 'stop']) {
      const { code, stderr } = await world.run(command, '1');
      expect([code, stderr]).toEqual([2, expect.stringContaining('workflow 1 is complete')]);
    }
    const { code, stderr } = await world.run('resume', '1');
    expect([code, stderr]).toEqual([2, expect.stringContaining('workflow 1 is not paused')]);
  });
});

describe.concurrent('a workflow of a server', () => {
  test('is stopped on its worker, which stays, and resumed there', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-pause-'));
    const bin = resolve(import.meta.dirname, '../../bin/holdfast.js');
    const clean = Object.entries(process.env).filter(([key]) => !key.startsWith('HOLDFAST_'));
    const env = Object.fromEntries(clean);
    const start = (...args: string[]) => {
      const child = spawn(process.execPath, [bin, ...args], { cwd: dir, env });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (data: Buffer) => {
          text += data;
        });
      }
      const ended = new Promise<number | null>((done) => child.once('close', done));
      return { child, ended, output: () => text };
    };
    const lines = (name: string) =>
      existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8').split('\n').filter(Boolean) : [];
    const spec = {
      name: 'shared',
      jobs: [{ name: 'job', command: WAIT_FOR_GO, retry: { max_retries_failure: 0 } }],
    };
    writeFileSync(join(dir, 'spec.json'), JSON.stringify(spec));
    const server = start('serve', '--port', '0', '--with-worker');
    onTestFinished(async () => {
      server.child.kill('SIGKILL');
      await server.ended;
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    });
    const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(server.output())?.[0], 'the server is up');
    const ask = async (...args: string[]) => {
      const command = start(...args, '--server', url);
      return { code: await command.ended, text: command.output() };
    };
    const follower = start('run', 'spec.json', '--server', url);
    await until(() => lines('runs').length === 1, 'the job runs');
    expect((await ask('stop', '1', '--reason', 'the disk')).code).toBe(0);
    expect(await follower.ended).toBe(130);
    expect(follower.output()).toContain(': stopped');
    expect((await ask('jobs', '1', '--status', 'ready', '--output', 'quiet')).text).toBe('job\n');

    writeFileSync(join(dir, 'go'), '');
    expect((await ask('resume', '1')).text).toBe('workflow 1 is resumed\n');
    expect((await ask('run', '1')).code).toBe(0);
    expect(lines('runs')).toEqual(['1', '2']);
  });
});
