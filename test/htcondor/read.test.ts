import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endOf, readMetrics } from '../../src/clusters/htcondor/read/dag-metrics.ts';
import { readNodeStatus } from '../../src/clusters/htcondor/read/node-status.ts';
import { readDagRun } from '../../src/clusters/htcondor/read/read-dag-run.ts';
import { readEvidence } from '../../src/clusters/htcondor/read/read-evidence.ts';
import { stderrPath } from '../../src/clusters/htcondor/read/submit-lines.ts';
import { explainDag } from '../../src/views/dag-explanation.ts';
import { makeProject, runCli } from '../cli/run-cli.ts';

/** Made small from runs of HTCondor 23.9.6: what DAGMan leaves for each way in which a run ends. */
const SAMPLES = join(import.meta.dirname, 'samples');
const sample = (name: string) => join(SAMPLES, name);

function changeable(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'dag-'));
  cpSync(sample(name), directory, { recursive: true });
  return directory;
}

const stateOf = (directory: string) => readDagRun(directory).units.map(({ state }) => state);

describe('a run in a DAG directory', () => {
  test.each([
    ['done', { how: 'done', exitCode: 0 }, ['done', 'done']],
    ['failures', { how: 'failures', exitCode: 1 }, ['done', 'failed', 'failed']],
    ['rescued', { how: 'failures', exitCode: 1 }, ['done', 'failed', 'done']],
    ['aborted', { how: 'aborted', exitCode: 1 }, ['not run', 'failed', 'not run']],
    ['removed', { how: 'removed', exitCode: 2 }, ['done', 'not run', 'not run']],
    ['halted', { how: 'halted', exitCode: 1 }, ['done', 'not run']],
    ['error', { how: 'error', exitCode: 1 }, ['not run', 'not run']],
    ['running', null, ['done', 'not run', 'not run']],
  ])('of the sample %s', (name, ended, units) => {
    expect(readDagRun(sample(name)).ended).toEqual(ended);
    expect(stateOf(sample(name))).toEqual(units);
  });

  test('has the attempts of that run alone', () => {
    const attempts = (name: string) =>
      readDagRun(sample(name)).attempts.map(
        ({ unit, record }) => `${unit} r${record.run}.a${record.attempt}`,
      );
    expect(attempts('failures').toSorted()).toEqual([
      'u000001 r1.a1',
      'u000002 r1.a1',
      'u000003 r1.a1',
      'u000003 r1.a2',
    ]);
    expect(readDagRun(sample('rescued')).run).toBe(2);
    expect(attempts('rescued').toSorted()).toEqual(['u000002 r2.a1', 'u000003 r2.a1']);
  });

  test('has not ended by the metrics of the run before', () => {
    const { metrics } = readDagRun(sample('failures'));
    expect(readDagRun(sample('failures'), metrics!.cluster).ended).toMatchObject({ how: 'failures' });
    const next = readDagRun(sample('failures'), '99999');
    expect(next).toMatchObject({ ended: null, run: 2, attempts: [] });
    expect(next.units.map(({ state }) => state)).toEqual(['done', 'not run', 'not run']);
  });

  test('a unit that failed without a record is a failure without evidence', () => {
    const directory = changeable('failures');
    rmSync(join(directory, 'u000002/proc_000001.r1.a1.post.json'));
    expect(readDagRun(directory).units[1]).toEqual({ name: 'u000002', state: 'failed', noEvidence: true });
    expect(explainDag(readEvidence(directory)).without_evidence).toEqual(['u000002']);
  });

  test('damaged records are named, and nothing is taken from them', () => {
    const directory = changeable('failures');
    for (const text of ['', '{"node_name":', '[]', '{"node_name": "proc_000001", "run": 1}']) {
      writeFileSync(join(directory, 'u000002/proc_000001.r1.a1.post.json'), text);
      const facts = readDagRun(directory);
      expect(facts.unreadable).toEqual(['u000002/proc_000001.r1.a1.post.json']);
      expect(facts.units[1]!.noEvidence).toBe(true);
    }
  });

  test('another directory is refused', () => {
    expect(() => readDagRun(sample('foreign'))).toThrow(/no run\.json/);
  });
});

describe('metrics', () => {
  const text = readFileSync(join(sample('failures'), 'round.dag.metrics'), 'utf8');

  test('of both versions say the same', () => {
    const second = text
      .replace('"jobs":0', '"nodes":3')
      .replace('"jobs_failed":0', '"nodes_failed":2')
      .replace('"jobs_succeeded":0', '"nodes_succeeded":1')
      .replace(/"(?:dag_jobs|total_jobs)\w*":\d+,\s*/g, '');
    expect(readMetrics(text)).toMatchObject({ failed: 2, succeeded: 1, nodes: 3, dagStatus: 2, rescue: 0 });
    expect(readMetrics(second)).toEqual(readMetrics(text));
  });

  test('that are damaged are none', () => {
    for (const damaged of ['', '{', '[]', 'null', '{"exitcode": "1"}'])
      expect(readMetrics(damaged)).toBeNull();
  });

  test.each([
    [0, 2, 3, true, 'done'],
    [2, 4, 0, true, 'removed'],
    [1, 3, 1, true, 'aborted'],
    [1, 2, 1, true, 'failures'],
    [1, 0, 0, true, 'halted'],
    [1, 0, 0, false, 'error'],
    [1, 1, 0, false, 'error'],
    [1, 5, 0, true, 'error'],
    [1, null, 0, true, 'halted'],
  ])('exit %s, status %s, %s failed, rescue %s: %s', (exitCode, dagStatus, failed, hasRescue, how) => {
    expect(endOf({ exitCode, dagStatus, failed }, hasRescue).how).toBe(how);
  });
});

describe('a DAG of another user', () => {
  test('is explained by its logs: what a removal ended has not failed', () => {
    const found = explainDag(readEvidence(sample('foreign')));
    expect(found).toMatchObject({
      dag: 'their.dag',
      name: null,
      run: 1,
      ended: { how: 'removed', exitCode: 2 },
      counts: { total: 4, done: 1, failed: 2, not_run: 1 },
      by_category: { transient: 2 },
      without_evidence: [],
    });
    expect(
      found.groups.map(({ nodes, sample: one }) => [nodes, one.sentence, one.log_tail]).toSorted(),
    ).toEqual([
      [['bad'], 'exit 4', 'cannot open the door'],
      [['sig'], 'SIGSEGV', ''],
    ]);
    expect(found.by_site).toEqual({ node7: { attempts: 4, failed: 3 } });
  });

  test('says what it cannot know where the log is missing', () => {
    const directory = changeable('foreign');
    rmSync(join(directory, 'their.dag.nodes.log'));
    const found = explainDag(readEvidence(directory));
    expect(found.without_evidence).toEqual(['bad', 'sig']);
    expect(found.unknown.join()).toContain('their.dag.nodes.log is not there');
  });

  test('its stderr is where the submit file says, as far as that can be known', () => {
    const values = new Map([
      ['job', 'a'],
      ['cluster', '7'],
    ]);
    expect(stderrPath('Error = logs/$(JOB).$(Cluster).err\nqueue', values)).toBe('logs/a.7.err');
    expect(stderrPath('initialdir = x\nname = b\nerror = $(name:c)$(other:d)', values)).toBe('x/bd');
    expect(stderrPath('error = $(unknown)', values)).toBeNull();
    expect(stderrPath('error = $ENV(HOME)/x', values)).toBeNull();
    expect(stderrPath('a = $(a)\nerror = $(a)', values)).toBeNull();
    expect(stderrPath('queue', values)).toBeNull();
  });
});

test('status files have quotes and comments', () => {
  const text =
    '[\n  Type = "NodeStatus";\n  Node = "a";\n  NodeStatus = 6; /* "STATUS_ERROR" */\n  StatusDetails = "it\'s \\"x\\"";\n  RetryCount = 2;\n]\n[\n  Type = "StatusEnd";\n]\n';
  expect(readNodeStatus(text).nodes).toEqual([
    { node: 'a', state: 'error', details: 'it\'s "x"', retries: 2 },
  ]);
});

describe('explain --dag', () => {
  test('groups failures by category, site and fingerprint, with the end of stderr', async () => {
    const { code, stdout } = await runCli(['explain', '--dag', sample('failures')], { cwd: tmpdir() });
    expect(code).toBe(0);
    expect(stdout).toContain('sample-v1-round-1, round.dag, run 1\n');
    expect(stdout).toContain('it ended with failures (exit 1): 1 of 3 done, 2 failed, 0 not run\n');
    expect(stdout).toContain('failed nodes by category: permanent 1, transient 1');
    expect(stdout).toMatch(/failed attempts by site: .*(north|south) \d of \d/);
    expect(stdout).toContain('    | no such option: --fast\n');
    expect(stdout).toContain('u000003/proc_000001, attempt 2: exit 7: transient');
  });

  test.each(['done', 'aborted', 'removed', 'halted', 'error', 'running', 'foreign', 'rescued'])(
    'reads %s',
    async (name) => {
      const { code, stdout } = await runCli(['explain', '--dag', sample(name), '--output', 'json'], {
        cwd: tmpdir(),
      });
      expect(code).toBe(0);
      const found = JSON.parse(stdout) as { groups: unknown[]; counts: { failed: number } };
      expect(found.groups.length > 0).toBe(found.counts.failed > 0);
    },
  );
});

describe('requests import --dag', () => {
  test('stores a failed DAG of anybody, whose errors are grouped like those of any request', async () => {
    const cwd = makeProject();
    const { code, stdout, stderr } = await runCli(['requests', 'import', '--dag', sample('foreign')], {
      cwd,
    });
    expect(code).toBe(0);
    expect(stdout).toContain('foreign@1  FAILED');
    expect(stderr).toContain('note: no post records');
    const errors = await runCli(['requests', 'errors', 'foreign'], { cwd });
    expect(errors.stdout).toContain('by category: transient 2');
    expect(errors.stdout).toContain('| cannot open the door');
    const failures = await runCli(['failures', '1'], { cwd });
    expect(failures.stdout).toContain('| cannot open the door');
    const named = await runCli(['requests', 'import', 'mine', '--dag', sample('failures')], { cwd });
    expect(named.stdout).toContain('mine@1  FAILED');
  });

  test.each([
    ['done', 'it has not failed'],
    ['running', 'it has not ended'],
    ['nowhere', 'there is no such directory'],
  ])('refuses one that is %s, and stores nothing', async (name, problem) => {
    const cwd = makeProject();
    const { code, stderr } = await runCli(['requests', 'import', '--dag', sample(name)], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('needs a DAG, and state of its own', async () => {
    const cwd = makeProject();
    expect(await runCli(['requests', 'import'], { cwd })).toMatchObject({ code: 2 });
    const args = ['requests', 'import', '--dag', sample('failures'), '--server', 'http://127.0.0.1:9'];
    expect((await runCli(args, { cwd })).stderr).toContain('--server: a DAG is imported into the state here');
    expect(await runCli(['requests', 'list', '--dag', 'x'], { cwd })).toMatchObject({ code: 2 });
  });
});
