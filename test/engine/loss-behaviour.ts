import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workDirectory } from '../../src/core/job/log-files.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { type Databases, statuses, WorkerHand, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** What the loss of a worker costs, on any database. */
export function lossBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[]) => worldOf(simpleModel(jobs), databases);

  describe('a lost worker', () => {
    test('costs a preemption, never a failure (R5)', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 } },
      ]);
      const lose = async () => {
        const worker = await world.remoteWorker();
        await worker.exchange({ started: await worker.claim() });
        world.passLease();
      };
      await lose();
      const second = await world.remoteWorker();
      await second.runReady({ a: 1 });
      world.passLease();
      await lose();
      const last = await world.remoteWorker();
      await last.runReady();
      expect(await world.job('a')).toMatchObject({
        status: 'completed',
        failure_count: 1,
        preemption_count: 2,
      });
      expect((await world.attempts()).map((attempt) => attempt.state)).toEqual([
        'WORKER_FAILED',
        'FAILED',
        'WORKER_FAILED',
        'SUCCEEDED',
      ]);
    });

    test('that reports the end of its allocation is not suspected to have died of the job', async () => {
      const world = await makeWorld([{ name: 'a', retry: { initial_retry_delay_ms: 1_000 } }]);
      const worker = await world.remoteWorker();
      const take = async (facts: Partial<Outcome>) => {
        const [claim] = await worker.claim();
        await worker.exchange({ started: [claim!] });
        await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ lost: true, ...facts }) }] });
        return (await world.job('a')).reason;
      };
      for (const number of [1, 2, 3, 4]) {
        expect(await take({ allocation_ended: true })).toBe(
          `lost with its allocation, preemption ${number} of 100`,
        );
      }
      expect(await take({})).toBe('lost with its worker, preemption 5 of 100');
      expect(await take({})).toBe('lost with its worker, preemption 6 of 100');
      expect(await take({})).toMatch(
        /^lost with its worker, preemption 7 of 100; 3 losses in a row look like/,
      );
    });

    test('ends the job when the preemption budget is used up (R6)', async () => {
      const world = await makeWorld([{ name: 'a', retry: { max_retries_preemption: 1 } }]);
      for (let n = 0; n < 2; n += 1) {
        const worker = await world.remoteWorker();
        await worker.exchange({ started: await worker.claim() });
        world.passLease();
      }
      await world.engine.cancel(world.workflowId, { actor: 'sweep' });
      const [, last] = await world.attempts();
      expect(last).toMatchObject({ state: 'WORKER_FAILED', is_worker_failure: true });
      expect(await world.job('a')).toMatchObject({ status: 'failed', preemption_count: 2 });
      expect((await world.job('a')).reason).toMatch(/^worker_lost/);
    });

    test('that ends the last job leaves a run that has ended, and nothing resumes', async () => {
      const world = await makeWorld([{ name: 'a', retry: { max_retries_preemption: 0 } }]);
      const worker = await world.remoteWorker();
      await worker.exchange({ started: await worker.claim() });
      world.passLease();
      await world.remoteWorker();
      const runEvents = (await world.events())
        .map(({ type }) => type)
        .filter((type) => type.startsWith('run_'));
      expect(runEvents).toEqual(['run_started', 'run_finished']);
      const { finished_at_ms } = await world.engine.status(world.workflowId);
      expect(finished_at_ms).toBe(world.clock.now);
    });

    test('between claim and start charges nothing, where it left no trace of a start (R10)', async () => {
      const world = await makeWorld([{ name: 'a', retry: { max_retries_preemption: 0 } }]);
      const gone = { ...ownIdentity({ directory: world.dir }), pid: 2 ** 22 + 1, start_time: '1' };
      const { id } = await world.engine.registerWorker(gone);
      await world.engine.adopt(world.workflowId, id);
      await new WorkerHand(world, id).claim();
      const next = await world.remoteWorker();
      expect(await next.runReady()).toEqual(['a']);
      expect(await world.job('a')).toMatchObject({
        status: 'completed',
        failure_count: 0,
        preemption_count: 0,
      });
    });

    test('that left a trace of a start, or may have, is charged for it', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      await (await world.remoteWorker()).claim();
      world.passLease();
      const gone = { ...ownIdentity({ directory: world.dir }), pid: 2 ** 22 + 1, start_time: '1' };
      const { id } = await world.engine.registerWorker(gone);
      await world.engine.adopt(world.workflowId, id);
      const [claim] = await new WorkerHand(world, id).claim();
      expect(await world.job('a')).toMatchObject({ preemption_count: 1 });
      mkdirSync(join(world.dir, workDirectory(claim!)), { recursive: true });
      await world.remoteWorker();
      expect(await world.job('a')).toMatchObject({ status: 'ready', preemption_count: 2 });
    });

    test('reports no more: late reports change nothing', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const first = await world.remoteWorker();
      const [claim] = await first.claim();
      await first.exchange({ started: [claim!] });
      world.passLease();
      const second = await world.remoteWorker();
      await expect(
        first.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 1 }) }] }),
      ).rejects.toMatchObject({ code: 'WORKER_RETIRED', httpStatus: 409 });
      const foreign = await second.exchange({
        finished: [{ claim: claim!, outcome: outcome({ exit_code: 0 }) }],
      });
      expect(foreign.rejected).toEqual([claim!.token]);
      expect(await statuses(world)).toEqual(['ready']);
    });

    test('that still lives is only followed', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const first = await world.remoteWorker();
      await expect(world.remoteWorker()).rejects.toThrow(`worker ${first.id} still drives the run`);
    });
  });
}
