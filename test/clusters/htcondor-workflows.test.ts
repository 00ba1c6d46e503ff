import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttemptRecord, JobRecord } from '../../src/contract/records/records.ts';
import { startHoldfast, until } from './condor-cli.ts';
import { type CondorWorld, startCondor } from './condor-world.ts';

let condor: CondorWorld;
beforeAll(async () => {
  condor = await startCondor();
});
afterAll(() => condor.down());

const start = (project: string, ...args: string[]) => startHoldfast(condor, project, args);
const holdfast = (project: string, ...args: string[]) => start(project, ...args).ended;

async function listed<T>(project: string, ...args: string[]): Promise<T[]> {
  const { stdout, stderr } = await holdfast(project, ...args, '--output', 'json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as T[];
}

const statuses = async (project: string) =>
  Object.fromEntries(
    (await listed<JobRecord>(project, 'jobs', '1')).map(({ name, status }) => [name, status]),
  );

const dags = (project: string) => {
  const place = join(project, 'output/htcondor/workflow_1');
  return readdirSync(place).map((name) => join(place, name));
};

describe.concurrent('a workflow with --executor htcondor', () => {
  test('shows its attempts while it runs, and is stopped by Ctrl-C and continued without what is done', async () => {
    const project = condor.project('stopped', {
      'w.yaml': `name: stopped
jobs:
  - { name: quick, command: "echo x >> quick; echo oops >&2; test -e again || { touch again; exit 3; }", retry: { max_retries_failure: 2, initial_delay: 1s } }
  - { name: slow, command: "echo x >> slow; test -e go || sleep 300" }
  - { name: after, command: "echo x >> after", depends_on: [quick, slow] }
`,
    });
    const first = start(project, 'run', 'w.yaml', '--executor', 'htcondor');
    await until(() => existsSync(join(project, 'slow')));
    // While DAGMan runs the other job.
    await until(async () => (await statuses(project)).quick === 'completed');
    const attempts = await listed<AttemptRecord>(project, 'attempts', '1');
    expect(attempts.map(({ job_name, verdict, exit_code }) => [job_name, verdict, exit_code])).toEqual([
      ['quick', 'retry', 3],
      ['quick', 'complete', 0],
    ]);
    expect((await holdfast(project, 'retry', '1', 'quick')).stderr).toContain('DAGMan runs workflow 1');
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 130 });
    expect(await statuses(project)).toEqual({ quick: 'completed', slow: 'ready', after: 'blocked' });
    expect(await condor.command('condor_q', '-allusers', '-af', 'Iwd')).not.toContain(project);
    writeFileSync(join(project, 'go'), '');
    const second = await holdfast(project, 'run', '1');
    expect(second, second.stderr).toMatchObject({ code: 0 });
    expect(await statuses(project)).toEqual({ quick: 'completed', slow: 'completed', after: 'completed' });
    expect(['quick', 'slow', 'after'].map((name) => readFileSync(join(project, name), 'utf8'))).toEqual([
      'x\nx\n',
      'x\nx\n',
      'x\n',
    ]);
    expect(dags(project)).toHaveLength(2);
  });

  test('survives the death of DAGMan, and is over when a person removes it: the rest has not failed', async () => {
    const project = condor.project('removed', {
      'w.yaml': `name: removed
jobs:
  - { name: quick, command: "echo x >> quick" }
  - { name: slow, command: "echo x >> slow; while [ ! -e go ]; do sleep 0.2; done", depends_on: [quick] }
`,
    });
    const running = start(project, 'run', 'w.yaml', '--executor', 'htcondor');
    await until(() => existsSync(join(project, 'slow')));
    const mine = `regexp("/w/removed/", Iwd) && JobUniverse == 7`;
    const ask = (attribute: string) =>
      condor.command('condor_q', '-allusers', '-constraint', mine, '-af', attribute);
    const id = (await ask('ClusterId')).trim();
    await condor.killDagman(id);
    await until(async () => (await ask('NumJobStarts')).trim() === '2');
    expect((await holdfast(project, 'explain', '1', 'slow')).stdout).toContain(`DAGMan ${id} has it`);
    await condor.command('condor_rm', id);
    expect(await running.ended).toMatchObject({ code: 1 });
    expect(await statuses(project)).toEqual({ quick: 'completed', slow: 'canceled' });
    writeFileSync(join(project, 'go'), '');
    await holdfast(project, 'reset-status', '1', '--failed-only');
    expect(await holdfast(project, 'run', '1')).toMatchObject({ code: 0 });
    expect(['quick', 'slow'].map((name) => readFileSync(join(project, name), 'utf8'))).toEqual([
      'x\n',
      'x\nx\n',
    ]);
  });

  test('is paused by a halt: what runs finishes, nothing else starts, and a resume does the rest', async () => {
    const project = condor.project('paused', {
      'w.yaml': `name: paused
jobs:
  - { name: one, command: "touch one; while [ ! -e go ]; do sleep 0.2; done" }
  - { name: two, command: "touch two", depends_on: [one] }
`,
    });
    const running = start(project, 'run', 'w.yaml', '--executor', 'htcondor');
    await until(() => existsSync(join(project, 'one')));
    const paused = holdfast(project, 'pause', '1');
    await until(() => dags(project).some((dag) => existsSync(join(dag, 'workflow.dag.halt'))));
    writeFileSync(join(project, 'go'), '');
    await paused;
    await until(async () => (await statuses(project)).one === 'completed');
    await until(() => existsSync(join(dags(project)[0]!, 'workflow.dag.rescue001')));
    expect(existsSync(join(project, 'two'))).toBe(false);
    await holdfast(project, 'resume', '1');
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await statuses(project)).toEqual({ one: 'completed', two: 'completed' });
  });

  test('removes jobs that are held for as long as hold_timeout says, and knows sites by site_attribute', async () => {
    const project = condor.project('settings', {
      'w.yaml': 'name: settings\njobs: [{ name: held, command: "true" }]\n',
    });
    const env = { HOLDFAST_HOLD_TIMEOUT: '2s', HOLDFAST_SITE_ATTRIBUTE: 'Machine' };
    const { ended } = startHoldfast(condor, project, ['run', 'w.yaml', '--executor', 'htcondor'], env);
    await until(() => existsSync(join(project, 'output/htcondor/workflow_1')) && dags(project).length === 1);
    const script = join(dags(project)[0]!, 'held.sh');
    writeFileSync(script, '#!/no/such/program\n');
    const { code } = await ended;
    expect(code).toBe(1);
    const [attempt] = await listed<AttemptRecord>(project, 'attempts', '1');
    expect(attempt).toMatchObject({ category: 'infrastructure', cause: 'lost' });
    const sub = readFileSync(join(dags(project)[0]!, 'held.sub'), 'utf8');
    expect(sub).toContain('EnteredCurrentStatus > 2)');
    expect(sub).toContain('job_machine_attrs = Machine, Machine');
  });

  test('is run by a server that has HTCondor', async () => {
    const project = condor.project('served', {
      'w.yaml': 'name: served\njobs: [{ name: a, command: "echo x >> ran" }]\n',
    });
    const server = start(project, 'serve', '--port', '0', '--log-level', 'silent');
    const url = await new Promise<string>((resolve) => {
      server.child.stdout!.on('data', (text: string) => {
        const [found] = /http:\/\/\S+/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const args = ['run', 'w.yaml', '--executor', 'htcondor', '--server', url];
    const { code, stderr } = await holdfast(project, ...args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, 'ran'), 'utf8')).toBe('x\n');
    server.child.kill('SIGTERM');
    await server.ended;
  });
});
