import { describe, expect, test } from 'vitest';
import type { JobRecord } from '../../src/contract/records/records.ts';
import { modelOf } from '../spec/spec-text.ts';
import type { Databases } from './engine-world.ts';
import { FakeDagman, type NodeEnds } from './fake-dagman.ts';
import { ADA, requestWorld } from './request-world.ts';

const OK: NodeEnds = { actions: ['success'] };
const FAILED: NodeEnds = { actions: ['retries_exhausted'] };
const CHAIN = `name: chain
jobs:
  - { name: a, command: "true" }
  - { name: b b, command: "true", depends_on: [a], retry: { max_retries_failure: 1 } }
  - { name: c, command: "true", depends_on: [b b] }
  - { name: d, command: "true" }
`;

async function workflowWorld(databases: Databases, text = CHAIN) {
  const { engine, clock } = await requestWorld(databases);
  const { id } = await engine.createWorkflow({
    model: modelOf(text),
    cwd: '/work',
    output_dir: 'output',
    actor: 'ada',
    executor: 'htcondor',
  });
  const dagman = new FakeDagman(() => clock.now);
  const driver = { ...dagman.driver(), only: { workflow: id } };
  /** Passes of the engine until it only waits. */
  const tend = async (passes = 4) => {
    let result = await engine.tendRuns(driver);
    for (let pass = 1; pass < passes; pass += 1) result = await engine.tendRuns(driver);
    return result;
  };
  const statuses = async () => {
    const { items } = await engine.listJobs(id, { limit: 1000 });
    return Object.fromEntries(items.map(({ name, status }: JobRecord) => [name, status]));
  };
  const attempts = async () => (await engine.listAttempts(id, { limit: 1000 })).items;
  const exitCode = async () => (await engine.status(id)).exit_code;
  return { engine, clock, id, dagman, driver, tend, statuses, attempts, exitCode };
}

export function dagWorkflowsBehaviour(databases: Databases): void {
  describe('a workflow that DAGMan runs', () => {
    test('is submitted as one DAG, and its records are attempts, classified as those of workers', async () => {
      const { engine, id, dagman, tend, statuses, attempts, exitCode } = await workflowWorld(databases);
      dagman.play = ({ node }) => (node === 'n000002_b_b' ? { actions: ['retry', 'success'] } : OK);
      expect((await tend()).open).toBe(1);
      expect(dagman.prepared).toMatchObject([
        { dag: 'workflow.dag', run: 1, request: null, jobs: [0, 1, 2, 3] },
      ]);
      expect(dagman.prepared[0]!.directory).toMatch(
        new RegExp(`^/work/output/htcondor/workflow_${id}/dag-[0-9a-f]{12}$`),
      );
      dagman.end('done');
      expect((await tend()).open).toBe(0);
      expect(await statuses()).toEqual({
        a: 'completed',
        'b b': 'completed',
        c: 'completed',
        d: 'completed',
      });
      expect(await exitCode()).toBe(0);
      const retried = (await attempts()).find(({ verdict }) => verdict === 'retry')!;
      expect(retried).toMatchObject({ job_name: 'b b', exit_code: 7, rule: 'retry', category: 'transient' });
      const types = (await engine.listEvents(id, { limit: 1000 })).items.map(({ type }) => type);
      expect(types.filter((type) => type.startsWith('dag_'))).toEqual(['dag_submitted', 'dag_ended']);
    });

    test('fails as with workers: dependents are canceled, others run, exit code 1', async () => {
      const { dagman, tend, statuses, exitCode } = await workflowWorld(databases);
      dagman.play = ({ node }) => (node === 'a' ? FAILED : node === 'd' ? OK : 'not run');
      await tend();
      dagman.end('failures');
      await tend();
      expect(await statuses()).toEqual({ a: 'failed', 'b b': 'canceled', c: 'canceled', d: 'completed' });
      expect(await exitCode()).toBe(1);
    });

    test('shows attempts while it runs, each once, whoever reads them', async () => {
      const { engine, dagman, driver, tend, statuses, attempts } = await workflowWorld(databases);
      await tend();
      dagman.readsWhileRunning = true;
      dagman.play = ({ node }) =>
        node === 'a' ? OK : node === 'd' ? { actions: ['retry', 'retries_exhausted'] } : 'not run';
      await tend();
      expect(await statuses()).toMatchObject({ a: 'completed', 'b b': 'ready', d: 'failed' });
      expect(await attempts()).toHaveLength(3);
      await engine.leaveRuns(driver);
      await engine.tendRuns({ ...driver, server: 'server-2' });
      expect(await attempts()).toHaveLength(3);
      await engine.leaveRuns({ ...driver, server: 'server-2' });
      dagman.play = ({ node }) => (node === 'd' ? { actions: ['retry', 'retries_exhausted'] } : OK);
      dagman.end('failures');
      await tend();
      expect(await attempts()).toHaveLength(5);
      expect(await statuses()).toEqual({ a: 'completed', 'b b': 'completed', c: 'completed', d: 'failed' });
    });

    test('is explained as DAGMan has it, whether or not a process follows it', async () => {
      const { engine, clock, id, dagman, driver, tend } = await workflowWorld(databases);
      const explained = async (name: string) => {
        const { waits, headline, hint } = await engine.explain(id, name);
        return { waits: waits.map(({ short }) => short), headline, hint };
      };
      expect(await explained('a')).toMatchObject({ waits: [], hint: { kind: 'run' } });
      dagman.refusal = 'no such group';
      await tend();
      expect(await explained('a')).toMatchObject({
        waits: [{ kind: 'dagman', cluster_id: null, problem: expect.stringContaining('refused') }],
        hint: null,
      });
      await engine.leaveRuns(driver);
      expect(await explained('a')).toMatchObject({ waits: [], hint: { kind: 'run' } });
      dagman.refusal = null;
      clock.now += 3_600_000;
      await tend();
      dagman.readsWhileRunning = true;
      dagman.play = ({ node }) => (node === 'a' ? { actions: ['retry'] } : 'not run');
      await tend();
      await engine.leaveRuns(driver);
      const cluster = dagman.runs[0]!.id;
      for (const name of ['a', 'd']) {
        expect(await explained(name)).toMatchObject({
          waits: [{ kind: 'dagman', cluster_id: cluster, problem: null }],
          headline: expect.stringMatching(/^DAGMan runs its workflow/),
          hint: null,
        });
      }
      expect(await explained('b b')).toMatchObject({ waits: [], hint: null });
    });

    test('is removed by a stop and continued in another DAG, without what is done', async () => {
      const { engine, id, dagman, tend, statuses, attempts, exitCode } = await workflowWorld(databases);
      await tend();
      dagman.play = ({ node }) => (node === 'a' ? OK : 'not run');
      await engine.stopWorkflow(id, ADA);
      expect((await tend()).open).toBe(0);
      expect(dagman.runs).toMatchObject([{ how: 'removed' }]);
      expect(await statuses()).toEqual({ a: 'completed', 'b b': 'ready', c: 'blocked', d: 'ready' });
      await engine.resumeWorkflow(id, ADA);
      dagman.play = () => OK;
      await tend();
      const [first, second] = dagman.prepared;
      expect(second).toMatchObject({ run: 1, jobs: [1, 2, 3] });
      expect(second!.directory).not.toBe(first!.directory);
      dagman.end('done');
      await tend();
      expect(await attempts()).toHaveLength(4);
      expect(await exitCode()).toBe(0);
    });

    test('is halted by a pause: what runs finishes, and a resume starts the rest', async () => {
      const { engine, id, dagman, tend, statuses, exitCode } = await workflowWorld(databases);
      await tend();
      await engine.pauseWorkflow(id, ADA);
      await tend();
      expect([...dagman.halted]).toEqual(dagman.runs.map((run) => run.id));
      await engine.resumeWorkflow(id, ADA);
      await tend();
      expect([...dagman.halted]).toEqual([]);
      await engine.pauseWorkflow(id, ADA);
      await tend();
      dagman.play = ({ node }) => (node === 'a' ? OK : 'not run');
      dagman.end('halted');
      expect((await tend()).open).toBe(0);
      expect(await statuses()).toMatchObject({ a: 'completed', 'b b': 'ready', d: 'ready' });
      expect(dagman.runs).toHaveLength(1);
      await engine.resumeWorkflow(id, ADA);
      dagman.play = () => OK;
      await tend();
      dagman.end('done');
      await tend();
      expect(await exitCode()).toBe(0);
    });

    test('takes no order about single jobs while DAGMan has it, and a retry afterwards is a DAG of its own', async () => {
      const { engine, id, dagman, tend, statuses, exitCode } = await workflowWorld(databases);
      await tend();
      const running = { code: 'DAG_RUNNING' };
      await expect(engine.retryJob(id, 'a', ADA)).rejects.toMatchObject(running);
      await expect(engine.retryJobs(id, { ...ADA, jobs: ['a'] })).rejects.toMatchObject(running);
      await expect(engine.retryJobs(id, { ...ADA, from: ['a'] })).rejects.toMatchObject(running);
      await expect(engine.cancel(id, { ...ADA, jobs: ['a'] })).rejects.toMatchObject(running);
      await expect(engine.cancel(id, { ...ADA, statuses: ['ready'] })).rejects.toMatchObject(running);
      await expect(engine.resetStatus(id, ADA)).rejects.toMatchObject(running);
      await expect(engine.reinitialize(id, { ...ADA, stale: [] })).rejects.toMatchObject(running);
      dagman.play = ({ node }) => (node === 'd' ? FAILED : OK);
      dagman.end('failures');
      await tend();
      expect(await exitCode()).toBe(1);
      await engine.retryJob(id, 'd', ADA);
      dagman.play = () => OK;
      await tend();
      expect(dagman.prepared.at(-1)).toMatchObject({ jobs: [3] });
      dagman.end('done');
      await tend();
      expect(await statuses()).toMatchObject({ a: 'completed', d: 'completed' });
      expect(await exitCode()).toBe(0);
    });

    test('is removed from the queue when it is canceled', async () => {
      const { engine, id, dagman, tend, statuses } = await workflowWorld(databases);
      await tend();
      await engine.cancel(id, ADA);
      dagman.play = () => 'not run';
      expect((await tend()).open).toBe(0);
      expect(dagman.runs).toMatchObject([{ how: 'removed' }]);
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['canceled']));
    });

    test('counts what DAGMan says of nodes without a record, whatever their order', async () => {
      const text = CHAIN.replace('name: a,', 'name: a, depends_on: [d],');
      const { dagman, tend, statuses } = await workflowWorld(databases, text);
      await tend();
      dagman.withoutRecords.add(1).add(2).add(3).add(4);
      dagman.end('done');
      await tend();
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['completed']));
    });

    test('a failure that fails nothing else is a failure, as with workers', async () => {
      const text = `name: x
steps:
  a: { exec: "true", continue_on_failure: true }
  b: { exec: "true", depends_on: [a] }
`;
      const { dagman, tend, statuses } = await workflowWorld(databases, text);
      await tend();
      dagman.play = ({ node }) => (node === 'a' ? { actions: ['absorbed'] } : OK);
      dagman.end('done');
      await tend();
      expect(await statuses()).toEqual({ a: 'failed', b: 'completed' });
    });
  });
}
