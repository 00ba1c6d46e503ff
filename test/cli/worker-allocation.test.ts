import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProcessTable } from '../../src/worker/launcher/kill/process-table.ts';
import { ServedProject } from '../client/served-project.ts';
import { kill } from '../kill-process.ts';
import { makeProject, type RunningCli, runCli, startCli, until } from './run-cli.ts';

const MARKER = 'HF_TEST_ALLOCATION';
const HELD = 'echo x >> starts; until [ -e go ]; do sleep 0.02; done';

/** What a job of Slurm is started with, and the programs that it finds. */
function inSlurm(cwd: string, more: Record<string, string> = {}, squeue?: string): Record<string, string> {
  const bin = join(cwd, 'bin');
  mkdirSync(bin, { recursive: true });
  // Says when the allocation ends, as of how the test wants it.
  const script = squeue ?? 'echo "RUNNING|$(date -u -d "+1 hour" +%Y-%m-%dT%H:%M:%S)"';
  for (const [name, text] of [
    ['squeue', script],
    ['scontrol', 'echo "KillWait = 8 sec"'],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    [MARKER]: cwd,
    SLURM_JOB_ID: '4711',
    SLURM_NNODES: '1',
    SLURM_NODEID: '0',
    SLURM_CPUS_ON_NODE: '3',
    SLURM_MEM_PER_NODE: '500',
    SLURM_CLUSTER_NAME: 'atlas',
    ...more,
  };
}

/**
 * As Slurm ends an allocation: every process of it gets SIGCONT and SIGTERM, from the worker to the jobs. A process may
 * end between the listing and its signals, as a child of a shell does that has just finished.
 */
function endAllocation(cwd: string): void {
  const { processes, environment } = readProcessTable(new Set());
  const all = [...processes.keys()].filter((pid) => environment(pid)?.includes(`${MARKER}=${cwd}`));
  for (const signal of ['SIGCONT', 'SIGTERM'] as const) for (const pid of all) kill(pid, signal);
}

describe('worker --allocation slurm', () => {
  const project = new ServedProject();
  let flags: string[];
  beforeAll(async () => {
    flags = ['--server', await project.startAlone()];
  });
  afterAll(() => project.stop());

  async function submit(cwd: string, jobs: object[]): Promise<string> {
    writeFileSync(join(cwd, 'spec.json'), JSON.stringify({ name: 'spec', jobs }));
    const words = ['submit', 'spec.json', '--cwd', cwd, '--output', 'quiet', ...flags];
    return (await runCli(words, { cwd })).stdout.trim();
  }

  async function list(what: 'jobs' | 'attempts' | 'workers', cwd: string, ...args: string[]) {
    const { stdout } = await runCli([what, ...args, '--output', 'json', ...flags], { cwd });
    return JSON.parse(stdout) as Record<string, unknown>[];
  }

  function start(cwd: string, id: string, env: Record<string, string>, ...more: string[]): RunningCli {
    const words = ['worker', '--allocation', 'slurm', '--workflow', id, '--tag', 'holdfast-t', ...more];
    return startCli([...words, ...flags], { cwd, env });
  }

  async function hasBegun(cwd: string, times = 1): Promise<void> {
    await until(() => {
      const file = join(cwd, 'starts');
      return existsSync(file) && readFileSync(file, 'utf8').length === 2 * times;
    }, 'the job has begun');
  }

  test('offers what the job of Slurm has, survives its end to report, and comes back when it is requeued', async () => {
    const cwd = makeProject();
    const id = await submit(cwd, [{ name: 'job', command: `trap 'exit 0' TERM; ${HELD}` }]);
    const first = start(cwd, id, inSlurm(cwd));
    await hasBegun(cwd);
    const [worker] = await list('workers', cwd, 'list');
    expect(worker).toMatchObject({ cpus: 3, memory_bytes: 500 * 1024 * 1024, site: 'atlas', nodes: 1 });
    endAllocation(cwd);
    expect(await first.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the allocation is being ended, and its jobs are lost\n'),
    });
    expect(await list('jobs', cwd, id)).toMatchObject([
      { status: 'ready', failure_count: 0, preemption_count: 1 },
    ]);

    const second = start(cwd, id, inSlurm(cwd, { SLURM_RESTART_COUNT: '1' }));
    await hasBegun(cwd, 2);
    writeFileSync(join(cwd, 'go'), '');
    expect((await second.ended).code).toBe(0);
    expect(await list('attempts', cwd, id)).toMatchObject([{ cause: 'lost' }, { state: 'SUCCEEDED' }]);
    for (const name of ['node-0-0', 'node-0-1']) {
      expect(existsSync(join(cwd, '.holdfast', 'slurm', 'holdfast-t', name))).toBe(true);
    }
  });

  test.each([
    ['absent', 'exit 127'],
    ['garbage', 'echo "no|idea"; echo "???"'],
  ])('works where squeue is %s, and offers what the options say', async (_, squeue) => {
    const cwd = makeProject();
    const id = await submit(cwd, [{ name: 'job', command: 'true' }]);
    const worker = start(cwd, id, inSlurm(cwd, {}, squeue), '--cpus', '1', '--memory', '100m', '--site', 'x');
    expect((await worker.ended).code).toBe(0);
    expect(await list('jobs', cwd, id)).toMatchObject([{ status: 'completed' }]);
    const [record] = await list('workers', cwd, 'list', '--all');
    expect(record).toMatchObject({ cpus: 1, memory_bytes: 100 * 1024 * 1024, site: 'x' });
  });

  test('leaves when it was idle for long enough', async () => {
    const cwd = makeProject();
    const id = await submit(cwd, [{ name: 'job', command: 'true', labels: ['elsewhere'] }]);
    const worker = start(cwd, id, inSlurm(cwd), '--idle-timeout', '300ms');
    expect(await worker.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('leaving') });
  });
});

describe('worker refuses', () => {
  const at = ['--server', 'http://127.0.0.1:9'];
  test.each([
    [
      'an allocation outside of Slurm',
      ['--allocation', 'slurm'],
      'SLURM_JOB_ID is not set; start the worker',
    ],
    ['another cluster', ['--allocation', 'pbs'], '--allocation: must be slurm, not pbs'],
    ['a tag without an allocation', ['--tag', 'x'], '--tag: only with --allocation'],
    ['times of an allocation without one', ['--take-until', '1m'], '--take-until: only with --allocation'],
    ['the other as well', ['--end-before', '1m'], '--end-before: only with --allocation'],
    ['to stay for no workflow', ['--stay'], '--stay: only with --workflow'],
    ['a workflow that is no number', ['--workflow', 'x'], '--workflow: must be a whole number'],
    ['an idle time of nothing', ['--idle-timeout', '0'], '--idle-timeout: must be a duration'],
  ])('%s', async (_, args, message) => {
    const cwd = makeProject();
    const { code, stderr } = await runCli(['worker', ...args, ...at], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });
});
