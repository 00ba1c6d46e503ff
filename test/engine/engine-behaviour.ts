import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/outcome.ts';
import { type Databases, type EngineWorld, PLENTY, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** What the engine does with claims, ends and losses, on any database. */
export function engineBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[], options?: Parameters<typeof simpleModel>[1]) =>
    worldOf(simpleModel(jobs, options), databases);

  const statuses = async (world: EngineWorld) => (await world.jobs()).map((job) => job.status);

  describe('claims', () => {
    test('go by priority, then by the order of creation', async () => {
      const world = await makeWorld([
        { name: 'a' },
        { name: 'b', priority: 5 },
        { name: 'c' },
        { name: 'd', priority: 5 },
      ]);
      const worker = await world.remoteWorker();
      const order: string[] = [];
      for (let n = 0; n < 4; n += 1)
        order.push(...(await worker.claim({ slots: 1 })).map((claim) => claim.job_name));
      expect(order).toEqual(['b', 'd', 'a', 'c']);
    });

    test('pass over what does not fit and take what does', async () => {
      const world = await makeWorld([
        { name: 'big', cpus: 8, priority: 9 },
        { name: 'small', cpus: 1 },
        { name: 'plain' },
      ]);
      const worker = await world.remoteWorker();
      expect((await worker.claim({ cpus: 2 })).map((claim) => claim.job_name)).toEqual(['small', 'plain']);
    });

    test('keep to named limits over all workers', async () => {
      const jobs = Array.from({ length: 5 }, (_, index) => ({
        name: `j${index}`,
        resources: { licence: 1 },
      }));
      const world = await makeWorld(jobs, { limits: { licence: 2 } });
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      expect(claims).toHaveLength(2);
      expect(await worker.claim()).toHaveLength(0);
      const result = await worker.exchange({
        finished: [{ claim: claims[0]!, outcome: outcome({ exitCode: 0 }) }],
        capacity: PLENTY,
      });
      expect(result.claims.map((claim) => claim.job_name)).toEqual(['j2']);
    });

    test('keep to max_parallel', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b' }, { name: 'c' }], { maxParallel: 2 });
      expect(await (await world.remoteWorker()).claim()).toHaveLength(2);
    });

    test('carry a token that rises with every claim', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 3, initial_retry_delay_ms: 0 } },
      ]);
      const worker = await world.remoteWorker();
      const tokens: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const [claim] = await worker.claim();
        tokens.push(claim!.token);
        await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exitCode: 1 }) }] });
      }
      expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
      expect(new Set(tokens).size).toBe(3);
    });
  });

  describe('a retry', () => {
    test('is due after its backoff, not a millisecond earlier, and the slot is free meanwhile (R2)', async () => {
      const world = await makeWorld([{ name: 'a', retry: { max_retries_failure: 3 } }, { name: 'b' }]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim({ slots: 1 });
      await worker.exchange({ started: [claim!] });
      const failed = await worker.exchange({
        finished: [{ claim: claim!, outcome: outcome({ exitCode: 1 }) }],
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

    test('between claim and start charges nothing (R10)', async () => {
      const world = await makeWorld([{ name: 'a', retry: { max_retries_preemption: 0 } }]);
      await (await world.remoteWorker()).claim();
      world.passLease();
      const next = await world.remoteWorker();
      expect(await next.runReady()).toEqual(['a']);
      expect(await world.job('a')).toMatchObject({
        status: 'completed',
        failure_count: 0,
        preemption_count: 0,
      });
    });

    test('reports no more: late reports change nothing', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const first = await world.remoteWorker();
      const [claim] = await first.claim();
      await first.exchange({ started: [claim!] });
      world.passLease();
      const second = await world.remoteWorker();
      await expect(
        first.exchange({ finished: [{ claim: claim!, outcome: outcome({ exitCode: 0 }) }] }),
      ).rejects.toMatchObject({ code: 'WORKER_RETIRED', httpStatus: 409 });
      const foreign = await second.exchange({
        finished: [{ claim: claim!, outcome: outcome({ exitCode: 0 }) }],
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

  describe('stopping and canceling', () => {
    test('a stopped attempt is free and its job ready again (R11)', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await worker.exchange({ started: [claim!] });
      await worker.exchange({
        finished: [{ claim: claim!, outcome: outcome({ stopped: true, exitCode: 0 }) }],
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
      expect(result).toEqual({ canceled: [], stopping: [claim!.job_id] });
      expect((await worker.exchange({})).cancel).toEqual([claim!.token]);
      await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exitCode: 3 }) }] });
      expect(await statuses(world)).toEqual(['canceled', 'canceled']);
      expect((await world.attempts())[0]).toMatchObject({ state: 'KILLED', verdict: 'cancel' });
    });

    test('a job that succeeds before it could be canceled has succeeded', async () => {
      const world = await makeWorld([{ name: 'a' }]);
      const worker = await world.remoteWorker();
      const [claim] = await worker.claim();
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exitCode: 0 }) }] });
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
      const ending = claims.map((claim) => ({ claim, outcome: outcome({ exitCode: 0 }) }));
      const almost = await worker.exchange({ finished: ending.slice(1), capacity: PLENTY });
      expect(almost.claims).toEqual([]);
      const all = await worker.exchange({ finished: ending.slice(0, 1), capacity: PLENTY });
      expect(all.claims).toHaveLength(20);
    });
  });

  describe('scheduling timeout', () => {
    test('ends the wait before the first start, and says so', async () => {
      const world = await makeWorld([
        { name: 'a', cpus: 64, schedulingTimeoutMs: 5000 },
        { name: 'b', after: ['a'] },
      ]);
      const worker = await world.remoteWorker();
      const waiting = await worker.exchange({ capacity: { ...PLENTY, cpus: 2 } });
      expect(waiting.next_due_at_ms).toBe(world.clock.now + 5000);
      world.clock.now += 5000;
      await worker.exchange({ capacity: { ...PLENTY, cpus: 2 } });
      expect(await statuses(world)).toEqual(['failed', 'canceled']);
      expect((await world.job('a')).reason).toMatch(/^unschedulable/);
      expect(await world.attempts()).toEqual([]);
    });
  });

  describe('explain', () => {
    test('tells what a blocked job waits for', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      expect((await world.engine.explain(world.workflowId, 'b')).headline).toBe(
        'waits for 1 of 1 dependencies: a (ready)',
      );
    });

    test('tells how long a retry still waits, and why', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 2, initial_retry_delay_ms: 30_000 } },
      ]);
      await (await world.remoteWorker()).runReady({ a: 9 });
      world.clock.now += 10_000;
      const { headline, attempts } = await world.engine.explain(world.workflowId, 'a');
      expect(headline).toBe(
        'waits another 20s before it is tried again; attempt 1: exit 9, retry 1 of 2 after 30s',
      );
      expect(attempts[0]!.walk.at(-1)).toEqual({
        rule: 'retry',
        applies: true,
        because: 'retry 1 of 2 after 30s',
      });
    });

    test('leads from a canceled job to the one that failed', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b', after: ['a'] }]);
      await (await world.remoteWorker()).runReady({ a: 1 });
      expect(await world.engine.explain(world.workflowId, 'b')).toMatchObject({
        headline: 'canceled: its dependency a did not succeed',
        hint: `holdfast explain ${world.workflowId} a`,
      });
    });
  });
}
