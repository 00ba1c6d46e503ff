import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { makeProject, runCli, startCli, until } from './run-cli.ts';

/** DAGs are not written under the temporary directory, in which the tests have theirs. */
const PLACE = mkdtempSync('/var/tmp/holdfast-export-');
afterAll(() => rmSync(PLACE, { recursive: true, force: true }));

let count = 0;
const target = () => {
  count += 1;
  return join(PLACE, `dag-${count}`);
};

const WORKFLOW = { name: 'study', jobs: [{ name: 'a', command: 'echo 1' }] };

/** A directory with programs of HTCondor, each the body of a shell script. */
function programs(bodies: Record<string, string>): string {
  const bin = join(makeProject(), 'bin');
  mkdirSync(bin);
  for (const [name, body] of Object.entries(bodies)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

describe('run --executor htcondor', () => {
  const run = ['run', 'w.yaml', '--executor', 'htcondor'];

  test('refuses what DAGMan cannot do, with its place, and stores nothing', async () => {
    const cwd = makeProject({
      'w.yaml':
        'name: w\njobs:\n  - { name: a, command: "true" }\n  - { name: b, command: "true", depends_on: [a], on_fail: { goto: a } }\n',
    });
    const { code, stderr } = await runCli(run, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('w.yaml:4:50: jobs[1].on_fail: DAGMan cannot do this: DAGMan has no routes');
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('needs condor_submit_dag, and refuses options of workers, before anything is stored', async () => {
    const cwd = makeProject({ 'w.yaml': WORKFLOW });
    const env = { PATH: '/usr/bin:/bin' };
    const { code, stderr } = await runCli(run, { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain('condor_submit_dag');
    for (const option of ['--cpus=2', '--site=north', '--port=7000']) {
      expect(await runCli([...run, option], { cwd, env })).toMatchObject({ code: 2 });
    }
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('says what the queue refused, keeps the workflow, and Ctrl-C ends it', async () => {
    const bin = programs({ condor_q: ':', condor_submit_dag: 'echo "ERROR: no such group" >&2; exit 1' });
    const cwd = mkdtempSync(join(PLACE, 'refused-'));
    writeFileSync(join(cwd, 'w.yaml'), JSON.stringify(WORKFLOW));
    const env = { PATH: `${bin}:/usr/bin:/bin` };
    const running = startCli(run, { cwd, env });
    await until(() => running.output().stderr.includes('condor_submit_dag refused'), 'it is refused');
    expect(running.output().stderr).toContain('no such group');
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
    const { stdout } = await runCli(['status', '1', '--output', 'json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ workflow: { executor: 'htcondor' }, counts: { ready: 1 } });
  });
});

describe('htcondor export', () => {
  test('writes a workflow, and says how to submit it', async () => {
    const directory = target();
    const cwd = makeProject({ 'workflow.json': WORKFLOW });
    const { code, stdout } = await runCli(['htcondor', 'export', 'workflow.json', '-o', directory], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('study: 1 job, ');
    expect(stdout).toContain(`cd ${directory} && condor_submit_dag workflow.dag`);
    expect(statSync(join(directory, 'post')).mode & 0o111).not.toBe(0);
    expect(statSync(join(directory, 'a.sh')).mode & 0o111).not.toBe(0);
    expect(readFileSync(join(directory, 'a.sh'), 'utf8')).toContain(`cd -- '${cwd}'`);
  });

  test('writes the first round of a request, or as many units as are asked for', async () => {
    const directory = target();
    const cwd = makeProject({
      'list.txt': "it's one\ttag\ntwo $HOME\ttag\nthree\n",
      'request.yaml':
        'kind: request\nname: inv\nwork: { items: list.txt }\nprocess: { command: "cat {items}", retry: 1 }\nsites: [north]\n',
    });
    const args = [
      'htcondor',
      'export',
      'request.yaml',
      '-o',
      directory,
      '--units',
      '2',
      '--site-attribute',
      'Site',
    ];
    const { code, stdout } = await runCli([...args, '--output', 'json'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ dag: 'round.dag', units: 2, jobs: 2, name: 'inv-v1-round-1' });
    expect(readdirSync(directory).filter((name) => name.startsWith('u'))).toEqual(['u000001', 'u000002']);
    expect(readFileSync(join(directory, 'sites.inc'), 'utf8')).toContain('TARGET.Site =?= "north"');
    const facts = JSON.parse(
      readFileSync(join(directory, 'u000001/proc_000001.node.json'), 'utf8'),
    ) as object;
    expect(facts).toMatchObject({ items: ["it's one"], retry: { max_retries_failure: 1 } });
  });

  test('takes the site attribute and the hold timeout from option, spec and configuration, in this order', async () => {
    const text =
      'kind: request\nname: r\nwork: { range: { total: 1, per_job: 1 } }\nprocess: { command: "true" }\n';
    const spec = `${text}htcondor: { hold_timeout: 2m, site_attribute: OfSpec }\n`;
    const cwd = makeProject({ 'plain.yaml': text, 'chosen.yaml': spec });
    const env = { HOLDFAST_HOLD_TIMEOUT: '3m', HOLDFAST_SITE_ATTRIBUTE: 'OfConfiguration' };
    const exported = async (name: string, ...more: string[]) => {
      const directory = target();
      const { code } = await runCli(['htcondor', 'export', name, '-o', directory, ...more], { cwd, env });
      expect(code).toBe(0);
      const sub = readFileSync(join(directory, 'u000001/proc_000001.sub'), 'utf8');
      return [/EnteredCurrentStatus > (\d+)/.exec(sub)![1], /job_machine_attrs = (\w+)/.exec(sub)![1]];
    };
    expect(await exported('plain.yaml')).toEqual(['180', 'OfConfiguration']);
    expect(await exported('chosen.yaml')).toEqual(['120', 'OfSpec']);
    const options = ['--hold-timeout', '1m', '--site-attribute', 'OfOption'];
    expect(await exported('chosen.yaml', ...options)).toEqual(['60', 'OfOption']);
    const { code, stderr } = await runCli(['config', 'show'], {
      cwd,
      env: { HOLDFAST_HOLD_TIMEOUT: '10ms' },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('a second or more');
  });

  test('refuses what DAGMan cannot do, with its place, and writes nothing', async () => {
    const directory = target();
    const cwd = makeProject({
      'w.yaml':
        'name: w\nuse_pending_failed: true\njobs:\n  - name: a\n    command: "true"\n    labels: [gpu]\n  - name: b_{i}\n    command: "true"\n    parameters: { i: "1:3" }\n    isolate: true\n',
    });
    const { code, stderr } = await runCli(['htcondor', 'export', 'w.yaml', '-o', directory], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'w.yaml:2:1: use_pending_failed: DAGMan cannot do this: DAGMan cannot wait for a decision',
    );
    expect(stderr).toContain('w.yaml:6:5: jobs[0].labels: DAGMan cannot do this: only workers');
    expect(stderr.match(/jobs\[1\]\.isolate/g)).toHaveLength(1);
    expect(existsSync(directory)).toBe(false);
  });

  test('never writes into a directory that has something in it, nor under the temporary directory', async () => {
    const cwd = makeProject({ 'workflow.json': WORKFLOW });
    const directory = target();
    mkdirSync(directory);
    writeFileSync(join(directory, 'mine'), '');
    const to = (place: string) => runCli(['htcondor', 'export', 'workflow.json', '-o', place], { cwd });
    expect(await to(directory)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is not empty'),
    });
    expect(readdirSync(directory)).toEqual(['mine']);
    expect(await to('dag')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('DAGMan refuses to run'),
    });
    expect(existsSync(join(cwd, 'dag'))).toBe(false);
    expect(await to(join(directory, 'mine'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a directory'),
    });
  });

  test.each([
    [['--hold-timeout', 'soon'], '--hold-timeout'],
    [['--units', '0'], '--units'],
    [['--site-attribute', 'a b'], '--site-attribute'],
  ])('refuses %j', async (options, named) => {
    const cwd = makeProject({
      'r.yaml':
        'kind: request\nname: r\nwork: { range: { total: 1, per_job: 1 } }\nprocess: { command: "true" }\n',
    });
    const { code, stderr } = await runCli(['htcondor', 'export', 'r.yaml', '-o', target(), ...options], {
      cwd,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining(named)]);
  });
});

describe('explain --dag', () => {
  test('needs a DAG', async () => {
    const cwd = makeProject({ 'sub/x': '' });
    for (const place of ['sub', 'none']) {
      const { code, stderr } = await runCli(['explain', '--dag', place], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be read as a DAG directory')]);
    }
    expect(await runCli(['explain', 'a', '--dag', 'sub'], { cwd })).toMatchObject({ code: 2 });
    expect(await runCli(['explain'], { cwd })).toMatchObject({ code: 2 });
  });
});

describe('doctor', () => {
  const checks = async (commands: Record<string, string>) => {
    const bin = makeProject(commands);
    for (const name of Object.keys(commands)) chmodSync(join(bin, name), 0o755);
    const PATH = `${bin}:/usr/bin:/bin`;
    const { stdout } = await runCli(['doctor', '--output', 'json'], { cwd: makeProject(), env: { PATH } });
    const found = JSON.parse(stdout) as { name: string; result: string; detail: string }[];
    return found.filter(({ name }) => name.startsWith('htcondor'));
  };
  const VERSION = '#!/bin/sh\necho "$CondorVersion: 23.9.6 2024-08-08 $"\n'.replaceAll('"', "'");

  test('says that there is no HTCondor, which is fine', async () => {
    expect(await checks({})).toEqual([
      { name: 'htcondor', result: 'ok', detail: 'not found: no condor_submit_dag on PATH', hint: null },
    ]);
  });

  test('asks version and schedd, and warns of one that does not answer', async () => {
    const commands = { condor_submit_dag: '#!/bin/sh\n', condor_version: VERSION, condor_q: '#!/bin/sh\n' };
    expect(await checks(commands)).toMatchObject([
      { name: 'htcondor', result: 'ok', detail: '23.9.6' },
      { name: 'htcondor schedd', result: 'ok', detail: 'answers' },
    ]);
    const absent = "#!/bin/sh\necho 'Error: Can\\'t find address of local schedd' >&2\nexit 1\n".replace(
      "\\'",
      '',
    );
    expect((await checks({ ...commands, condor_q: absent }))[1]).toMatchObject({
      name: 'htcondor schedd',
      result: 'warn',
    });
  });
});
