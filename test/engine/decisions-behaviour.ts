import { describe, expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { ResolveDecision } from '../../src/contract/records/resolution.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import {
  type Databases,
  type EngineWorld,
  NOTHING,
  PLENTY,
  type WorkerHand,
  worldOf,
} from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

const GIGA = 1024 ** 3;
const RECOVER = {
  actor: 'recover',
  memory_multiplier: 1.5,
  runtime_multiplier: 1.5,
  max_memory_bytes: null,
  max_runtime_ms: null,
  retry_unknown: false,
};

/** Runs what is ready; every job ends as the table says, and well if it says nothing. */
async function play(
  worker: WorkerHand,
  ends: Record<string, ReturnType<typeof outcome>> = {},
): Promise<void> {
  for (;;) {
    const { claims } = await worker.exchange({ capacity: PLENTY });
    if (claims.length === 0) return;
    await worker.exchange({ started: claims });
    await worker.exchange({
      finished: claims.map((claim) => ({
        claim,
        outcome: ends[claim.job_name] ?? outcome({ exit_code: 0 }),
      })),
    });
  }
}

async function resolve(world: EngineWorld, decisions: ResolveDecision[], more = {}) {
  return world.engine.resolve(world.workflowId, { decisions, actor: 'ada', ...more });
}

async function statuses(world: EngineWorld): Promise<Record<string, string>> {
  return Object.fromEntries((await world.jobs()).map(({ name, status }) => [name, status]));
}

const FAILS = { a: outcome({ exit_code: 1 }) };
const CHAIN: SimpleJob[] = [{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c', after: ['b'] }];

/** What people and agents decide, on any database. */
export function decisionBehaviour(databases: Databases): void {
  async function pendingWorld(jobs: SimpleJob[], usePendingFailed = true) {
    const world = await worldOf(simpleModel(jobs, { usePendingFailed }), databases);
    return { world, worker: await world.remoteWorker() };
  }

  describe('the decisions of an agent in a day', () => {
    const AGENT = { actor: 'agent:a', agent: { max_decisions: 100, min_confidence: 0, per_day: 2 } };
    const retry = (job_id: number) => ({ job_id, action: 'retry' as const });

    test('are counted in the database, by actor and for 24 hours', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
      const failed = outcome({ exit_code: 1 });
      await play(worker, { a: failed, b: failed, c: failed });
      await resolve(world, [retry(1)], AGENT);
      await expect(resolve(world, [retry(2), retry(3)], AGENT)).rejects.toMatchObject({
        code: 'AGENT_LIMIT',
        message: 'refused: 2 decisions are more than the 1 that are left to it',
      });
      await resolve(world, [retry(2)], AGENT);
      await expect(resolve(world, [retry(3)], AGENT)).rejects.toMatchObject({ code: 'AGENT_LIMIT' });
      expect(await (world.engine as ServedEngine).countDecisions('agent:a')).toBe(2);
      world.clock.now += 24 * 3600 * 1000;
      await resolve(world, [retry(3)], AGENT);
    });

    test('are limited by actor', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a' }]);
      await play(worker, FAILS);
      const none = { ...AGENT, agent: { ...AGENT.agent, per_day: 0 } };
      await expect(resolve(world, [retry(1)], none)).rejects.toMatchObject({ code: 'AGENT_LIMIT' });
      await resolve(world, [retry(1)], { ...AGENT, actor: 'agent:other' });
    });
  });

  describe('resolve', () => {
    test('D1 retry gives the job another attempt, and the reason is in the audit trail', async () => {
      const { world, worker } = await pendingWorld(CHAIN);
      await play(worker, FAILS);
      expect(await statuses(world)).toEqual({ a: 'pending_failed', b: 'blocked', c: 'blocked' });
      expect((await world.engine.status(world.workflowId)).exit_code).toBe(3);
      const result = await resolve(world, [{ job_id: 1, action: 'retry', reason: 'the store was down' }]);
      expect(result.jobs).toMatchObject([{ name: 'a', result: 'resolved', attempt_id: 1 }]);
      await play(worker);
      expect(await statuses(world)).toEqual({ a: 'completed', b: 'completed', c: 'completed' });
      expect(await world.job('a')).toMatchObject({ attempt_id: 2 });
      expect((await world.engine.status(world.workflowId)).exit_code).toBe(0);
      const decision = (await world.events()).find(({ type }) => type === 'decision')!;
      expect(decision).toMatchObject({ actor: 'ada', data: { action: 'retry' } });
      expect(decision.reason).toContain('the store was down');
      const { items } = await world.engine.listDecisions({ workflow_id: world.workflowId });
      expect(items).toMatchObject([{ actor: 'ada', reason: 'the store was down', became: 'succeeded' }]);
    });

    test('D2 fail cascades', async () => {
      const { world, worker } = await pendingWorld(CHAIN);
      await play(worker, FAILS);
      const { jobs } = await resolve(world, [{ job_id: 1, action: 'fail' }]);
      expect(jobs[0]!.canceled).toEqual(['b', 'c']);
      expect(await statuses(world)).toEqual({ a: 'failed', b: 'canceled', c: 'canceled' });
      const status = await world.engine.status(world.workflowId);
      expect(status).toMatchObject({ complete: true, exit_code: 1 });
      expect(status.finished_at_ms).not.toBeNull();
    });

    test('D3 the same again changes nothing, the opposite is refused', async () => {
      const { world, worker } = await pendingWorld(CHAIN);
      await play(worker, FAILS);
      await resolve(world, [{ job_id: 1, action: 'retry' }]);
      const events = (await world.events()).length;
      const { jobs } = await resolve(world, [{ job_id: 1, action: 'retry' }]);
      expect(jobs).toMatchObject([{ result: 'already_resolved' }]);
      expect(await world.events()).toHaveLength(events);
      await expect(resolve(world, [{ job_id: 1, action: 'fail' }])).rejects.toThrow(/does not wait/);
      await play(worker, FAILS);
      expect((await resolve(world, [{ job_id: 1, action: 'retry' }])).jobs[0]!.result).toBe('resolved');
    });

    test('D4 a batch in which one job is not pending is refused as a whole', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a' }, { name: 'b' }]);
      await play(worker, FAILS);
      const batch: ResolveDecision[] = [
        { job_id: 1, action: 'retry' },
        { job_id: 2, action: 'retry' },
      ];
      await expect(resolve(world, batch)).rejects.toMatchObject({ code: 'NOT_PENDING' });
      expect(await statuses(world)).toEqual({ a: 'pending_failed', b: 'completed' });
    });

    test.each<[string, ResolveDecision[], RegExp]>([
      ['an unknown action', [{ job_id: 1, action: 'again' as 'retry' }], /retry or fail/],
      ['an unknown job', [{ job_id: 99, action: 'retry' }], /no job 99/],
      ['a confidence above 1', [{ job_id: 1, action: 'retry', confidence: 7 }], /from 0 to 1/],
      ['a size that is none', [{ job_id: 1, action: 'retry', memory: 'much' }], /size such as 4g/],
      ['a duration that is none', [{ job_id: 1, action: 'retry', runtime: 'long' }], /duration/],
      ['resources for a failure', [{ job_id: 1, action: 'fail', memory: '4g' }], /for a retry/],
      ['no decision', [], /there are none/],
      [
        'two decisions about one job',
        [
          { job_id: 1, action: 'retry' },
          { job_id: 1, action: 'fail' },
        ],
        /twice/,
      ],
    ])('refuses %s', async (_, decisions, message) => {
      const { world, worker } = await pendingWorld(CHAIN);
      await play(worker, FAILS);
      const before = await world.events();
      await expect(resolve(world, decisions)).rejects.toThrow(message);
      expect(await world.events()).toEqual(before);
    });

    test('is refused where the workflow did not opt in', async () => {
      const { world, worker } = await pendingWorld(CHAIN, false);
      await play(worker, FAILS);
      await expect(resolve(world, [{ job_id: 1, action: 'retry' }])).rejects.toThrow(
        'Workflow does not have use_pending_failed enabled',
      );
    });

    test('a dry run shows everything and changes nothing', async () => {
      const { world, worker } = await pendingWorld(CHAIN);
      await play(worker, FAILS);
      const before = await world.events();
      const result = await resolve(world, [{ job_id: 1, action: 'fail' }], { dry_run: true });
      expect(result).toMatchObject({ dry_run: true, jobs: [{ canceled: ['b', 'c'] }] });
      expect(await statuses(world)).toMatchObject({ a: 'pending_failed' });
      expect(await world.events()).toEqual(before);
    });

    test('changes what one job may use, and not what others share with it', async () => {
      const { world, worker } = await pendingWorld([
        { name: 'a', memoryBytes: 2 * GIGA },
        { name: 'b', memoryBytes: 2 * GIGA },
      ]);
      await play(worker, FAILS);
      await resolve(world, [{ job_id: 1, action: 'retry', memory: '4g', runtime: '2h' }]);
      const a = await world.engine.getJob(world.workflowId, 'a');
      const b = await world.engine.getJob(world.workflowId, 'b');
      expect([a.requirement.memory_bytes, a.config.timeout_ms]).toEqual([4 * GIGA, 7_200_000]);
      expect([b.requirement.memory_bytes, b.config.timeout_ms]).toEqual([2 * GIGA, null]);
    });
  });

  describe('an agent', () => {
    const agent = { max_decisions: 5, min_confidence: 0.5 };
    const asAgent = { actor: 'agent:claude', agent };

    test('D7 decides for at most three retries of a job in a run', async () => {
      const { world, worker } = await pendingWorld(CHAIN);
      for (let round = 0; round < 3; round++) {
        await play(worker, FAILS);
        await resolve(world, [{ job_id: 1, action: 'retry', confidence: 1 }], asAgent);
      }
      await play(worker, FAILS);
      await expect(
        resolve(world, [{ job_id: 1, action: 'retry', confidence: 1 }], asAgent),
      ).rejects.toMatchObject({ code: 'AGENT_LIMIT' });
      expect(await statuses(world)).toMatchObject({ a: 'pending_failed' });
      expect((await resolve(world, [{ job_id: 1, action: 'retry' }])).jobs[0]!.result).toBe('resolved');
    });

    test('D8 cannot decide about jobs that do not wait, nor more than it may', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
      await play(worker, { ...FAILS, c: outcome({ exit_code: 1 }) });
      const everything: ResolveDecision[] = [1, 2, 3].map((job_id) => ({
        job_id,
        action: 'retry',
        confidence: 1,
      }));
      await expect(resolve(world, everything, asAgent)).rejects.toMatchObject({ code: 'NOT_PENDING' });
      const two = everything.filter(({ job_id }) => job_id !== 2);
      await expect(
        resolve(world, two, { actor: 'agent:claude', agent: { ...agent, max_decisions: 1 } }),
      ).rejects.toMatchObject({ code: 'AGENT_LIMIT' });
      expect(await statuses(world)).toEqual({ a: 'pending_failed', b: 'completed', c: 'pending_failed' });
    });

    test('leaves to a person what it is not sure of; no confidence is none', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a' }, { name: 'b' }]);
      await play(worker, { ...FAILS, b: outcome({ exit_code: 2 }) });
      const { jobs } = await resolve(
        world,
        [
          { job_id: 1, action: 'retry', confidence: 0.4 },
          { job_id: 2, action: 'fail' },
        ],
        asAgent,
      );
      expect(jobs.map(({ result }) => result)).toEqual(['left', 'left']);
      expect(await statuses(world)).toEqual({ a: 'pending_failed', b: 'pending_failed' });
    });
  });

  describe('recover', () => {
    const oom = outcome({ oom: true, signal: 'SIGKILL' });

    test('D5 resolves what waits for a decision in the same run, with more memory', async () => {
      const { world, worker } = await pendingWorld([
        { name: 'a', memoryBytes: 2 * GIGA },
        { name: 'b', memoryBytes: 2 * GIGA },
      ]);
      await play(worker, { a: oom });
      const result = await world.engine.recover(world.workflowId, RECOVER);
      expect(result).toMatchObject({
        mode: 'resolve',
        run_id: 1,
        retried: [{ name: 'a', why: 'oom', memory_bytes: { from: 2 * GIGA, to: 3 * GIGA } }],
      });
      const { items } = await world.engine.listDecisions({ workflow_id: world.workflowId });
      expect(items).toMatchObject([{ actor: 'recover', action: 'retry', run_id: 1 }]);
      expect((await world.engine.getJob(world.workflowId, 'b')).requirement.memory_bytes).toBe(2 * GIGA);
      await play(worker);
      expect(await statuses(world)).toEqual({ a: 'completed', b: 'completed' });
    });

    test('D6 begins a new run for what lacked something, and leaves the rest by default', async () => {
      const { world, worker } = await pendingWorld(
        [
          { name: 'a', memoryBytes: 2 * GIGA },
          { name: 'b' },
          { name: 'after-a', after: ['a'] },
          { name: 'after-b', after: ['b'] },
          { name: 'after-both', after: ['a', 'b'] },
        ],
        false,
      );
      await play(worker, { a: oom, b: outcome({ exit_code: 1 }) });
      await world.engine.retireWorker(worker.id);
      const plan = await world.engine.recover(world.workflowId, { ...RECOVER, dry_run: true });
      expect(plan).toMatchObject({ mode: 'new_run', run_id: 2, retried: [{ name: 'a' }] });
      expect(plan.left).toMatchObject([{ name: 'b', status: 'failed' }]);
      expect((await world.engine.getWorkflow(world.workflowId)).run_id).toBe(1);

      await world.engine.recover(world.workflowId, RECOVER);
      expect(await statuses(world)).toEqual({
        a: 'ready',
        b: 'failed',
        'after-a': 'blocked',
        'after-b': 'canceled',
        'after-both': 'canceled',
      });
      await play(await world.remoteWorker());
      expect(await statuses(world)).toMatchObject({ a: 'completed', 'after-a': 'completed', b: 'failed' });
      expect((await world.engine.listDecisions({})).items).toMatchObject([{ became: 'succeeded' }]);
      const again = await world.engine.recover(world.workflowId, { ...RECOVER, dry_run: true });
      expect(again.mode).toBe('nothing');
      const unknown = { ...RECOVER, dry_run: true, retry_unknown: true };
      expect((await world.engine.recover(world.workflowId, unknown)).retried).toMatchObject([
        { name: 'b', why: 'unknown' },
      ]);
    });

    test('leaves what a person decided to fail, whatever it may retry', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a', memoryBytes: 2 * GIGA }]);
      await play(worker, { a: oom });
      await resolve(world, [{ job_id: 1, action: 'fail' }]);
      const result = await world.engine.recover(world.workflowId, { ...RECOVER, retry_unknown: true });
      expect(result).toMatchObject({
        mode: 'nothing',
        left: [{ name: 'a', why: 'a decision was made that it failed' }],
      });
      expect(await statuses(world)).toEqual({ a: 'failed' });
    });

    test('holds an agent to its limits in the transaction that recovers', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a', memoryBytes: GIGA }]);
      const asAgent = { ...RECOVER, actor: 'agent:claude', agent: { max_decisions: 1, min_confidence: 0 } };
      const recover = (more = {}) => world.engine.recover(world.workflowId, { ...asAgent, ...more });
      await play(worker, { a: oom });
      const none = { max_decisions: 0, min_confidence: 0 };
      await expect(recover({ agent: none })).rejects.toMatchObject({ code: 'AGENT_LIMIT' });
      for (let round = 0; round < 3; round++) {
        expect((await recover()).retried).toHaveLength(1);
        await play(worker, { a: oom });
      }
      await expect(recover()).rejects.toMatchObject({ code: 'AGENT_LIMIT' });
      expect(await statuses(world)).toEqual({ a: 'pending_failed' });
      await resolve(world, [{ job_id: 1, action: 'retry' }]);
      await play(worker, FAILS);
      const unsure = { retry_unknown: true, agent: { max_decisions: 9, min_confidence: 0.5 } };
      await expect(recover(unsure)).rejects.toThrow(/no confidence/);
    });

    test('counts from what a job used, where that was more than it had', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a', memoryBytes: 64 }]);
      const [claim] = await worker.claim();
      await world.engine.exchange(worker.id, {
        ...NOTHING,
        finished: [
          {
            token: claim!.token,
            started_at_ms: world.clock.now,
            finished_at_ms: world.clock.now,
            outcome: oom,
            usage: { peak_rss_bytes: 316, cpu_seconds: 1 },
          },
        ],
        workflow_id: world.workflowId,
      });
      const { retried } = await world.engine.recover(world.workflowId, RECOVER);
      expect(retried).toMatchObject([{ name: 'a', memory_bytes: { from: 64, to: 474 } }]);
    });

    test('leaves what failed for good while the run is not complete, and says so', async () => {
      const world = await worldOf(simpleModel([{ name: 'a' }, { name: 'b' }]), databases);
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      await worker.exchange({ finished: [{ claim: claims[0]!, outcome: outcome({ exit_code: 1 }) }] });
      const result = await world.engine.recover(world.workflowId, { ...RECOVER, retry_unknown: true });
      expect(result).toMatchObject({
        mode: 'nothing',
        complete: false,
        left: [{ name: 'a', why: expect.stringMatching(/^the run is not complete/) }],
      });
      await worker.exchange({ finished: [{ claim: claims[1]!, outcome: outcome({ exit_code: 0 }) }] });
      const later = await world.engine.recover(world.workflowId, {
        ...RECOVER,
        retry_unknown: true,
        dry_run: true,
      });
      expect(later).toMatchObject({ mode: 'new_run', complete: true, retried: [{ name: 'a' }] });
    });

    test('gives nothing beyond the caps', async () => {
      const { world, worker } = await pendingWorld([{ name: 'a', memoryBytes: 2 * GIGA }]);
      await play(worker, { a: oom });
      const capped = { ...RECOVER, max_memory_bytes: 2 * GIGA };
      const result = await world.engine.recover(world.workflowId, capped);
      expect(result).toMatchObject({ mode: 'nothing', left: [{ name: 'a' }] });
      expect(await statuses(world)).toEqual({ a: 'pending_failed' });
    });
  });
}
