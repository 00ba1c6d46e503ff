import { describe, expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { Claim } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { SERVICE_LEASE_MS } from '../../src/core/worker/lease.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { type Databases, type EngineWorld, NOTHING, WorkerHand, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

const MINUTE = 60_000;
const SUCCESS = outcome({ exit_code: 0 });

/** Who keeps which job for how long, and what late or impossible reports do, on any database. */
export function leaseBehaviour(databases: Databases): void {
  const makeWorld = (...jobs: SimpleJob[]) => worldOf(simpleModel(jobs), databases);
  const served = (world: EngineWorld) => world.engine as ServedEngine;

  /** A worker of a server on another host, with the lease that it has by default. */
  async function serviceWorker(world: EngineWorld, directory = '/srv/a', actor = 'ops'): Promise<WorkerHand> {
    const facts = { kind: 'service', cpus: 4, lease_ms: SERVICE_LEASE_MS, directory } as const;
    const identity = { ...ownIdentity(facts), host: 'elsewhere' };
    return new WorkerHand(world, (await world.engine.registerWorker(identity, actor)).id);
  }

  async function startOne(worker: WorkerHand): Promise<Claim> {
    const [claim] = await worker.claim();
    await worker.exchange({ started: [claim!] });
    return claim!;
  }

  const stateOf = async (world: EngineWorld, { id }: WorkerHand) =>
    (await world.engine.listWorkers()).items.find((worker) => worker.id === id)!.state;

  /** Sweeps as a server does, at least once a minute, until the time has passed. */
  async function pass(world: EngineWorld, ms: number): Promise<number> {
    let lost = 0;
    for (let left = ms; left > 0; left -= MINUTE) {
      world.clock.now += Math.min(left, MINUTE);
      lost += await served(world).sweep();
    }
    return lost;
  }

  test('a list of workers has those that are present alone, and each has a list of the jobs that it holds', async () => {
    const world = await makeWorld({ name: 'a' });
    await served(world).start();
    const worker = await serviceWorker(world);
    const other = await serviceWorker(world, '/srv/b');
    const claim = await startOne(worker);
    const ids = async (present: boolean) =>
      (await world.engine.listWorkers({ present })).items.map(({ id }) => id);
    const held = async ({ id }: WorkerHand) => (await world.engine.listWorkerJobs(id)).items;
    expect(await ids(true)).toEqual(expect.arrayContaining([other.id, worker.id]));
    expect(await held(worker)).toEqual([
      {
        workflow_id: world.workflowId,
        workflow_name: (await world.engine.status(world.workflowId)).workflow.name,
        job_id: claim.job_id,
        name: 'a',
        run_id: 1,
        attempt_id: 1,
        claimed_at_ms: world.clock.now,
        started_at_ms: world.clock.now,
      },
    ]);
    expect(await held(other)).toEqual([]);
    await worker.exchange({ finished: [{ claim, outcome: SUCCESS }] });
    expect(await held(worker)).toEqual([]);
    await world.engine.retireWorker(other.id);
    expect(await ids(true)).not.toContain(other.id);
    expect(await ids(false)).toContain(other.id);
  });

  describe('a worker of a server that is silent', () => {
    test('is suspect after 30 s, keeps its jobs until its lease ends, and is active once it is heard of', async () => {
      const world = await makeWorld({ name: 'a' });
      await served(world).start();
      const worker = await serviceWorker(world);
      await startOne(worker);
      expect(await pass(world, 29_000)).toBe(0);
      expect(await stateOf(world, worker)).toBe('active');
      expect(await pass(world, 1_000)).toBe(0);
      expect(await stateOf(world, worker)).toBe('suspect');
      expect((await world.engine.status(world.workflowId)).workers).toMatchObject([{ state: 'suspect' }]);
      expect(await pass(world, 9 * MINUTE)).toBe(0);
      await worker.exchange({});
      expect(await stateOf(world, worker)).toBe('active');
      expect(await pass(world, 10 * MINUTE - 1)).toBe(0);
      expect(await pass(world, 1)).toBe(1);
      expect(await world.job('a')).toMatchObject({ status: 'ready', preemption_count: 1 });
    });

    test('keeps them for as long as no server was up besides', async () => {
      const world = await makeWorld({ name: 'a' });
      await served(world).start();
      const worker = await serviceWorker(world);
      const claim = await startOne(worker);
      await pass(world, MINUTE);
      world.clock.now += 24 * 60 * MINUTE;
      await served(world).start();
      expect(await served(world).sweep()).toBe(0);
      // Silent for the minute before the absence: no more of it counts.
      expect((await world.engine.listWorkers()).items).toMatchObject([
        { lease_expires_at_ms: world.clock.now + 9 * MINUTE },
      ]);
      await worker.exchange({ finished: [{ claim, outcome: SUCCESS }] });
      expect(await world.attempts()).toMatchObject([{ state: 'SUCCEEDED' }]);
    });

    test('is not charged for a server that stood still', async () => {
      const world = await makeWorld({ name: 'a' });
      await served(world).start();
      const worker = await serviceWorker(world);
      await startOne(worker);
      await served(world).sweep();
      world.clock.now += 20 * MINUTE;
      expect(await served(world).sweep()).toBe(0);
      expect(await pass(world, 10 * MINUTE)).toBe(1);
    });

    test('is not kept by a server that started while another one was up', async () => {
      const world = await makeWorld({ name: 'a' });
      await served(world).start();
      await startOne(await serviceWorker(world));
      expect(await pass(world, 10 * MINUTE - 1)).toBe(0);
      await served(world).start();
      world.clock.now += 1;
      expect(await served(world).sweep()).toBe(1);
    });
  });

  describe('a clock that is set back', () => {
    test('gives no worker a longer lease than it asked for', async () => {
      const world = await makeWorld({ name: 'a' });
      await served(world).start();
      const worker = await serviceWorker(world);
      await startOne(worker);
      world.clock.now -= 60 * MINUTE;
      expect((await worker.exchange({})).lease_ms).toBe(SERVICE_LEASE_MS);
      expect((await world.engine.listWorkers()).items).toMatchObject([
        { lease_expires_at_ms: world.clock.now + SERVICE_LEASE_MS },
      ]);
    });

    test('keeps no dead worker', async () => {
      const world = await makeWorld({ name: 'a' });
      await served(world).start();
      await startOne(await serviceWorker(world));
      world.clock.now -= 24 * 60 * MINUTE;
      expect(await served(world).sweep()).toBe(0);
      expect(await pass(world, 10 * MINUTE - 1)).toBe(0);
      expect(await pass(world, 1)).toBe(1);
    });
  });

  describe('a worker that is known to be dead', () => {
    test('and returns with empty state is charged for what may have started (R15)', async () => {
      const world = await makeWorld({ name: 'a', retry: { max_retries_preemption: 2 } });
      for (let run = 1; run <= 3; run += 1) {
        const worker = await serviceWorker(world);
        // It starts the job, which kills it before it can say so.
        expect(await worker.claim()).toMatchObject([{ attempt_id: run }]);
        expect(await world.job('a')).toMatchObject({ preemption_count: run - 1 });
      }
      await serviceWorker(world);
      const job = await world.job('a');
      expect(job).toMatchObject({ status: 'failed', failure_count: 0, preemption_count: 3 });
      expect(job.reason).toMatch(/^worker_lost/);
      expect(await world.attempts()).toMatchObject(
        Array(3).fill({ state: 'WORKER_FAILED', is_worker_failure: true }),
      );
      const events = (await world.events()).filter(({ type }) => type === 'worker_lost');
      expect(events[0]!.reason).toMatch(
        /^worker 1 \(elsewhere, process \d+\) is gone: worker 2 took its place$/,
      );
    });

    test('is not taken for dead because of a worker elsewhere, or of another user', async () => {
      const world = await makeWorld({ name: 'a' });
      const worker = await serviceWorker(world, '/srv/a', 'ops');
      await startOne(worker);
      await serviceWorker(world, '/srv/b', 'ops');
      await serviceWorker(world, '/srv/a', 'mallory');
      expect(await world.job('a')).toMatchObject({ status: 'running' });
    });

    test('because an operator says so loses its jobs at once', async () => {
      const world = await makeWorld({ name: 'a' });
      const worker = await serviceWorker(world);
      await startOne(worker);
      expect(await world.engine.loseWorker(worker.id, { actor: 'ada' })).toMatchObject({
        state: 'retired',
        running: 0,
      });
      expect(await world.job('a')).toMatchObject({ status: 'ready', preemption_count: 1 });
      const [lost] = (await world.events()).filter(({ type }) => type === 'worker_lost');
      expect(lost).toMatchObject({ actor: 'ada', data: { worker_id: worker.id, attempts: 1 } });
      expect((await world.engine.listAudit()).items[0]).toMatchObject({
        actor: 'ada',
        action: 'worker_lost',
      });
      await expect(world.engine.loseWorker(worker.id, { actor: 'ada' })).rejects.toMatchObject({
        code: 'WORKER_RETIRED',
      });
      await expect(world.engine.loseWorker(99, { actor: 'ada' })).rejects.toMatchObject({
        code: 'WORKER_NOT_FOUND',
      });
    });
  });

  describe('a success that comes late', () => {
    const late = async (worker: WorkerHand, claim: Claim, facts = SUCCESS) =>
      expect(worker.exchange({ finished: [{ claim, outcome: facts }] })).rejects.toMatchObject({
        code: 'WORKER_RETIRED',
        httpStatus: 409,
      });

    test('is used while its job has no newer attempt, once, as an attempt that says so', async () => {
      const world = await makeWorld({ name: 'a' }, { name: 'b', after: ['a'] });
      const worker = await serviceWorker(world);
      const claim = await startOne(worker);
      await world.engine.loseWorker(worker.id, { actor: 'ada' });
      await late(worker, claim);
      await late(worker, claim);
      const attempts = await world.attempts();
      expect(attempts).toMatchObject([
        { state: 'WORKER_FAILED', attempt_id: 1 },
        { state: 'SUCCEEDED', attempt_id: 2, worker_id: worker.id },
      ]);
      expect(attempts[1]!.reason).toMatch(/reported late by worker 1.*this is the result of attempt 1$/);
      expect((await world.jobs()).map(({ status }) => status)).toEqual(['completed', 'ready']);
    });

    test('is used after the end of the lease, and the job is not run again', async () => {
      const world = await makeWorld({ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a', 'b'] });
      await served(world).start();
      const worker = await serviceWorker(world);
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      expect(await pass(world, SERVICE_LEASE_MS + MINUTE)).toBe(1);
      expect((await world.jobs()).map(({ status }) => status)).toEqual(['ready', 'ready', 'blocked']);
      // It was cut off, and says all that it has at once; the second time it does not know that the first was heard.
      for (let time = 0; time < 2; time += 1) {
        await expect(
          worker.exchange({ finished: claims.map((claim) => ({ claim, outcome: SUCCESS })) }),
        ).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
      }
      expect((await world.jobs()).map(({ status }) => status)).toEqual(['completed', 'completed', 'ready']);
      const other = await serviceWorker(world, '/srv/b');
      expect((await other.claim()).map(({ job_name }) => job_name)).toEqual(['c']);
      expect((await world.attempts()).filter(({ state }) => state === 'SUCCEEDED')).toHaveLength(2);
    });

    test('brings back a job that failed because its worker was lost, and what depends on it', async () => {
      const world = await makeWorld(
        { name: 'a', retry: { max_retries_preemption: 0 } },
        { name: 'b', after: ['a'] },
      );
      const worker = await serviceWorker(world);
      const claim = await startOne(worker);
      await world.engine.loseWorker(worker.id, { actor: 'ada' });
      expect((await world.jobs()).map(({ status }) => status)).toEqual(['failed', 'canceled']);
      await late(worker, claim);
      expect((await world.jobs()).map(({ status }) => status)).toEqual(['completed', 'ready']);
      expect((await world.engine.status(world.workflowId)).complete).toBe(false);
    });

    test.each([
      ['a failure', { exit_code: 1 }],
      ['a loss', { lost: true }],
      ['a missing output', { exit_code: 0, missing_outputs: ['out'] }],
    ])('changes nothing if it is %s', async (_, facts) => {
      const world = await makeWorld({ name: 'a' });
      const worker = await serviceWorker(world);
      const claim = await startOne(worker);
      await world.engine.loseWorker(worker.id, { actor: 'ada' });
      await late(worker, claim, outcome(facts));
      expect(await world.job('a')).toMatchObject({ status: 'ready', attempt_id: 2 });
    });

    test('changes nothing once there is a newer attempt, or the job was canceled, or its post script must run', async () => {
      const world = await makeWorld({ name: 'a' }, { name: 'b' }, { name: 'c', post: 'true' });
      const worker = await serviceWorker(world);
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      await world.engine.loseWorker(worker.id, { actor: 'ada' });
      await world.engine.cancel(world.workflowId, { jobs: ['b'], actor: 'ada' });
      const second = await serviceWorker(world, '/srv/b');
      expect(await second.claim({ slots: 1 })).toMatchObject([{ job_name: 'a', attempt_id: 2 }]);
      for (const claim of claims) await late(worker, claim);
      expect((await world.jobs()).map(({ status }) => status)).toEqual(['pending', 'canceled', 'ready']);
      expect(await world.attempts()).toHaveLength(4);
    });
  });

  describe('times of reports', () => {
    // Relative to the claim, which is at 0; the report comes at 1000.
    test.each([
      ['as they can be', [200, 900], [200, 900]],
      ['an end in the future', [200, 4e15], [200, 1000]],
      ['a start in the future', [4e15, 4e15], [1000, 1000]],
      ['a start before the claim', [-5e12, 900], [0, 900]],
      ['an end before the start', [800, 300], [800, 800]],
      ['an end before the claim, never started', [null, -5e12], [null, 0]],
    ])('are those that are possible: %s', async (_, [start, end], [startedAt, finishedAt]) => {
      const world = await makeWorld({
        name: 'a',
        retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 },
      });
      const worker = await serviceWorker(world);
      const [claim] = await worker.claim();
      const at = world.clock.now;
      world.clock.now += 1000;
      const time = (ms: number | null) => (ms === null ? null : Math.max(0, at + ms));
      const facts = start === null ? { spawn_error: 'no such directory' } : { exit_code: 1 };
      await world.engine.exchange(worker.id, {
        ...NOTHING,
        finished: [
          {
            token: claim!.token,
            started_at_ms: time(start!),
            finished_at_ms: time(end!)!,
            outcome: outcome(facts),
            usage: null,
          },
        ],
      });
      expect(await world.attempts()).toMatchObject([
        { started_at_ms: time(startedAt!), finished_at_ms: time(finishedAt!) },
      ]);
      // It waits for nothing that never comes.
      expect(await worker.claim()).toMatchObject([{ attempt_id: 2 }]);
    });

    test('hold for starts that are reported alone', async () => {
      const world = await makeWorld({ name: 'a' });
      const worker = await serviceWorker(world);
      const [claim] = await worker.claim();
      const { now } = world.clock;
      await world.engine.exchange(worker.id, {
        ...NOTHING,
        started: [{ token: claim!.token, started_at_ms: 4e15 }],
      });
      expect(await world.attempts()).toMatchObject([{ started_at_ms: now }]);
    });
  });
}
