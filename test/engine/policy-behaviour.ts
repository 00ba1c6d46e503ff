import { describe, expect, test } from 'vitest';
import { DEFAULT_RULE, type FailureHandler, type FailureRule } from '../../src/core/failure-rule.ts';
import { outcome } from '../../src/core/outcome.ts';
import { crashedPost, type PostResult } from '../../src/core/post-result.ts';
import { type Databases, type EngineWorld, PLENTY, type WorkerHand, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

const handler = (...rules: Partial<FailureRule>[]): FailureHandler => ({
  name: 'fix',
  rules: rules.map((rule) => ({ ...DEFAULT_RULE, ...rule })),
});
const statuses = async (world: EngineWorld) => (await world.jobs()).map((job) => job.status);

/** Claims, starts and ends one job with an exit code. */
async function fail(worker: WorkerHand, code: number) {
  const [claim] = await worker.claim({ slots: 1 });
  await worker.exchange({ started: [claim!] });
  const result = await worker.exchange({
    finished: [{ claim: claim!, outcome: outcome({ exitCode: code }) }],
  });
  return { claim: claim!, ...result };
}

/** What becomes of failures by what users wrote, on any database. */
export function policyBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[], options?: Parameters<typeof simpleModel>[1]) =>
    worldOf(simpleModel(jobs, options), databases);

  describe('a recovery script', () => {
    const withScript = () =>
      makeWorld([{ name: 'a', handler: 'fix' }], {
        handlers: [handler({ exitCodes: [[10, 10]], recoveryScript: 'fix.sh' })],
      });

    test('is ordered of the worker that failed, once, and holds the retry back until it has ended', async () => {
      const world = await withScript();
      const worker = await world.remoteWorker();
      const { claim, recover } = await fail(worker, 10);
      expect(recover).toEqual([{ token: claim.token, script: 'fix.sh', return_code: 10 }]);
      world.clock.now += 60_000;
      const waiting = await worker.exchange({ capacity: PLENTY });
      expect(waiting).toMatchObject({ claims: [], recover: [], next_due_at_ms: null });
      const ended = await worker.exchange({
        recovered: [{ token: claim.token, outcome: outcome({ exitCode: 9 }) }],
        capacity: PLENTY,
      });
      expect(ended.claims.map((next) => next.attempt_id)).toEqual([2]);
      expect((await world.attempts())[0]).toMatchObject({
        handler_outcome: 'Retried',
        recovery: { exitCode: 9 },
      });
      expect((await world.events()).find((event) => event.type === 'recovery')?.reason).toMatch(
        /exit 9.*goes on/,
      );
    });

    test('that dies with its worker is not run again, and the retry goes on (H13)', async () => {
      const world = await withScript();
      await fail(await world.remoteWorker(), 10);
      world.passLease();
      const next = await world.remoteWorker();
      const { claims, recover } = await next.exchange({ capacity: PLENTY });
      expect([claims.length, recover.length]).toEqual([1, 0]);
    });

    test('does not hold back a cancel', async () => {
      const world = await withScript();
      const worker = await world.remoteWorker();
      const { claim } = await fail(worker, 10);
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      expect(await statuses(world)).toEqual(['canceled']);
      await worker.exchange({ recovered: [{ token: claim.token, outcome: outcome({ exitCode: 0 }) }] });
      expect(await statuses(world)).toEqual(['canceled']);
    });
  });

  test('more memory is for the job alone: one that shares the requirement keeps it (H14)', async () => {
    const gigabyte = 1024 ** 3;
    const world = await makeWorld(
      [
        { name: 'a', handler: 'fix', memoryBytes: 2 * gigabyte, priority: 1 },
        { name: 'b', memoryBytes: 2 * gigabyte },
      ],
      {
        handlers: [handler({ causes: ['oom'], memory: { factor: 1.5, value: null, maximum: 4 * gigabyte } })],
      },
    );
    const worker = await world.remoteWorker();
    const seen: (number | null)[] = [];
    for (let n = 0; n < 3; n += 1) {
      const [claim] = await worker.claim({ slots: 1 });
      seen.push(claim!.requirement.memoryBytes! / gigabyte);
      await worker.exchange({
        finished: [{ claim: claim!, outcome: outcome({ oom: true, signal: 'SIGKILL' }) }],
      });
    }
    expect(seen).toEqual([2, 3, 4]);
    expect(await world.job('a')).toMatchObject({ status: 'failed', failure_count: 3 });
    const [other] = await worker.claim();
    expect(other).toMatchObject({ job_name: 'b', requirement: { memoryBytes: 2 * gigabyte } });
  });

  describe('a post script', () => {
    test('is asked before anything is decided, with the outcome already stored', async () => {
      const world = await makeWorld([{ name: 'a', post: 'judge' }]);
      const worker = await world.remoteWorker();
      const { claim, post } = await fail(worker, 1);
      expect(post).toEqual([claim.token]);
      expect(await statuses(world)).toEqual(['running']);
      const accepted = { ...crashedPost(''), exitCode: 0, problem: null };
      await worker.exchange({ finished: [{ claim, outcome: outcome({ exitCode: 1 }), post: accepted }] });
      expect(await statuses(world)).toEqual(['completed']);
    });

    test('that dies with its worker leaves a failure that is judged by its outcome, not a lost attempt', async () => {
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
      const abort = { ...crashedPost(''), exitCode: 43, problem: null };
      const result = await worker.exchange({
        finished: [{ claim: claims[0]!, outcome: outcome({ exitCode: 1 }), post: abort }],
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
      const failed = outcome({ exitCode: 1 });
      const [first, second] = claims.map((claim) => ({ claim, outcome: failed }));
      await worker.exchange({ finished: [{ ...first!, ...(post && { post }) }, second!] });
      return world;
    };

    test('takes the other with it if it aborts the workflow', async () => {
      const jobs = [
        { name: 'a', post: 'judge' },
        { name: 'b', retry: { max_retries_failure: 3 } },
      ];
      const world = await failBoth(jobs, { ...crashedPost(''), exitCode: 43, problem: null });
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
      expect((await world.events()).filter((event) => event.type === 'run_finished')).toHaveLength(2);
    });

    test('resets everything unless told otherwise, and nothing in a dry run', async () => {
      const world = await makeWorld(chain);
      await (await world.remoteWorker()).runReady();
      world.passLease();
      const preview = await world.engine.resetStatus(world.workflowId, { actor: 'ann', dry_run: true });
      expect(preview.jobs).toHaveLength(4);
      expect(await statuses(world)).toEqual(['completed', 'ready', 'blocked', 'completed']);
      await world.engine.resetStatus(world.workflowId, { actor: 'ann' });
      expect(await statuses(world)).toEqual(['ready', 'blocked', 'blocked', 'ready']);
    });

    test('is refused while somebody drives the run', async () => {
      const world = await makeWorld(chain);
      await world.remoteWorker();
      await expect(world.engine.resetStatus(world.workflowId, { actor: 'ann' })).rejects.toMatchObject({
        code: 'RUN_ACTIVE',
      });
    });
  });

  describe('a manual retry', () => {
    const chain: SimpleJob[] = [
      { name: 'a' },
      { name: 'b', after: ['a'] },
      { name: 'c', after: ['b'] },
      { name: 'd', after: ['c'] },
    ];

    test('returns the dependents that were canceled because of it to blocked (C3)', async () => {
      const world = await makeWorld(chain);
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      expect((await world.engine.status(world.workflowId)).complete).toBe(true);
      const job = await world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' });
      expect(job).toMatchObject({ status: 'ready', attempt_id: 1 });
      expect(await statuses(world)).toEqual(['ready', 'blocked', 'blocked', 'blocked']);
      for (let n = 0; n < 4; n += 1) await worker.runReady();
      expect(await world.engine.status(world.workflowId)).toMatchObject({ complete: true, exit_code: 0 });
    });

    test('does not revive what another failure keeps canceled', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'k' }, { name: 'b', after: ['a', 'k'] }]);
      await (await world.remoteWorker()).runReady({ a: 1, k: 1 });
      await world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' });
      expect(await statuses(world)).toEqual(['ready', 'failed', 'canceled']);
      await world.engine.retryJob(world.workflowId, 'k', { actor: 'ann' });
      expect(await statuses(world)).toEqual(['ready', 'ready', 'blocked']);
    });

    test.each([
      ['of a job that does not exist', 'nobody', {}, 'JOB_NOT_FOUND'],
      ['in another run', 'a', { run_id: 7 }, 'WRONG_RUN'],
      ['of a job that has not failed', 'b', {}, 'NOT_RETRYABLE'],
      ['beyond max_retries', 'a', { max_retries: 1 }, 'RETRIES_EXCEEDED'],
    ])('%s is refused and changes nothing', async (_, job, request, code) => {
      const world = await makeWorld(chain);
      await (await world.remoteWorker()).runReady({ a: 1 });
      const before = [await world.jobs(), await world.events()];
      await expect(
        world.engine.retryJob(world.workflowId, job, { actor: 'ann', ...request }),
      ).rejects.toMatchObject({ code });
      expect([await world.jobs(), await world.events()]).toEqual(before);
    });
  });
}
