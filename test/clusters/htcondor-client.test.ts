import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDagRun } from '../../src/clusters/htcondor/read/read-dag-run.ts';
import { readEvidence } from '../../src/clusters/htcondor/read/read-evidence.ts';
import { explainDag } from '../../src/views/dag-explanation.ts';
import { type CondorWorld, startCondor } from './condor-world.ts';

let condor: CondorWorld;
beforeAll(async () => {
  condor = await startCondor();
});
afterAll(() => condor.down());

const until = async (look: () => boolean | Promise<boolean>) => {
  while (!(await look())) await sleep(200);
};

describe.concurrent('DAGMan', () => {
  test('runs a workflow in the order of its dependencies, and decides as its handler says', async () => {
    const project = condor.project('workflow', {
      'w.yaml': `name: study
failure_handlers:
  - name: flaky
    rules: [{ exit_codes: [7], max_retries: 3 }]
jobs:
  - { name: make it, command: "echo 1 > made", output_files: [./made] }
  - { name: use, command: "cat made && echo use >> order; n=$(wc -l < order); [ $n -ge 3 ] || exit 7", depends_on: [make it], failure_handler: flaky }
  - { name: broken, command: "exit 9", failure_handler: flaky }
  - { name: never, command: "touch never", depends_on: [broken] }
`,
    });
    const directory = await condor.exportDag(project, 'w.yaml');
    const facts = await condor.runDag(directory);
    expect(facts.ended).toEqual({ how: 'failures', exitCode: 1 });
    expect(Object.fromEntries(facts.units.map(({ name, state }) => [name, state]))).toEqual({
      n000001_make_it: 'done',
      use: 'done',
      broken: 'failed',
      never: 'not run',
    });
    const tries = (node: string) => facts.attempts.filter(({ unit }) => unit === node).length;
    expect(['use', 'broken'].map(tries)).toEqual([3, 1]);
    expect(existsSync(join(project, 'never'))).toBe(false);
  });

  test('that is halted has failed nothing, and continues when the halt file is gone', async () => {
    const project = condor.project('halt', {
      'w.yaml': `name: halted
jobs:
  - { name: first, command: "touch begun; sleep 5" }
  - { name: second, command: "true", depends_on: [first] }
`,
    });
    const directory = await condor.exportDag(project, 'w.yaml');
    const id = await condor.submit(directory);
    await until(() => existsSync(join(project, 'begun')));
    writeFileSync(join(directory, 'workflow.dag.halt'), '');
    const halted = await condor.ended(directory, id);
    expect(halted.ended).toEqual({ how: 'halted', exitCode: 1 });
    expect(halted.units.map(({ state }) => state)).toEqual(['done', 'not run']);
    rmSync(join(directory, 'workflow.dag.halt'));
    expect((await condor.runDag(directory)).ended).toEqual({ how: 'done', exitCode: 0 });
  });

  test('of another user is explained from its logs', async () => {
    const job = (name: string, body: string) => ({
      [`${name}.sub`]: `executable = /bin/sh\narguments = ${name}.run\noutput = $(JOB).out\nerror = logs.$(JOB).$(Cluster)\nlog = own.log\nshould_transfer_files = NO\nqueue\n`,
      [`${name}.run`]: body,
    });
    const directory = condor.project('foreign', {
      'their.dag':
        'JOB ok ok.sub\nJOB bad bad.sub\nRETRY bad 1\nJOB sig sig.sub\nJOB late late.sub\nPARENT bad CHILD late\n',
      ...job('ok', 'exit 0\n'),
      ...job('bad', 'echo "cannot open the door" >&2; exit 4\n'),
      ...job('sig', 'kill -SEGV $$\n'),
      ...job('late', 'exit 0\n'),
    });
    const id = await condor.pool.submitDag({ directory, dag: 'their.dag', tag: 'foreign' });
    await until(async () => !(await condor.pool.list([id])).has(id));
    const found = explainDag(readEvidence(directory));
    expect(found).toMatchObject({
      dag: 'their.dag',
      name: null,
      ended: { how: 'failures', exitCode: 1 },
      counts: { total: 4, done: 1, failed: 2, not_run: 1 },
      attempts: { total: 4, failed: 3 },
    });
    const bad = found.groups.find(({ nodes }) => nodes.includes('bad'))!;
    expect(bad.sample).toMatchObject({
      node: 'bad',
      attempt: 2,
      sentence: 'exit 4',
      log_tail: 'cannot open the door',
    });
    expect(found.groups.find(({ nodes }) => nodes.includes('sig'))!.sample.sentence).toBe('SIGSEGV');
    expect(found.unknown.join()).toContain('no post records');
  });
});

test('a DAG that is in the queue is not submitted again, and an absent schedd is not its end', async () => {
  const project = condor.project('absent', {
    'w.yaml': 'name: x\njobs: [{ name: a, command: "sleep 30" }]\n',
  });
  const directory = await condor.exportDag(project, 'w.yaml');
  const id = await condor.submit(directory);
  const again = (tag: string) => condor.pool.submitDag({ directory, dag: 'workflow.dag', tag });
  await expect(again('another')).rejects.toMatchObject({ code: 'CLUSTER_REFUSED' });
  await until(() => existsSync(join(directory, 'workflow.dag.dagman.out')));
  await condor.stopSchedd();
  await until(async () => {
    const answer = await condor.pool.list([id]).catch((error: { code: string }) => error.code);
    return answer === 'CLUSTER_ABSENT';
  });
  await expect(again('another')).rejects.toMatchObject({ code: 'CLUSTER_ABSENT' });
  expect(readDagRun(directory, id).ended).toBeNull();
  await condor.startSchedd();
  expect((await condor.pool.list([id])).has(id)).toBe(true);
  await condor.pool.remove([id]);
  expect((await condor.ended(directory, id)).ended).toMatchObject({ how: 'removed' });
  expect(readdirSync(directory)).toContain('workflow.dag.rescue001');
  expect(readFileSync(join(directory, 'workflow.dag.rescue001'), 'utf8')).toContain('Nodes that failed: 0');
});
