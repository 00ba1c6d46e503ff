import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { type Databases, PLENTY, statuses, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** Jobs that are stopped or canceled, and what becomes of those after them, on any database. */
export function cancelBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[]) => worldOf(simpleModel(jobs), databases);

  describe('stopping and canceling', () => {
    test('a stopped attempt is free and its job ready again (R11)', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      await worker.exchange({
        finished: [{ claim: claim!, outcome: outcome({ stopped: true, exit_code: 0 }) }],
      });
      expect(await world.job('a')).toMatchObject({ status: 'ready', failure_count: 0, preemption_count: 0 });
      expect((await world.attempts())[0]).toMatchObject({ state: 'STOPPED', verdict: 'requeue' });
    });

    test('a running job is canceled by way of its worker, whatever ends it', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 5 } },
        { name: 'b', after: ['a'] },
      ]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      const result = await world.engine.cancel(world.workflowId, {
        jobs: ['a'],
        actor: 'ann',
        reason: 'wrong input',
      });
      expect(result).toEqual({ canceled: [], stopping: [claim!.job_id], actions: [] });
      expect((await worker.exchange({})).cancel).toEqual([claim!.token]);
      await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 3 }) }] });
      expect(await statuses(world)).toEqual(['canceled', 'canceled']);
      expect((await world.attempts())[0]).toMatchObject({ state: 'KILLED', verdict: 'cancel' });
    });

    test('a job that succeeds before it could be canceled has succeeded', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 0 }) }] });
      expect(await statuses(world)).toEqual(['completed']);
    });

    test('a dry run changes nothing', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      const before = await world.events();
      const result = await world.engine.cancel(world.workflowId, { actor: 'ann', dry_run: true });
      expect(result.canceled).toHaveLength(2);
      expect(await statuses(world)).toEqual(['ready', 'blocked']);
      expect(await world.events()).toEqual(before);
    });
  });

  describe('dependents', () => {
    const chain = (b: Partial<SimpleJob> = {}): SimpleJob[] => [
      { name: 'a' },
      { name: 'b', after: ['a'], ...b },
      { name: 'c', after: ['b'] },
      { name: 'd', after: ['c'] },
    ];

    test('are canceled transitively (C1)', async () => {
      const world = await makeWorld(chain());
      await (await world.remoteWorker()).runReady({ a: 1 });
      expect(await statuses(world)).toEqual(['failed', 'canceled', 'canceled', 'canceled']);
      expect((await world.engine.status(world.workflowId)).exit_code).toBe(1);
    });

    test('that do not mind run all the same (C2)', async () => {
      const world = await makeWorld(chain({ runsAfterFailure: true }));
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      for (let n = 0; n < 3; n += 1) await worker.runReady();
      expect(await statuses(world)).toEqual(['failed', 'completed', 'completed', 'completed']);
      expect((await world.engine.status(world.workflowId)).exit_code).toBe(1);
    });

    test('of a barrier start when the last one of the stage before has ended', async () => {
      const stage = (prefix: string, after: string[] = []) =>
        Array.from({ length: 20 }, (_, index) => ({ name: `${prefix}${index}`, after }));
      const firsts = stage('x');
      const world = await makeWorld([
        ...firsts,
        ...stage(
          'y',
          firsts.map((job) => job.name),
        ),
      ]);
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      const ending = claims.map((claim) => ({ claim, outcome: outcome({ exit_code: 0 }) }));
      const almost = await worker.exchange({ finished: ending.slice(1), capacity: PLENTY });
      expect(almost.claims).toEqual([]);
      const all = await worker.exchange({ finished: ending.slice(0, 1), capacity: PLENTY });
      expect(all.claims).toHaveLength(20);
    });
  });
}
