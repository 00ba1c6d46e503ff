import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../worker/service-world.ts';
import { makeProject, type RunningCli, runCli, startCli } from './run-cli.ts';

const LABELLED = {
  name: 'labelled',
  jobs: [
    { name: 'plain', command: 'true' },
    { name: 'train', command: 'true', labels: ['gpu', 'big mem'] },
  ],
};

test('run refuses a spec with labels that it does not have, and creates nothing', async () => {
  const cwd = makeProject({ 'labelled.json': LABELLED });
  const none = await runCli(['run', 'labelled.json'], { cwd });
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('job train needs the labels big mem, gpu; this run has none');
  expect(none.stderr).toContain("add --label 'big mem' --label gpu");
  const some = await runCli(['run', 'labelled.json', '--label', 'gpu', '--label', 'x'], { cwd });
  expect(some.stderr).toContain('job train needs the label big mem; this run has only gpu, x');
  expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
});

test('run with all labels runs jobs with and without labels', async () => {
  const cwd = makeProject({ 'labelled.json': LABELLED });
  const ran = await runCli(['run', 'labelled.json', '--label', 'gpu', '--label', 'big mem'], { cwd });
  expect(ran.stderr).not.toContain('error');
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('completed 2');
});

test('run ID refuses a ready job whose labels it does not have', { timeout: 20_000 }, async () => {
  const cwd = makeProject({ 'labelled.json': LABELLED });
  const labels = ['--label', 'gpu', '--label', 'big mem'];
  await runCli(['run', 'labelled.json', ...labels], { cwd });
  await runCli(['reset-status', '1'], { cwd });
  const without = await runCli(['run', '1', '--label', 'other'], { cwd });
  expect(without.code).toBe(2);
  expect(without.stderr).toContain('job train needs the labels big mem, gpu; this run has only other');
  expect((await runCli(['run', '1', ...labels], { cwd })).code).toBe(0);
});

test.each([
  ['run', ['run', '1', '--label', 'gpu', '--server', 'http://127.0.0.1:1'], 'only with --with-worker'],
  ['watch', ['watch', '1', '--label', 'gpu'], 'only with --recover'],
  ['a name', ['run', '1', '--label', ' '], 'must be a name of at most 200 characters'],
])('--label is refused where it would have no effect: %s', async (_, args, problem) => {
  const { code, stderr } = await runCli(args, { cwd: makeProject() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--label: ')]);
  expect(stderr).toContain(problem);
});

/** Ends when the file is there. */
const WAIT = 'until [ -e go ]; do sleep 0.05; done';

/** Runs in the background until the test is over. */
function inBackground(args: string[], cwd: string): RunningCli {
  const running = startCli(args, { cwd });
  onTestFinished(async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  });
  return running;
}

test('explain of a ready job names what is short and who holds it', { timeout: 30_000 }, async () => {
  const jobs = [
    { name: 'sim_3', command: WAIT, resources: { licence: 1 }, priority: 1 },
    { name: 'wide', command: WAIT, resource_requirements: { num_cpus: 3 }, priority: 1 },
    { name: 'sim_9', command: 'true', resources: { licence: 1 } },
    { name: 'wide_2', command: 'true', resource_requirements: { num_cpus: 2 } },
  ];
  const cwd = makeProject({ 'busy.json': { name: 'busy', limits: { licence: 1 }, jobs } });
  const run = inBackground(['run', 'busy.json', '--cpus', '5'], cwd);
  const counts = async () => {
    const { stdout } = await runCli(['status', '1', '--output', 'json'], { cwd });
    return stdout === '' ? 0 : (JSON.parse(stdout) as { counts: { running: number } }).counts.running;
  };
  await until('both run', async () => (await counts()) === 2);
  const licence = await runCli(['explain', '1', 'sim_9'], { cwd });
  expect(licence.stdout).toContain('queued, but no worker can take it now\n');
  expect(licence.stdout).toContain('\n  waiting for 1 licence: held by sim_3\n');
  const cpus = await runCli(['explain', '1', 'wide_2'], { cwd });
  expect(cpus.stdout).toMatch(
    /\n {2}waiting for 2 CPUs: 1 of 5 is free on worker 1 \(.+\); held by sim_3, wide\n/,
  );
  const { stdout } = await runCli(['explain', '1', 'sim_9', '--output', 'json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    waits: [
      {
        short: { kind: 'limit', name: 'licence', needed: 1, free: 0 },
        total: 1,
        held_by: [{ name: 'sim_3' }],
      },
    ],
  });
  writeFileSync(join(cwd, 'go'), '');
  expect((await run.ended).code).toBe(0);
});

test('workers of a server take the jobs whose labels they have', { timeout: 60_000 }, async () => {
  const cwd = makeProject({ 'labelled.json': LABELLED });
  const server = inBackground(['serve', '--port', '0', '--output', 'quiet', '--log-level', 'silent'], cwd);
  await until('it listens', () => server.output().stdout.includes('http'));
  const at = ['--server', server.output().stdout.trim()];
  const jobs = async () => {
    const { stdout } = await runCli(['jobs', '1', '--output', 'json', ...at], { cwd });
    const listed = JSON.parse(stdout) as { name: string; status: string }[];
    return listed.map(({ name, status }) => `${name} ${status}`);
  };
  const explain = async () => (await runCli(['explain', '1', 'train', ...at], { cwd })).stdout;

  expect((await runCli(['submit', 'labelled.json', ...at], { cwd })).code).toBe(0);
  expect(await explain()).toContain('\n  no worker takes jobs\n');
  inBackground(['worker', '--dir', 'w1', ...at], cwd);
  await until('plain is done', async () => (await jobs())[0] === 'plain completed');
  expect(await jobs()).toEqual(['plain completed', 'train ready']);
  expect(await explain()).toContain('\n  no worker has the labels big mem, gpu\n');

  inBackground(
    ['worker', '--dir', 'w2', '--site', 'lab', '--label', 'gpu', '--label', 'big mem', ...at],
    cwd,
  );
  await until('train is done', async () => (await jobs())[1] === 'train completed');
  const { stdout } = await runCli(['attempts', '1', '--output', 'json', ...at], { cwd });
  expect(JSON.parse(stdout)).toMatchObject([
    { job_name: 'plain', worker_id: 1 },
    { job_name: 'train', worker_id: 2 },
  ]);
  const workers = await runCli(['workers', 'list', ...at], { cwd });
  expect(workers.stdout).toMatch(/lab +gpu,big mem/);
});
