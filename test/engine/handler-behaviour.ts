import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { DEFAULT_RULE, type FailureHandler, type FailureRule } from '../../src/core/policy/failure-rule.ts';
import { type Databases, fail, NOTHING, PLENTY, statuses, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

const handler = (...rules: Partial<FailureRule>[]): FailureHandler => ({
  name: 'fix',
  rules: rules.map((rule) => ({ ...DEFAULT_RULE, ...rule })),
});

/** What failure handlers do, on any database. */
export function handlerBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[], options?: Parameters<typeof simpleModel>[1]) =>
    worldOf(simpleModel(jobs, options), databases);

  test('a pattern that takes too long does not match, and is an event of its own', async () => {
    const world = await makeWorld([{ name: 'a', handler: 'fix' }], {
      handlers: [handler({ stderr: 'slow', verdict: 'abort' }, { stderr: 'busy', maxRetries: 3 })],
    });
    const worker = await world.remoteWorker();
    const [claim] = await worker.claim();
    expect(claim!.stderr_patterns).toEqual(['slow', 'busy']);
    const problem = 'stderr: the pattern "slow" takes more than 1 s';
    await world.engine.exchange(worker.id, {
      ...NOTHING,
      finished: [
        {
          token: claim!.token,
          started_at_ms: world.clock.now,
          finished_at_ms: world.clock.now,
          outcome: outcome({ exit_code: 1 }),
          usage: null,
          stderr_matches: ['busy'],
          evaluations: [{ key: 'stderr', result: { ok: false, problem }, ms: 1000, inputs: {} }],
        },
      ],
      workflow_id: world.workflowId,
    });
    expect(await statuses(world)).toEqual(['ready']);
    const events = (await world.events()).filter(({ type }) => type.startsWith('evaluation'));
    expect(events).toMatchObject([
      {
        type: 'evaluation_failure',
        attempt_id: 1,
        reason: `${problem}; rules with such a pattern do not match`,
        data: { key: 'stderr', problem },
      },
    ]);
  });

  describe('a recovery script', () => {
    const withScript = () =>
      makeWorld([{ name: 'a', handler: 'fix' }], {
        handlers: [handler({ exitCodes: [[10, 10]], recoveryScript: 'fix.sh', recoveryTimeoutMs: 90_000 })],
      });

    test('is ordered of the worker that failed, once, and holds the retry back until it has ended', async () => {
      const world = await withScript();
      const worker = await world.remoteWorker();
      const { claim, errands } = await fail(worker, 10);
      const id = errands[0]!.id;
      expect(errands).toEqual([
        { kind: 'recovery', id, token: claim.token, script: 'fix.sh', return_code: 10, timeout_ms: 90_000 },
      ]);
      world.clock.now += 60_000;
      const waiting = await worker.exchange({ capacity: PLENTY });
      expect(waiting).toMatchObject({ claims: [], errands: [], next_due_at_ms: null });
      const ended = await worker.exchange({
        errands: [{ kind: 'recovery', id, outcome: outcome({ exit_code: 9 }) }],
        capacity: PLENTY,
      });
      expect(ended.claims.map((next) => next.attempt_id)).toEqual([2]);
      expect((await world.attempts())[0]).toMatchObject({
        handler_outcome: 'Retried',
        recovery: { exit_code: 9 },
      });
      expect((await world.events()).find((event) => event.type === 'recovery')?.reason).toMatch(
        /exit 9.*retried all the same/,
      );
    });

    test('that dies with its worker is not run again, and the retry happens (H13)', async () => {
      const world = await withScript();
      await fail(await world.remoteWorker(), 10);
      world.passLease();
      const next = await world.remoteWorker();
      const { claims, errands } = await next.exchange({ capacity: PLENTY });
      expect([claims.length, errands.length]).toEqual([1, 0]);
    });

    test('is ended by a cancel, which does not wait for it (H17)', async () => {
      const world = await withScript();
      const worker = await world.remoteWorker();
      const { id } = (await fail(worker, 10)).errands[0]!;
      expect((await worker.exchange({})).cancel_errands).toEqual([]);
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      expect(await statuses(world)).toEqual(['canceled']);
      expect((await worker.exchange({})).cancel_errands).toEqual([id]);
      await worker.exchange({ errands: [{ kind: 'recovery', id, outcome: outcome({ canceled: true }) }] });
      expect((await worker.exchange({})).cancel_errands).toEqual([]);
      expect(await statuses(world)).toEqual(['canceled']);
      expect((await world.events()).at(-1)).toMatchObject({
        type: 'recovery',
        reason: expect.stringMatching(/does not wait for it any more/),
      });
    });

    test('is shown by status and explain while it runs', async () => {
      const world = await withScript();
      const worker = await world.remoteWorker();
      const { id } = (await fail(worker, 10)).errands[0]!;
      const began = world.clock.now;
      world.clock.now += 20_000;
      const { waiting } = await world.engine.status(world.workflowId);
      const recovery = { started_at_ms: began, timeout_ms: 90_000 };
      expect(waiting).toMatchObject([{ name: 'a', attempt_id: 2, recovery }]);
      const explained = await world.engine.explain(world.workflowId, 'a');
      expect(explained.headline).toMatch(/^its recovery script has been running for 20s of at most 1m30s; /);
      await worker.exchange({ errands: [{ kind: 'recovery', id, outcome: outcome({ exit_code: 0 }) }] });
      expect((await world.engine.explain(world.workflowId, 'a')).headline).toMatch(/^queued;/);
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
      seen.push(claim!.requirement.memory_bytes! / gigabyte);
      await worker.exchange({
        finished: [{ claim: claim!, outcome: outcome({ oom: true, signal: 'SIGKILL' }) }],
      });
    }
    expect(seen).toEqual([2, 3, 4]);
    expect(await world.job('a')).toMatchObject({ status: 'failed', failure_count: 3 });
    const [other] = await worker.claim();
    expect(other).toMatchObject({ job_name: 'b', requirement: { memory_bytes: 2 * gigabyte } });
  });
}
