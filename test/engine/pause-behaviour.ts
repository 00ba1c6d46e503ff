import { describe, expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { type Databases, type EngineWorld, PLENTY, WorkerHand, worldOf } from './engine-world.ts';
import { hasWork, workersToNotify } from './found-news.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

const ADA = { actor: 'ada', reason: 'maintenance' };
const STOPPED = outcome({ stopped: true, signal: 'SIGTERM' });

/** Workflows that are paused, stopped and resumed, on any database. */
export function pauseBehaviour(databases: Databases): void {
  const makeWorld = (...jobs: SimpleJob[]) => worldOf(simpleModel(jobs), databases);
  const served = (world: EngineWorld) => world.engine as ServedEngine;

  describe('a paused workflow', () => {
    test('has nothing claimed until it is resumed, and what runs finishes', async () => {
      const world = await makeWorld({ name: 'a' }, { name: 'b', after: ['a'] });
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      const paused = await world.engine.pauseWorkflow(world.workflowId, ADA);
      expect(paused.paused).toEqual({ at_ms: world.clock.now, ...ADA, stopping: false });
      const reported = await worker.exchange({ capacity: PLENTY });
      expect([reported.cancel, reported.stop, reported.claims]).toEqual([[], [], []]);

      await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 0 }) }] });
      expect(await world.job('a')).toMatchObject({ status: 'completed' });
      expect(await world.job('b')).toMatchObject({ status: 'ready' });
      expect(await worker.claim()).toEqual([]);

      const resumed = await world.engine.resumeWorkflow(world.workflowId, { actor: 'bob' });
      expect(resumed.paused).toBeNull();
      expect((await worker.claim()).map(({ job_name }) => job_name)).toEqual(['b']);
    });

    test('keeps retries waiting that fall due, and their time does not make it wake up', async () => {
      const retry = { max_retries_failure: 1, initial_retry_delay_ms: 1_000 };
      const world = await makeWorld({ name: 'a', retry });
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      await world.engine.pauseWorkflow(world.workflowId, ADA);
      world.clock.now += 2_000;
      const waited = await worker.exchange({ capacity: PLENTY });
      expect([waited.claims, waited.next_due_at_ms]).toEqual([[], null]);
      await world.engine.resumeWorkflow(world.workflowId, ADA);
      expect(await worker.claim()).toMatchObject([{ job_name: 'a', attempt_id: 2 }]);
    });

    test('still runs the post script of an attempt that has ended', async () => {
      const world = await makeWorld({ name: 'a', post: 'true' });
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      await world.engine.pauseWorkflow(world.workflowId, ADA);
      const { errands } = await worker.exchange({
        finished: [{ claim: claim!, outcome: outcome({ exit_code: 0 }) }],
      });
      expect(errands).toMatchObject([{ kind: 'post', token: claim!.token }]);
    });

    test('does not use up the time in which a job has to start', async () => {
      const world = await makeWorld({ name: 'a', schedulingTimeoutMs: 60_000 });
      const worker = await world.remoteWorker();
      await world.engine.pauseWorkflow(world.workflowId, ADA);
      world.clock.now += 10 * 60_000;
      expect(await worker.claim()).toEqual([]);
      await world.engine.resumeWorkflow(world.workflowId, ADA);
      expect((await worker.claim()).map(({ job_name }) => job_name)).toEqual(['a']);
    });

    test('is still paused for another engine on the same state', async () => {
      const world = await makeWorld({ name: 'a' });
      await world.engine.pauseWorkflow(world.workflowId, ADA);
      const { databaseUrl } = world.database;
      const other = await openEngine({
        dir: world.dir,
        create: false,
        clock: () => world.clock.now,
        ...(databaseUrl === undefined ? {} : { databaseUrl }),
      });
      try {
        const { paused } = await other.getWorkflow(world.workflowId);
        expect(paused).toMatchObject(ADA);
      } finally {
        await other.close();
      }
      const worker = await world.remoteWorker();
      expect(await worker.claim()).toEqual([]);
    });

    test('says so in the audit trail, in its status and about its ready jobs', async () => {
      const world = await makeWorld({ name: 'a' });
      await world.engine.pauseWorkflow(world.workflowId, ADA);
      expect((await world.engine.status(world.workflowId)).workflow.paused).toMatchObject(ADA);
      expect(await world.engine.explain(world.workflowId, 'a')).toMatchObject({
        headline: 'queued, but its workflow was paused by ada (maintenance)',
        next: 'nothing until the workflow is resumed',
        hint: { kind: 'run', workflow: world.workflowId },
      });
      await world.engine.stopWorkflow(world.workflowId, { actor: 'bob' });
      await world.engine.resumeWorkflow(world.workflowId, { actor: 'eve' });
      const events = (await world.events()).map(({ type, actor, reason }) => ({ type, actor, reason }));
      expect(events.slice(1)).toEqual([
        { type: 'workflow_paused', ...ADA },
        { type: 'workflow_stopped', actor: 'bob', reason: null },
        { type: 'workflow_resumed', actor: 'eve', reason: null },
      ]);
    });

    test('is resumed where a worker is, and run where none is', async () => {
      const world = await makeWorld({ name: 'a' });
      await world.engine.pauseWorkflow(world.workflowId, ADA);
      const hint = async () => (await world.engine.explain(world.workflowId, 'a')).hint?.kind;
      expect(await hint()).toBe('run');
      await world.remoteWorker();
      expect(await hint()).toBe('resume');
    });

    test('is not looked at by workers of a server, unless it has more to do than jobs', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }]), databases);
      const { id } = await world.engine.createWorkflow({
        model: simpleModel([{ name: 'a' }]),
        cwd: '.',
        output_dir: 'output',
        actor: 'test',
        shared: true,
      });
      expect(await hasWork(served(world))).toBe(true);
      await world.engine.pauseWorkflow(id, ADA);
      expect(await hasWork(served(world))).toBe(false);
      await world.engine.resumeWorkflow(id, ADA);
      expect(await hasWork(served(world))).toBe(true);
    });
  });

  describe('a stopped workflow', () => {
    test('has its attempts ended free of charge, and continues where it was', async () => {
      const world = await makeWorld({ name: 'a', retry: { max_retries_failure: 0 } }, { name: 'b' });
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      const stopped = await world.engine.stopWorkflow(world.workflowId, ADA);
      expect(stopped.paused).toMatchObject({ stopping: true });
      const reported = await worker.exchange({ capacity: PLENTY });
      expect([reported.stop, reported.cancel, reported.claims]).toEqual([
        claims.map(({ token }) => token),
        [],
        [],
      ]);

      const after = await worker.exchange({
        finished: claims.map((claim) => ({ claim, outcome: STOPPED })),
        capacity: PLENTY,
      });
      expect([after.stop, after.claims]).toEqual([[], []]);
      expect(await world.attempts()).toMatchObject([
        { state: 'STOPPED', cause: 'stopped', verdict: 'requeue' },
        { state: 'STOPPED', cause: 'stopped', verdict: 'requeue' },
      ]);
      for (const job of await world.jobs()) {
        expect(job).toMatchObject({ status: 'ready', failure_count: 0, preemption_count: 0 });
      }
      expect(await world.engine.status(world.workflowId)).toMatchObject({ complete: false, exit_code: null });

      await world.engine.resumeWorkflow(world.workflowId, ADA);
      expect(await worker.runReady()).toEqual(['a', 'b']);
      expect(await world.engine.status(world.workflowId)).toMatchObject({ complete: true, exit_code: 0 });
    });

    test('reaches workers that wait, and only to those that hold something of it', async () => {
      const world = await makeWorld({ name: 'a' });
      const worker = await world.remoteWorker();
      const identity = { ...ownIdentity({ kind: 'service' }), host: 'elsewhere' };
      const other = new WorkerHand(world, (await world.engine.registerWorker(identity)).id);
      await worker.claim();
      await world.engine.stopWorkflow(world.workflowId, ADA);
      expect(await workersToNotify(served(world))).toEqual([worker.id]);
      expect((await other.exchange({})).stop).toEqual([]);
    });

    test('keeps what succeeds meanwhile', async () => {
      const world = await makeWorld({ name: 'a' });
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await world.engine.stopWorkflow(world.workflowId, ADA);
      await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 0 }) }] });
      expect(await world.job('a')).toMatchObject({ status: 'completed' });
    });
  });

  test('what makes no sense is refused', async () => {
    const world = await makeWorld({ name: 'a' });
    const { engine, workflowId } = world;
    await expect(engine.resumeWorkflow(workflowId, ADA)).rejects.toMatchObject({ code: 'NOT_PAUSED' });
    await engine.pauseWorkflow(workflowId, ADA);
    await expect(engine.pauseWorkflow(workflowId, ADA)).rejects.toMatchObject({
      code: 'ALREADY_PAUSED',
      message: `workflow ${workflowId} is already paused, by ada`,
    });
    await engine.stopWorkflow(workflowId, ADA);
    await expect(engine.stopWorkflow(workflowId, ADA)).rejects.toMatchObject({ code: 'ALREADY_PAUSED' });
    await engine.resumeWorkflow(workflowId, ADA);
    await engine.cancel(workflowId, { actor: 'ada' });
    for (const refused of [engine.pauseWorkflow, engine.stopWorkflow]) {
      await expect(refused(workflowId, ADA)).rejects.toMatchObject({ code: 'WORKFLOW_COMPLETE' });
    }
    await expect(engine.pauseWorkflow(999, ADA)).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
  });
}
