import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { type Databases, fail, ordersOf, PLENTY, statuses, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** Retries that are due, and retries that a user orders, on any database. */
export function retryBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[]) => worldOf(simpleModel(jobs), databases);

  describe('a retry', () => {
    test('is due after its backoff, not a millisecond earlier, and the slot is free meanwhile (R2)', async () => {
      const world = await makeWorld([{ name: 'a', retry: { max_retries_failure: 3 } }, { name: 'b' }]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim({ slots: 1 });
      await worker.exchange({ started: [claim!] });
      const failed = await worker.exchange({
        finished: [{ claim: claim!, outcome: outcome({ exit_code: 1 }) }],
        capacity: { ...PLENTY, slots: 1 },
      });
      expect(failed.claims.map((next) => next.job_name)).toEqual(['b']);
      expect(failed.next_due_at_ms).toBe(world.clock.now + 1000);
      expect((await world.job('a')).retry_available_at_ms).toBe(world.clock.now + 1000);
      world.clock.now += 999;
      expect(await worker.claim()).toEqual([]);
      world.clock.now += 1;
      expect((await worker.claim()).map((next) => [next.job_name, next.attempt_id])).toEqual([['a', 2]]);
    });

    test('that waits is canceled at once (R7)', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 5, initial_retry_delay_ms: 60_000 } },
      ]);
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      expect(await world.job('a')).toMatchObject({
        status: 'canceled',
        attempt_id: 1,
        reason: 'canceled by ann',
      });
      expect((await world.engine.status(world.workflowId)).exit_code).toBe(1);
    });
  });

  describe('a retry that could not start before the deadline', () => {
    const late = (policy: Partial<SimpleJob> = {}) =>
      makeWorld([
        { name: 'a', deadlineMs: 10_000, retry: { max_retries_failure: 5 }, ...policy },
        { name: 'b', after: ['a'] },
        { name: 'c' },
      ]);

    test('because there was no room is not made, and its room is for others', async () => {
      const world = await late();
      const worker = await world.remoteWorker();
      await fail(worker, 1);
      world.clock.now += 10_000;
      expect((await worker.claim({ slots: 1 })).map(({ job_name }) => job_name)).toEqual(['c']);
      const reason = 'deadline: the retry could not start within 10s from the first start';
      expect(await world.job('a')).toMatchObject({ status: 'failed', attempt_id: 1, reason });
      expect(await world.job('b')).toMatchObject({ status: 'canceled' });
      expect((await world.events()).find(({ type }) => type === 'failure')).toMatchObject({ reason });
    });

    test('of an attempt that a signal ended is terminated, and ends the run', async () => {
      const world = await worldOf(
        simpleModel([{ name: 'a', deadlineMs: 10_000, retry: { max_retries_failure: 5 } }]),
        databases,
      );
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ signal: 'SIGKILL' }) }] });
      world.clock.now += 10_000;
      expect(await worker.claim()).toEqual([]);
      expect(await world.job('a')).toMatchObject({ status: 'terminated' });
      expect((await world.engine.status(world.workflowId)).complete).toBe(true);
    });

    test('is made within it', async () => {
      const world = await late();
      const worker = await world.remoteWorker();
      await fail(worker, 1);
      world.clock.now += 9999;
      expect((await worker.claim({ slots: 1 })).map(({ job_name }) => job_name)).toEqual(['a']);
    });

    test('is made where its worker was lost', async () => {
      const world = await late();
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim({ slots: 1 });
      await worker.exchange({ started: [claim!] });
      world.passLease();
      expect(
        (await (await world.remoteWorker()).claim({ slots: 1 })).map(({ job_name }) => job_name),
      ).toEqual(['a']);
    });

    test('is made where a user ordered it', async () => {
      const world = await late({ retry: { max_retries_failure: 0 } });
      const worker = await world.remoteWorker();
      await fail(worker, 1);
      world.clock.now += 60_000;
      await world.engine.retryJob(world.workflowId, 'a', { actor: 'ann' });
      expect((await worker.claim({ slots: 1 })).map(({ job_name }) => job_name)).toEqual(['a']);
    });
  });

  describe('a retry of a running job', () => {
    async function hanging(policy: Partial<SimpleJob> = {}) {
      const world = await makeWorld([
        { name: 'a', ...policy },
        { name: 'b', after: ['a'] },
      ]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      const retry = (request = {}) =>
        world.engine.retryJob(world.workflowId, 'a', { actor: 'ann', reason: 'it hangs', ...request });
      const end = (facts: Parameters<typeof outcome>[0]) =>
        worker.exchange({ finished: [{ claim: claim!, outcome: outcome(facts) }] });
      return { world, worker, claim: claim!, retry, end };
    }

    test('ends its attempt, which counts as a failure, and makes it ready for the next (D9)', async () => {
      const { world, worker, claim, retry, end } = await hanging();
      const running = { status: 'running', attempt_id: 1, retry_requested: true, cancel_requested: false };
      expect(await retry()).toMatchObject(running);
      // Once more changes nothing.
      expect(await retry({ actor: 'bob' })).toMatchObject(running);
      expect((await worker.exchange({ capacity: PLENTY })).claims).toEqual([]);
      expect((await worker.exchange({})).cancel).toEqual([claim.token]);
      expect((await world.engine.explain(world.workflowId, 'a')).headline).toBe(
        'attempt 1 is being ended: retried by ann: it hangs',
      );
      await end({ signal: 'SIGTERM', canceled: true });
      expect(await world.job('a')).toMatchObject({
        status: 'ready',
        attempt_id: 2,
        failure_count: 1,
        retry_requested: false,
        reason: 'retried by ann: it hangs',
      });
      expect((await world.attempts())[0]).toMatchObject({
        state: 'KILLED',
        verdict: 'retry',
        actor: 'ann',
        reason: 'retried by ann: it hangs',
      });
      const reported = (await world.events()).filter(
        ({ type }) => type === 'manual_retry' || type === 'retry',
      );
      expect(reported.map(({ actor, attempt_id }) => [actor, attempt_id])).toEqual([
        ['ann', 1],
        ['ann', 1],
      ]);
      expect((await worker.claim()).map(({ attempt_id }) => attempt_id)).toEqual([2]);
    });

    test.each([
      ['a success that comes first', { exit_code: 0 }, 'completed'],
      ['whatever else ends it', { exit_code: 3 }, 'ready'],
      ['the loss of its worker', { lost: true }, 'ready'],
    ])('respects %s', async (_, facts, status) => {
      const { world, retry, end } = await hanging();
      await retry();
      await end(facts);
      expect((await world.job('a')).status).toBe(status);
    });

    test('lets a success that comes first take its routes', async () => {
      const world = await makeWorld([
        { name: 'a' },
        { name: 'b', after: ['a'], onSuccess: { goto: 'a', goto_js: 'code' } },
      ]);
      const worker = await world.remoteWorker();
      const [a] = await worker.claim();
      await worker.exchange({ started: [a!], finished: [{ claim: a!, outcome: outcome({ exit_code: 0 }) }] });
      const [b] = await worker.claim();
      await worker.exchange({ started: [b!] });
      await world.engine.retryJob(world.workflowId, 'b', { actor: 'ann' });
      const ended = await worker.exchange({
        finished: [{ claim: b!, outcome: outcome({ exit_code: 0 }) }],
      });
      expect(ordersOf(ended, 'evaluation').map(({ codes }) => codes.map(({ key }) => key))).toEqual([
        ['goto_js'],
      ]);
    });

    test('gives way to a cancel, and is refused after one', async () => {
      const { world, retry, end } = await hanging();
      await retry();
      await world.engine.cancel(world.workflowId, { actor: 'bob', jobs: ['a'] });
      expect(await world.job('a')).toMatchObject({ cancel_requested: true, retry_requested: false });
      await expect(retry()).rejects.toMatchObject({ code: 'NOT_RETRYABLE' });
      await end({ canceled: true });
      expect(await statuses(world)).toEqual(['canceled', 'canceled']);
    });

    test('is refused beyond max_retries, and changes nothing', async () => {
      const { world, worker, retry } = await hanging();
      await expect(retry({ max_retries: 1 })).rejects.toMatchObject({ code: 'RETRIES_EXCEEDED' });
      expect((await worker.exchange({})).cancel).toEqual([]);
      expect(await world.job('a')).toMatchObject({ status: 'running', retry_requested: false });
    });

    test('whose worker is dead makes it ready at once', async () => {
      const { world, retry } = await hanging();
      world.passLease();
      expect(await retry()).toMatchObject({ status: 'ready', attempt_id: 2, failure_count: 1 });
    });
  });

  describe('a retry of chosen jobs by an agent', () => {
    const AGENT = { actor: 'agent:mcp', agent: { max_decisions: 100, min_confidence: 0 } };

    test('is a decision for each job, at most 3 times for one in a run', async () => {
      const world = await makeWorld([{ name: 'a', retry: { max_retries_failure: 0 } }]);
      const { engine, workflowId } = world;
      const worker = await world.remoteWorker();
      await worker.runReady({ a: 1 });
      for (let count = 0; count < 3; count += 1) {
        const asked = { ...AGENT, statuses: ['failed' as const], reason: 'storage is back' };
        await engine.retryJobs(workflowId, { ...asked, dry_run: true });
        expect(await engine.retryJobs(workflowId, asked)).toMatchObject({ jobs: [{ name: 'a' }] });
        await worker.runReady({ a: 1 });
      }
      const refused = { code: 'AGENT_LIMIT', message: expect.stringContaining('3 times in this run') };
      await expect(engine.retryJobs(workflowId, { ...AGENT, jobs: ['a'] })).rejects.toMatchObject(refused);
      await expect(engine.retryJobs(workflowId, { ...AGENT, from: ['a'] })).rejects.toMatchObject(refused);
      const { items } = await engine.listDecisions({ workflow_id: workflowId });
      expect(items.map(({ action, actor, reason }) => [action, actor, reason])).toEqual(
        Array.from({ length: 3 }, () => ['retry', 'agent:mcp', 'storage is back']),
      );
      // People are not counted.
      await engine.retryJobs(workflowId, { actor: 'ann', jobs: ['a'] });
      expect((await engine.listDecisions({ workflow_id: workflowId })).items).toHaveLength(3);
    });

    test('ends no attempt that runs, and makes no more decisions than are left', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      const { engine, workflowId } = world;
      const worker = await world.remoteWorker();
      await worker.exchange({ started: await worker.claim() });
      const refused = { code: 'AGENT_LIMIT' };
      await expect(engine.retryJobs(workflowId, { ...AGENT, jobs: ['a'] })).rejects.toMatchObject(refused);
      await expect(engine.retryJobs(workflowId, { ...AGENT, from: ['a'] })).rejects.toMatchObject(refused);
      expect(await world.job('a')).toMatchObject({ status: 'running', retry_requested: false });
      const few = { ...AGENT, agent: { max_decisions: 1, min_confidence: 0 } };
      const other = await world.another(simpleModel([{ name: 'a' }, { name: 'b', after: ['a'] }]));
      const second = await other.remoteWorker();
      while ((await second.runReady()).length > 0);
      await engine.retireWorker(second.id);
      const from = { ...few, from: ['a'] };
      await expect(engine.retryJobs(other.workflowId, from)).rejects.toMatchObject(refused);
      expect(await engine.retryJobs(other.workflowId, { ...from, only: true, dry_run: true })).toMatchObject({
        jobs: [{ name: 'a' }],
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
      expect(job).toMatchObject({ status: 'ready', attempt_id: 2 });
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
