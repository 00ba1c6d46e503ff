import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { type Databases, type EngineWorld, statuses, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

const FAILED = outcome({ exit_code: 1 });
const ENDED = outcome({ signal: 'SIGTERM' });

/** align_1 to align_4, of which the last waits for `prepare`; call_N waits for align_N. */
const PIPELINE: SimpleJob[] = [
  { name: 'prepare', priority: -1 },
  ...[1, 2, 3].map((i) => ({ name: `align_${i}`, failFast: 'align_{i}' })),
  { name: 'align_4', after: ['prepare'], failFast: 'align_{i}' },
  ...[1, 2, 3, 4].map((i) => ({ name: `call_${i}`, after: [`align_${i}`], failFast: 'call_{i}' })),
  { name: 'other' },
];

/** A sweep of which the rest is canceled when one job fails, on any database. */
export function failFastBehaviour(databases: Databases): void {
  const makeWorld = (jobs = PIPELINE) => worldOf(simpleModel(jobs), databases);
  const named = async (world: EngineWorld) =>
    Object.fromEntries((await world.jobs()).map(({ name, status }) => [name, status]));

  /** Three of the sweep and `other` run; align_3 has just failed. */
  async function failing() {
    const world = await makeWorld();
    const worker = await world.remoteWorker();
    const claims = await worker.claim({ slots: 4 });
    expect(claims.map(({ job_name }) => job_name)).toEqual(['align_1', 'align_2', 'align_3', 'other']);
    await worker.exchange({ started: claims });
    const [first, second, third, other] = claims;
    const { cancel } = await worker.exchange({ finished: [{ claim: third!, outcome: FAILED }] });
    return { world, worker, first: first!, second: second!, other: other!, cancel };
  }

  describe('a sweep with fail_fast', () => {
    test('is canceled when one of its jobs has failed: what waits at once, what runs by its worker', async () => {
      const { world, worker, first, second, other, cancel } = await failing();
      expect(cancel.toSorted()).toEqual([first.token, second.token]);
      expect(await named(world)).toMatchObject({
        prepare: 'ready',
        ...{ align_1: 'running', align_2: 'running', align_3: 'failed', align_4: 'canceled' },
        ...{ call_1: 'blocked', call_3: 'canceled', call_4: 'canceled', other: 'running' },
      });
      const ends = [first, second].map((claim) => ({ claim, outcome: ENDED }));
      await worker.exchange({ finished: [...ends, { claim: other, outcome: outcome({ exit_code: 0 }) }] });
      await worker.runReady();
      expect(await named(world)).toMatchObject({
        prepare: 'completed',
        ...{ align_1: 'canceled', align_2: 'canceled', align_4: 'canceled' },
        ...{ call_1: 'canceled', call_2: 'canceled', other: 'completed' },
      });
      for (const name of ['align_1', 'align_4']) {
        expect((await world.job(name)).reason).toBe('align_3 of the same sweep failed');
      }
      expect((await world.engine.status(world.workflowId)).exit_code).toBe(1);
      const reported = (await world.events()).filter(({ reason }) => reason?.includes('of the same sweep'));
      expect(reported.map(({ type, job_name }) => [type, job_name])).toEqual(
        expect.arrayContaining([
          ['cancel_requested', 'align_1'],
          ['cancel_requested', 'align_2'],
          ['cancel', 'align_4'],
        ]),
      );
    });

    test('runs on while a failure is retried, and when one of its jobs is canceled', async () => {
      const world = await makeWorld([
        { name: 'a_1', failFast: 'a', retry: { max_retries_failure: 1, initial_retry_delay_ms: 1000 } },
        { name: 'a_2', failFast: 'a', priority: -1 },
        { name: 'a_3', failFast: 'a', priority: -1 },
      ]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim({ slots: 1 });
      await worker.exchange({ started: [claim!], finished: [{ claim: claim!, outcome: FAILED }] });
      await world.engine.cancel(world.workflowId, { jobs: ['a_2'], actor: 'ann' });
      expect(await statuses(world)).toEqual(['ready', 'canceled', 'ready']);
      world.clock.now += 1000;
      await worker.runReady({ a_1: 1 });
      expect((await world.job('a_1')).status).toBe('failed');
    });

    test('keeps what completed before the failure, and what succeeds before it can be ended', async () => {
      const { world, worker, first } = await failing();
      await worker.exchange({ finished: [{ claim: first, outcome: outcome({ exit_code: 0 }) }] });
      expect(await named(world)).toMatchObject({ align_1: 'completed', call_1: 'ready' });
    });

    test('comes back with a retry of the job that failed, and what was downstream of it', async () => {
      const { world, worker, first, second, other } = await failing();
      const good = { claim: other, outcome: outcome({ exit_code: 0 }) };
      const ends = [first, second].map((claim) => ({ claim, outcome: ENDED }));
      await worker.exchange({ finished: [...ends, good] });
      await worker.runReady();
      const request = { statuses: ['failed' as const], actor: 'ann' };
      const foreseen = await world.engine.retryJobs(world.workflowId, { ...request, dry_run: true });
      const { jobs, revived } = await world.engine.retryJobs(world.workflowId, request);
      expect(foreseen.revived).toEqual(revived);
      expect([jobs.map(({ name }) => name), revived.length]).toEqual([['align_3'], 7]);
      expect(await named(world)).toMatchObject({
        ...{ align_1: 'ready', align_2: 'ready', align_3: 'ready', align_4: 'ready' },
        ...{ call_1: 'blocked', call_2: 'blocked', call_3: 'blocked', call_4: 'blocked' },
      });
      expect((await worker.runReady()).toSorted()).toEqual(['align_1', 'align_2', 'align_3', 'align_4']);
      await worker.runReady();
      expect(new Set(await statuses(world))).toEqual(new Set(['completed']));
    });

    test('comes back while its running jobs are still being ended: they are retried instead', async () => {
      const { world, worker, first, second } = await failing();
      await world.engine.retryJobs(world.workflowId, { jobs: ['align_3'], actor: 'ann' });
      await worker.exchange({ finished: [first, second].map((claim) => ({ claim, outcome: ENDED })) });
      expect(await named(world)).toMatchObject({ align_1: 'ready', align_2: 'ready', align_3: 'ready' });
      expect((await worker.runReady()).toSorted()).toEqual(
        expect.arrayContaining(['align_1', 'align_2', 'align_3']),
      );
    });

    test('is canceled again by the next failure, and where something that it waits for failed', async () => {
      const world = await makeWorld([
        { name: 'up' },
        { name: 'a_1', failFast: 'a' },
        { name: 'a_2', failFast: 'a' },
        { name: 'a_3', after: ['up'], failFast: 'a' },
      ]);
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      const end = (name: string) => ({
        claim: claims.find(({ job_name }) => job_name === name)!,
        outcome: FAILED,
      });
      await worker.exchange({ finished: [end('a_1')] });
      // Retried while it is being ended, so that its failure counts.
      await world.engine.retryJobs(world.workflowId, { jobs: ['a_1'], actor: 'ann' });
      expect((await world.job('a_3')).status).toBe('blocked');
      await worker.exchange({ finished: [end('a_2'), end('up')] });
      expect(await named(world)).toMatchObject({ a_1: 'ready', a_2: 'ready', a_3: 'canceled', up: 'failed' });
      await worker.runReady({ a_1: 1, a_2: 1 });
      expect(await named(world)).toMatchObject({ a_1: 'failed', a_2: 'canceled', a_3: 'canceled' });
      // It waits for something that failed, besides.
      const { revived } = await world.engine.retryJobs(world.workflowId, { jobs: ['a_1'], actor: 'ann' });
      expect(revived).toHaveLength(1);
      expect(await named(world)).toMatchObject({ a_1: 'ready', a_2: 'ready', a_3: 'canceled' });
      await world.engine.retryJobs(world.workflowId, { jobs: ['up'], actor: 'ann' });
      expect((await world.job('a_3')).status).toBe('blocked');
    });

    test('starts over with the job that failed, in a new run', async () => {
      const { world, worker, first, second, other } = await failing();
      const ends = [first, second].map((claim) => ({ claim, outcome: ENDED }));
      await worker.exchange({
        finished: [...ends, { claim: other, outcome: outcome({ exit_code: 0 }) }],
      });
      await worker.runReady();
      await worker.exchange({ leaving: true });
      world.passLease();
      const result = await world.engine.retryJobs(world.workflowId, { from: ['align_3'], actor: 'ann' });
      expect([result.mode, result.revived.length]).toEqual(['new_run', 6]);
      expect(await named(world)).toMatchObject({
        ...{
          prepare: 'completed',
          other: 'completed',
          align_1: 'ready',
          align_4: 'ready',
          call_4: 'blocked',
        },
      });
    });
  });
}
