import { describe, expect, test } from 'vitest';
import { type Databases, statuses, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** Jobs that wait for a decision, and runs that start over, on any database. */
export function resetBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[], options?: Parameters<typeof simpleModel>[1]) =>
    worldOf(simpleModel(jobs, options), databases);

  describe('pending_failed', () => {
    const undecided = async () => {
      const jobs = [{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c', after: ['b'] }];
      const world = await makeWorld(jobs, { usePendingFailed: true });
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      return { world, worker };
    };

    test('keeps dependents blocked and the workflow open (C4)', async () => {
      const { world } = await undecided();
      expect(await statuses(world)).toEqual(['pending_failed', 'blocked', 'blocked']);
      expect(await world.engine.status(world.workflowId)).toMatchObject({ complete: false, exit_code: 3 });
    });

    test('is not for a manual retry', async () => {
      const { world } = await undecided();
      await expect(world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' })).rejects.toMatchObject({
        code: 'DECISION_PENDING',
        httpStatus: 409,
      });
    });

    test('starts over with reset-status', async () => {
      const { world } = await undecided();
      world.passLease();
      const result = await world.engine.resetStatus(world.workflowId, { failed_only: true, actor: 'ann' });
      expect(result).toMatchObject({
        run_id: 2,
        jobs: [{ name: 'a', status: 'pending_failed' }, { name: 'b' }, { name: 'c' }],
      });
      expect(await statuses(world)).toEqual(['ready', 'blocked', 'blocked']);
    });
  });

  describe('reset-status', () => {
    const chain: SimpleJob[] = [
      { name: 'a' },
      { name: 'b', after: ['a'], retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 } },
      { name: 'c', after: ['b'] },
      { name: 'x' },
    ];

    test('begins a run with fresh budgets and leaves alone what completed (H12)', async () => {
      const world = await makeWorld(chain);
      const worker = await world.remoteWorker();
      await worker.runReady();
      await worker.runReady({ b: 1 });
      await worker.runReady({ b: 1 });
      expect(await statuses(world)).toEqual(['completed', 'failed', 'canceled', 'completed']);
      world.passLease();
      await world.engine.resetStatus(world.workflowId, { failed_only: true, actor: 'ann' });
      const next = await world.remoteWorker();
      expect(await next.runReady({ b: 1 })).toEqual(['b']);
      expect(await next.runReady()).toEqual(['b']);
      expect(await next.runReady()).toEqual(['c']);
      expect(await statuses(world)).toEqual(['completed', 'completed', 'completed', 'completed']);
      const history = (await world.attempts()).filter((attempt) => attempt.job_name === 'b');
      expect(history.map(({ run_id, attempt_id }) => [run_id, attempt_id])).toEqual([
        [1, 1],
        [1, 2],
        [2, 1],
        [2, 2],
      ]);
      const ends = (await world.events()).filter((event) => event.type === 'run_finished');
      expect(ends.map(({ run_id, data }) => [run_id, data])).toEqual([
        [1, { state: 'failed', exit_code: 1 }],
        [2, { state: 'completed', exit_code: 0 }],
      ]);
    });

    test('resets everything by default, and nothing in a dry run', async () => {
      const world = await makeWorld(chain);
      await (await world.remoteWorker()).runReady();
      world.passLease();
      const preview = await world.engine.resetStatus(world.workflowId, { actor: 'ann', dry_run: true });
      expect(preview.jobs).toHaveLength(4);
      expect(await statuses(world)).toEqual(['completed', 'ready', 'blocked', 'completed']);
      await world.engine.resetStatus(world.workflowId, { actor: 'ann' });
      expect(await statuses(world)).toEqual(['ready', 'blocked', 'blocked', 'ready']);
    });

    test('is refused while a process drives the run', async () => {
      const world = await makeWorld(chain);
      await world.remoteWorker();
      await expect(world.engine.resetStatus(world.workflowId, { actor: 'ann' })).rejects.toMatchObject({
        code: 'RUN_ACTIVE',
      });
    });
  });
}
