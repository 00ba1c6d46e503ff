import { describe, expect, test } from 'vitest';
import { type Databases, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** Why a job waits or has ended, on any database. */
export function explainBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[]) => worldOf(simpleModel(jobs), databases);

  describe('explain', () => {
    test('shows what a blocked job waits for', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      expect((await world.engine.explain(world.workflowId, 'b')).headline).toBe(
        'waits for 1 of 1 dependencies: a (queued)',
      );
    });

    test('shows how long a retry still waits, and why', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 2, initial_retry_delay_ms: 30_000 } },
      ]);
      await (await world.remoteWorker()).runReady({ a: 9 });
      world.clock.now += 10_000;
      const { headline, attempts, next } = await world.engine.explain(world.workflowId, 'a');
      expect(headline).toBe(
        'waits another 20s before it is tried again; attempt 1: exit 9, retry 1 of 2 after 30s',
      );
      expect(next).toBe('it starts when it is due and there is room for one slot');
      expect(attempts[0]!.walk.at(-1)).toEqual({
        rule: 'retry',
        applies: true,
        because: 'retry 1 of 2 after 30s',
      });
    });

    test('shows what a queued job needs, and that the run has to be resumed first', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      expect((await world.engine.explain(world.workflowId, 'a')).next).toBe(
        'it starts when the run is resumed and there is room for one slot: no worker drives the run now',
      );
    });

    test('leads from a job that waits for a decision about another one to that decision', async () => {
      const model = simpleModel([{ name: 'a' }, { name: 'b', after: ['a'] }], { usePendingFailed: true });
      const world = await worldOf(model, databases);
      await (await world.remoteWorker()).runReady({ a: 1 });
      expect(await world.engine.explain(world.workflowId, 'b')).toMatchObject({
        headline: 'waits for 1 of 1 dependencies: a (pending_failed)',
        next: 'it is queued when they have ended, which takes a decision',
        hint: { kind: 'resolve', workflow: world.workflowId },
      });
    });

    test('leads from a canceled job to the one that failed', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      await (await world.remoteWorker()).runReady({ a: 1 });
      expect(await world.engine.explain(world.workflowId, 'b')).toMatchObject({
        headline: 'canceled: its dependency a did not succeed',
        hint: { kind: 'explain', workflow: world.workflowId, job: 'a' },
      });
    });
  });
}
