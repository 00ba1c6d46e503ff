import { describe, expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { LEASE_MS } from '../../src/core/worker/lease.ts';
import type { Databases } from './engine-world.ts';
import { ADA, inUnits, inventory, OK, PERMANENT, paths, range, requestWorld } from './request-world.ts';

const RECOVERY = {
  ...ADA,
  memory_multiplier: 2,
  runtime_multiplier: 2,
  max_memory_bytes: null,
  max_runtime_ms: null,
  retry_unknown: true,
};
const JOB = 'unit_000001_proc_01';

/** Rounds as workflows: what is refused there, and what comes too late, on any database. */
export function requestRoundsBehaviour(databases: Databases): void {
  const activeRound = async (text = range()) => {
    const world = await requestWorld(databases);
    const { request_name } = await world.submit(text);
    await world.tend();
    const worker = await world.worker();
    return { world, worker, ...(await world.round(request_name)) };
  };

  describe('the workflow of a round', () => {
    const refused: { what: string; act: (engine: ServedEngine, id: number) => Promise<unknown> }[] = [
      { what: 'cancel', act: (engine, id) => engine.cancel(id, ADA) },
      { what: 'cancel of one job', act: (engine, id) => engine.cancel(id, { ...ADA, jobs: [JOB] }) },
      { what: 'cancel as a dry run', act: (engine, id) => engine.cancel(id, { ...ADA, dry_run: true }) },
      { what: 'pause', act: (engine, id) => engine.pauseWorkflow(id, ADA) },
      { what: 'stop', act: (engine, id) => engine.stopWorkflow(id, ADA) },
      { what: 'resume', act: (engine, id) => engine.resumeWorkflow(id, ADA) },
      { what: 'reset-status', act: (engine, id) => engine.resetStatus(id, { ...ADA, failed_only: true }) },
      { what: 'recover', act: (engine, id) => engine.recover(id, RECOVERY) },
    ];
    test.each(refused)('refuses $what, and names the request', async ({ act }) => {
      const { world, workflow_id } = await activeRound();
      const before = [await world.show(), await world.engine.status(workflow_id)];
      const error = await act(world.engine, workflow_id).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'ROUND_WORKFLOW' });
      expect(String(error)).toContain('round 1 of request sim');
      expect([await world.show(), await world.engine.status(workflow_id)]).toEqual(before);
    });

    test('has no decisions to be made', async () => {
      const { world, worker, workflow_id } = await activeRound();
      const claims = await worker.claim();
      await worker.end(claims.slice(0, 1), PERMANENT);
      const { id } = await world.engine.getJob(workflow_id, JOB);
      const resolved = world.engine.resolve(workflow_id, {
        ...ADA,
        decisions: [{ job_id: id, action: 'retry' }],
      });
      await expect(resolved).rejects.toMatchObject({ code: 'NO_PENDING_FAILED' });
    });

    test('lets a job be retried and given more while it is open', async () => {
      const { world, worker, workflow_id } = await activeRound();
      const claims = await worker.claim();
      await worker.end(claims.slice(0, 1), PERMANENT);
      await world.engine.changeResources(workflow_id, JOB, { ...ADA, memory: '3g' });
      await world.engine.retryJob(workflow_id, JOB, ADA);
      const again = await worker.claim();
      expect(again).toMatchObject([{ job_name: JOB, attempt_id: 2 }]);
      await worker.end([...claims.slice(1), ...again], OK);
      expect(await world.show()).toMatchObject({ status: 'COMPLETED', delivered: '100' });
      expect((await world.round()).runs.map(({ kind }) => kind)).toEqual(['first']);
    });

    const decided = [
      { state: 'held', play: inUnits([1, 2], PERMANENT), more: '', act: async () => {} },
      {
        state: 'complete, with a unit that was passed over',
        play: inUnits([1], PERMANENT),
        more: 'errors: { when_exhausted: advance, error_max_rescue_attempts: 0 }',
        act: async () => {},
      },
      {
        state: 'failed',
        play: inUnits([1, 2], PERMANENT),
        more: '',
        act: (engine: ServedEngine) => engine.failRequest('sim', ADA),
      },
      {
        state: 'released',
        play: inUnits([1, 2], PERMANENT),
        more: '',
        act: (engine: ServedEngine) => engine.releaseRequest('sim', ADA),
      },
    ];
    test.each(decided)('lets no job be changed once its request is $state', async ({ play, more, act }) => {
      const { world, worker, workflow_id } = await activeRound(range({ more }));
      await world.drive(worker, play);
      await act(world.engine);
      const before = [await world.show(), await world.engine.status(workflow_id)];
      for (const late of [
        () => world.engine.retryJob(workflow_id, JOB, ADA),
        () => world.engine.changeResources(workflow_id, JOB, { ...ADA, memory: '3g' }),
      ]) {
        await expect(late()).rejects.toMatchObject({ code: 'ROUND_WORKFLOW' });
      }
      expect([await world.show(), await world.engine.status(workflow_id)]).toEqual(before);
      expect(await worker.claim()).toEqual([]);
    });
  });

  describe('a success that is reported late, by a worker that was given up,', () => {
    const once =
      'process: { command: "x {items}", retry: { max_retries_failure: 0, max_retries_preemption: 0 } }';

    test('changes nothing after its round was decided: its item may be in another unit', async () => {
      const { world, worker, workflow_id } = await activeRound(
        inventory({ name: 'sim', items: paths(2) }).replace(/process: .*/, once),
      );
      const claims = await worker.claim();
      world.clock.now += LEASE_MS + 1;
      await world.engine.sweep();
      expect(await world.state()).toBe('HELD');
      await world.engine.releaseRequest('sim', ADA);
      await world.tend();
      const before = [await world.show(), await world.items('sim'), await world.engine.status(workflow_id)];
      await expect(worker.end(claims, OK)).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
      expect([await world.show(), await world.items('sim'), await world.engine.status(workflow_id)]).toEqual(
        before,
      );
      const next = await world.worker();
      expect(await next.claim()).toHaveLength(2);
    });

    test('changes nothing in the rescue of its round', async () => {
      const { world, worker } = await activeRound(
        `${range().replace(/process: .*/, once.replace('items', 'first'))}\nerrors: { error_hold_threshold: 1, error_max_rescue_attempts: 5 }`,
      );
      const other = await world.worker();
      const claims = await worker.claim({ slots: 1 });
      await other.end(await other.claim(), OK);
      await world.engine.loseWorker(worker.id, ADA);
      expect((await world.round()).runs.map(({ kind }) => kind)).toEqual(['first', 'failure']);
      await expect(worker.end(claims, OK)).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
      expect(await world.show()).toMatchObject({ status: 'ACTIVE', delivered: '90' });
      const again = await other.claim();
      expect(again).toHaveLength(1);
      await other.end(again, OK);
      expect(await world.show()).toMatchObject({ status: 'COMPLETED', delivered: '100' });
    });
  });

  describe('a worker that dies with a post step to do', () => {
    test('leaves it to another one, and nothing of the round is lost', async () => {
      const { world, worker } = await activeRound(range({ units: 2 }));
      const claims = await worker.claim();
      await worker.report(claims, OK);
      world.clock.now += LEASE_MS + 1;
      await world.engine.sweep();
      const next = await world.worker();
      expect(await next.run()).toMatchObject({ ran: 2 });
      expect(await world.show()).toMatchObject({ status: 'COMPLETED', delivered: '20' });
      const { items } = await world.engine.listAttempts((await world.round()).workflow_id);
      expect(items).toHaveLength(2);
    });
  });
}
