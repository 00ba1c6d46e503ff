import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { crashedPost, type PostResult } from '../../src/core/job/post-result.ts';
import { type Databases, fail, PLENTY, statuses, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** What post scripts decide, also for other jobs, on any database. */
export function postBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[]) => worldOf(simpleModel(jobs), databases);

  describe('a post script', () => {
    test('is asked before anything is decided, with the outcome already stored', async () => {
      const world = await makeWorld([{ name: 'a', post: 'judge' }]);
      const worker = await world.remoteWorker();
      const { claim, errands } = await fail(worker, 1);
      const { id } = errands[0]!;
      expect(errands).toEqual([{ kind: 'post', id, token: claim.token, failures_before: 0, rulebook: null }]);
      expect(await statuses(world)).toEqual(['running']);
      const accepted = { ...crashedPost(''), exit_code: 0, problem: null };
      await worker.exchange({ errands: [{ kind: 'post', id, post: accepted }] });
      expect(await statuses(world)).toEqual(['completed']);
    });

    test('that dies with its worker leaves a failure that is classified by its outcome, not a lost attempt', async () => {
      const world = await makeWorld([{ name: 'a', post: 'judge', retry: { max_retries_failure: 1 } }]);
      await fail(await world.remoteWorker(), 7);
      world.passLease();
      await world.remoteWorker();
      expect(await world.job('a')).toMatchObject({ status: 'ready', failure_count: 1, preemption_count: 0 });
      expect((await world.attempts())[0]).toMatchObject({ state: 'FAILED', exit_code: 7, verdict: 'retry' });
      const { attempts } = await world.engine.explain(world.workflowId, 'a');
      expect(attempts[0]!.walk.find((step) => step.rule === 'post')?.because).toMatch(
        /cut off when its worker died/,
      );
    });

    test('that says 43 takes the whole workflow with it (P4)', async () => {
      const world = await makeWorld([
        { name: 'a', post: 'judge', priority: 1 },
        { name: 'b' },
        { name: 'c', after: ['b'] },
      ]);
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      const abort = { ...crashedPost(''), exit_code: 43, problem: null };
      const asked = await worker.exchange({
        finished: [{ claim: claims[0]!, outcome: outcome({ exit_code: 1 }) }],
      });
      const result = await worker.exchange({
        errands: [{ kind: 'post', id: asked.errands[0]!.id, post: abort }],
        capacity: PLENTY,
      });
      expect(result.cancel).toEqual([claims[1]!.token]);
      await worker.exchange({
        finished: [{ claim: claims[1]!, outcome: outcome({ signal: 'SIGTERM', canceled: true }) }],
      });
      expect(await statuses(world)).toEqual(['failed', 'canceled', 'canceled']);
      expect((await world.job('c')).reason).toMatch(/^aborted: a/);
      expect((await world.engine.status(world.workflowId)).exit_code).toBe(1);
    });
  });

  describe('of two failures that are reported together, the first', () => {
    const failBoth = async (jobs: SimpleJob[], post?: PostResult) => {
      const world = await makeWorld(jobs);
      const worker = await world.remoteWorker();
      if (jobs.length > 2) await worker.runReady();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      const failed = outcome({ exit_code: 1 });
      const [first, second] = claims.map((claim) => ({ claim, outcome: failed }));
      if (post === undefined) await worker.exchange({ finished: [first!, second!] });
      else {
        const { errands } = await worker.exchange({ finished: [first!] });
        const judged = { kind: 'post' as const, id: errands[0]!.id, post };
        await worker.exchange({ errands: [judged], finished: [second!] });
      }
      return world;
    };

    test('takes the other with it if it aborts the workflow', async () => {
      const jobs = [
        { name: 'a', post: 'judge' },
        { name: 'b', retry: { max_retries_failure: 3 } },
      ];
      const world = await failBoth(jobs, { ...crashedPost(''), exit_code: 43, problem: null });
      expect(await statuses(world)).toEqual(['failed', 'canceled']);
    });

    test('has the other run again if it goes back before it', async () => {
      const jobs = [
        { name: 'a' },
        { name: 'b', after: ['a'], onFail: { goto: 'a' } },
        { name: 'c', after: ['a'] },
      ];
      const world = await failBoth(jobs);
      expect(await statuses(world)).toEqual(['ready', 'blocked', 'blocked']);
    });
  });
}
