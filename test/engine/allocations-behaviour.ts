import { describe, expect, test } from 'vitest';
import type { ScheduleOrder } from '../../src/core/allocation/scheduler.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import type { ActionModel, ActionTrigger } from '../../src/core/model/action.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { waitText } from '../../src/views/wait-text.ts';
import { HOUR, schedulerModel } from '../core/allocation-situations.ts';
import { AllocationWorld } from './allocation-world.ts';
import type { Databases } from './engine-world.ts';
import { Crash } from './fake-cluster.ts';

const A = [{ name: 'a' }];
const MINUTE = 60_000;

function schedule(
  trigger: ActionTrigger,
  order: Partial<ScheduleOrder> = {},
  facts: Partial<ActionModel> = {},
): ActionModel {
  return {
    trigger,
    persistent: false,
    jobs: [],
    commands: [],
    schedule: {
      scheduler: 'main',
      allocations: 1,
      one_worker_per_node: false,
      max_parallel: null,
      automatic: false,
      ...order,
    },
    ...facts,
  };
}

/** How allocations are driven, on any database. */
export function allocationBehaviour(databases: Databases): void {
  const worldFor = (
    jobs: Parameters<typeof AllocationWorld.create>[0] = A,
    facts: Parameters<typeof AllocationWorld.create>[1] = {},
  ) => AllocationWorld.create(jobs, facts, databases);

  describe('an allocation', () => {
    test('is ordered, submitted, runs, brings its worker, and ends', async () => {
      const world = await worldFor();
      await world.tend();
      expect(world.cluster.plans).toMatchObject([{ after: null }]);
      const [submitted] = await world.allocations();
      expect(submitted).toMatchObject({ state: 'queued', cluster_id: '4711', scheduler: 'main' });
      expect(submitted!.tag).toMatch(/^holdfast-[0-9a-f]{12}$/);
      await world.look();
      expect((await world.allocations())[0]).toMatchObject({ word: 'PENDING', why: 'Priority' });

      const worker = await world.workerFrom('4711');
      expect(await world.states()).toEqual(['running']);
      const claims = await world.claim(worker);
      expect(claims.map(({ job_name }) => job_name)).toEqual(['a']);
      await world.end(worker, claims);
      await world.engine.retireWorker(worker);
      world.cluster.end('4711');
      await world.look();
      expect((await world.allocations())[0]).toMatchObject({ state: 'ended', end: 'completed' });
      expect((await world.engine.listEvents(world.workflowId)).items.map(({ type }) => type)).toEqual([
        'workflow_created',
        'allocation_ordered',
        'allocation_submitted',
        'allocation_waiting',
        'allocation_worker',
        'run_started',
        'completed',
        'run_finished',
        'allocation_ended',
      ]);
      expect(await world.scheduler()).toMatchObject({ misses: 0, seen: { cpus: 4 } });
    });

    test('is not ordered while the one before is on its way or has room', async () => {
      const world = await worldFor([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
      await world.tend();
      await world.look();
      await world.workerFrom('4711');
      await world.look();
      expect(await world.states()).toEqual(['running']);
      expect(await world.engine.status(world.workflowId)).toMatchObject({
        allocations: { queued: 0, running: 1 },
        held_schedulers: [],
      });
    });

    test('is asked about with one question for all, and not with every pass', async () => {
      const actions = [schedule('on_workflow_start', { allocations: 3 })];
      const world = await worldFor(A, { actions });
      for (let pass = 0; pass < 5; pass += 1) await world.tend();
      world.clock.now += 2_000;
      await world.tend();
      await world.tend();
      expect(world.cluster.calls).toEqual(['plan', 'submit', 'plan', 'submit', 'plan', 'submit', 'list']);
    });

    test('is not asked for where the executor is workers, nor for other workflows', async () => {
      const world = await worldFor(A, { executor: 'workers' });
      expect(await world.tend()).toBe(60_000);
      expect(world.cluster.calls).toEqual([]);
      expect(await world.engine.getWorkflow(world.workflowId)).toMatchObject({ executor: 'workers' });
      await world.engine.orderAllocations(world.workflowId, { scheduler: 'main', actor: 'ann' });
      await world.tend();
      expect(await world.allocations()).toMatchObject([{ state: 'queued', actor: 'ann' }]);
      expect(await world.engine.getWorkflow(world.workflowId)).toMatchObject({ executor: 'slurm' });
    });

    test('is not ordered for jobs that can never fit, once that was seen', async () => {
      const schedulers = [schedulerModel({ cpus: null, walltime_ms: null })];
      const world = await worldFor([{ name: 'a', cpus: 64 }], { schedulers });
      await world.tend();
      const worker = await world.workerFrom('4711', { time_left_ms: HOUR });
      expect(await world.claim(worker)).toEqual([]);
      await world.engine.retireWorker(worker);
      world.cluster.end('4711');
      await world.look();
      await world.look();
      expect(await world.states()).toEqual(['ended']);
    });
  });

  describe('a submission', () => {
    test.each([
      ['died before the cluster was asked', 'crash', 0],
      ['died before its result was written down', 'crash after', 1],
      ['got no answer, and took effect', 'absent after', 1],
      ['got no answer, and took no effect', 'absent', 0],
      ['takes effect after its process died', 'late', 0],
    ] as const)('that %s is found by its tag, or made once more', async (_, fault, taken) => {
      const world = await worldFor();
      world.cluster.faults.submit.push(fault);
      await world.tend().catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
      expect(await world.states()).toEqual(['submitting']);
      expect(world.cluster.jobs).toHaveLength(taken);
      await world.replaceEngine();
      for (let second = 0; second < 120; second += 5) {
        world.clock.now += 5_000;
        await world.tend();
      }
      expect(await world.states()).toEqual(['queued']);
      expect(world.cluster.jobs).toHaveLength(1);
      expect(world.cluster.jobs[0]!.tag).toBe((await world.allocations())[0]!.tag);
    });

    test('is not made again before the first one can have been given up', async () => {
      const world = await worldFor();
      world.cluster.faults.submit.push('crash');
      await world.tend().catch(() => {});
      for (let second = 0; second < 39; second += 3) {
        world.clock.now += 3_000;
        await world.tend();
        expect(world.cluster.jobs).toHaveLength(0);
      }
      world.clock.now += 12_000;
      await world.tend();
      expect(world.cluster.jobs).toHaveLength(1);
    });

    test('that was taken for lost is known by its worker', async () => {
      const world = await worldFor();
      world.cluster.faults.submit.push('crash after');
      await world.tend().catch(() => {});
      await world.workerFrom('4711');
      expect(await world.allocations()).toMatchObject([{ state: 'running', cluster_id: '4711', workers: 1 }]);
    });

    test('of which two took effect is canceled but for one', async () => {
      const world = await worldFor();
      await world.tend();
      const { tag } = (await world.allocations())[0]!;
      await world.cluster.submit({ tag, script: '', options: [], directory: '', output: '', after: null });
      await world.look();
      expect(world.cluster.alive().map(({ id }) => id)).toEqual(['4711']);
      expect(await world.allocations()).toMatchObject([{ state: 'queued', cluster_id: '4711' }]);
    });

    test('that is refused is tried again after 0, 1, 15, 30, 60 and 60 min, and says why', async () => {
      const world = await worldFor();
      world.cluster.faults.submit.push(...Array<'refused'>(6).fill('refused'));
      const waits: number[] = [];
      for (let refusals = 1; refusals <= 6; refusals += 1) {
        await world.tend();
        const { next_try_at_ms, ...reported } = await world.scheduler();
        expect(reported).toMatchObject({ refusals, refusal: 'sbatch refused: Invalid account' });
        waits.push((next_try_at_ms! - world.clock.now) / MINUTE);
        if (next_try_at_ms! > world.clock.now) {
          world.clock.now = next_try_at_ms! - 1;
          await world.tend();
          expect((await world.scheduler()).refusals).toBe(refusals);
        }
        world.clock.now = next_try_at_ms!;
      }
      expect(waits).toEqual([0, 1, 15, 30, 60, 60]);
      expect(await world.allocations()).toMatchObject([{ state: 'planned' }]);
      await world.tend();
      expect(await world.states()).toEqual(['queued']);
      expect(await world.scheduler()).toMatchObject({ refusals: 0, refusal: null, next_try_at_ms: null });
    });

    test('whose files cannot be written says why, and keeps nothing else from being done', async () => {
      const world = await worldFor();
      const problem = 'ENOSPC: no space left on device';
      const plan = () => Promise.reject(new HoldfastError('STATE_UNUSABLE', { path: '/shared', problem }));
      await world.engine.tendAllocations({ ...world.allocator, plan });
      expect(await world.scheduler()).toMatchObject({
        refusals: 1,
        refusal: `cannot use /shared: ${problem}`,
      });
      expect(await world.states()).toEqual(['planned']);
      await world.tend();
      expect(await world.states()).toEqual(['queued']);
    });

    test('of a refused scheduler is made at once when it is resumed', async () => {
      const world = await worldFor();
      world.cluster.faults.submit.push('refused', 'refused', 'refused');
      for (const wait of [0, 0, MINUTE]) {
        world.clock.now += wait;
        await world.tend();
      }
      expect(await world.engine.status(world.workflowId)).toMatchObject({
        held_schedulers: [{ name: 'main', paused: false, next_try_at_ms: world.clock.now + 15 * MINUTE }],
      });
      await world.engine.resumeScheduler(world.workflowId, 'main', { actor: 'ann' });
      await world.tend();
      expect(await world.states()).toEqual(['queued']);
    });
  });

  describe('an absent cluster', () => {
    test('is asked again a minute later, and nothing is concluded meanwhile', async () => {
      const world = await worldFor();
      await world.tend();
      world.cluster.end('4711', 'failed');
      world.cluster.faults.list.push('absent');
      await world.look();
      expect(await world.states()).toEqual(['queued']);
      const calls = world.cluster.calls.length;
      world.clock.now += 59_000;
      await world.tend();
      expect(world.cluster.calls).toHaveLength(calls);
      world.clock.now += 1_000;
      await world.tend();
      expect((await world.allocations())[0]).toMatchObject({ state: 'ended', end: 'failed' });
    });

    test('is an event when it begins', async () => {
      const world = await worldFor();
      await world.tend();
      world.cluster.faults.list.push('absent', 'absent');
      await world.look();
      world.clock.now += MINUTE;
      await world.tend();
      const [reported, ...more] = await world.events('cluster_absent');
      expect(reported).toMatch(/does not answer/);
      expect(more).toEqual([]);
    });

    test('that does not say how an allocation ended leaves it as it was', async () => {
      const world = await worldFor();
      await world.tend();
      world.cluster.end('4711', 'failed');
      world.cluster.faults.ends.push('absent');
      await world.look();
      expect(await world.states()).toEqual(['queued']);
    });
  });

  describe('a scheduler', () => {
    test('is paused after three allocations without their worker, with what the last one wrote', async () => {
      const world = await worldFor();
      for (const id of ['4711', '4712', '4713']) {
        await world.look();
        const { tag } = world.cluster.job(id);
        world.cluster.outputs.set(tag, `module: command not found (${id})`);
        world.cluster.end(id, 'failed');
        await world.look();
      }
      await world.look();
      expect(await world.states()).toEqual(['ended', 'ended', 'ended']);
      const reason =
        '3 allocations in a row ended without their worker; the last was allocation 4713 of scheduler main ' +
        '(failed), it wrote:\nmodule: command not found (4713)';
      expect(await world.scheduler()).toMatchObject({ misses: 3, paused: { reason } });
      expect(await world.events('scheduler_paused')).toEqual([reason]);
      await world.engine.resumeScheduler(world.workflowId, 'main', { actor: 'ann' });
      await world.look();
      expect(await world.states()).toEqual(['ended', 'ended', 'ended', 'queued']);
    });

    test('is not paused by allocations that nobody needed, nor if a worker came between', async () => {
      const world = await worldFor();
      for (const id of ['4711', '4712', '4713', '4714', '4715']) {
        await world.look();
        if (id === '4713') await world.engine.retireWorker(await world.workerFrom(id));
        world.cluster.end(id, 'failed');
        await world.look();
      }
      expect(await world.scheduler()).toMatchObject({ misses: 2, paused: null });
    });

    test('that waits for what cannot come says so at once', async () => {
      const world = await worldFor();
      await world.tend();
      Object.assign(world.cluster.job('4711'), { why: 'PartitionConfig', never: true });
      await world.look();
      expect(await world.events('allocation_waiting')).toEqual([
        'PENDING: PartitionConfig, which will not pass by itself',
      ]);
      expect(await world.allocations()).toMatchObject([{ never: true, why: 'PartitionConfig' }]);
      expect((await world.engine.status(world.workflowId)).allocations).toEqual({
        queued: 1,
        running: 0,
        stuck: [{ cluster_id: '4711', scheduler: 'main', why: 'PartitionConfig' }],
      });
    });

    test('at a banned site gets no more allocations', async () => {
      const world = await worldFor();
      await world.tend();
      const worker = await world.workerFrom('4711', { site: 'alps' });
      await world.engine.retireWorker(worker);
      world.cluster.end('4711', 'node_fail');
      await world.engine.banSite('alps', { reason: 'fails', actor: 'ann' });
      await world.look();
      await world.look();
      expect(await world.states()).toEqual(['ended']);
      await world.engine.unbanSite('alps', { actor: 'ann' });
      await world.tend();
      expect(await world.states()).toEqual(['ended', 'queued']);
    });

    test('with a chain has one that runs and one that follows it', async () => {
      const schedulers = [schedulerModel({ serialize: true })];
      const actions = [schedule('on_workflow_start', { allocations: 3 })];
      const world = await worldFor(A, { schedulers, actions });
      await world.tend();
      expect(world.cluster.plans.map(({ after }) => after)).toEqual([null, '4711']);
      const worker = await world.workerFrom('4711');
      await world.claim(worker);
      await world.look();
      expect(await world.states()).toEqual(['running', 'queued', 'planned']);
      world.cluster.end('4711', 'timeout');
      await world.look();
      expect(world.cluster.plans.at(-1)).toMatchObject({ after: '4712' });
    });
  });

  describe('an action that orders allocations', () => {
    test('does so once in a run, when its moment comes, and is no errand of a worker', async () => {
      const actions = [schedule('on_jobs_ready', { allocations: 2, max_parallel: 3 }, { jobs: [1] })];
      const world = await worldFor([{ name: 'a' }, { name: 'b', after: ['a'] }], { actions });
      const plain = await world.engine.registerWorker({
        ...ownIdentity({ kind: 'service', cpus: 4 }),
        host: 'elsewhere',
      });
      await world.tend();
      expect(await world.states()).toEqual([]);
      const { claims, errands } = await world.exchange(plain.id, {
        capacity: { cpus: 4, memory_bytes: 1e9, gpus: 0, slots: 4, default_cpus: 1 },
      });
      expect(errands).toEqual([]);
      await world.end(plain.id, claims);
      await world.tend();
      expect(await world.states()).toEqual(['queued', 'queued']);
      for (const { id } of world.cluster.alive()) world.cluster.end(id, 'failed');
      await world.look();
      await world.look();
      expect(await world.states()).toEqual(['ended', 'ended']);
    });

    test('persistent, orders again as long as a ready job has nobody', async () => {
      const action = schedule('on_workflow_start', { allocations: 1 });
      for (const persistent of [false, true]) {
        const world = await worldFor([{ name: 'a' }], { actions: [{ ...action, persistent }] });
        await world.tend();
        expect(await world.states()).toEqual(['queued']);
        world.cluster.end('4711', 'failed');
        await world.look();
        await world.look();
        expect(await world.states()).toEqual(persistent ? ['ended', 'queued'] : ['ended']);
      }
    });

    test('orders again what was canceled because nobody needed it, once a job does', async () => {
      const actions = [schedule('on_workflow_start', { allocations: 2 })];
      const world = await worldFor([{ name: 'a', retry: { max_retries_preemption: 3 } }], { actions });
      await world.tend();
      const worker = await world.workerFrom('4711');
      await world.claim(worker);
      await world.look();
      await world.look();
      expect(await world.states()).toEqual(['running', 'ended']);
      expect(await world.events('allocation_canceled')).toEqual(['no job that is left needs it']);
      await world.engine.loseWorker(worker, { actor: 'ann' });
      world.cluster.end('4711', 'node_fail');
      world.clock.now += 60_000;
      await world.tend();
      expect(await world.states()).toEqual(['ended', 'ended', 'queued']);
    });

    test('automatic, orders as long as ready jobs are not covered, up to its number', async () => {
      const jobs = Array.from({ length: 12 }, (_, index) => ({ name: `j${index}`, cpus: 4 }));
      const actions = [schedule('on_jobs_ready', { allocations: 2, automatic: true })];
      const world = await worldFor(jobs, { actions });
      await world.tend();
      expect(await world.states()).toEqual(['queued']);
      const worker = await world.workerFrom('4711');
      await world.claim(worker);
      await world.tend();
      expect(await world.states()).toEqual(['running', 'queued']);
      await world.claim(await world.workerFrom('4712'));
      await world.look();
      expect(await world.states()).toEqual(['running', 'running']);
    });
  });

  describe('the end of an allocation', () => {
    const RETRIED = [{ name: 'a', retry: { max_retries_failure: 0, max_retries_preemption: 5 } }];

    test('gives its silent worker up within seconds, free of charge for its jobs', async () => {
      const world = await worldFor(RETRIED);
      await world.tend();
      const worker = await world.workerFrom('4711');
      await world.claim(worker);
      world.cluster.end('4711', 'node_fail');
      await world.look();
      expect(await world.states()).toEqual(['ended']);
      world.clock.now += 5_000;
      await world.tend();
      expect(await world.engine.getJob(world.workflowId, 'a')).toMatchObject({
        status: 'ready',
        failure_count: 0,
      });
      expect(await world.events('worker_lost')).toEqual([
        expect.stringMatching(/is gone: its allocation 4711 of scheduler main ended: node_fail$/),
      ]);
    });

    test('leaves a worker alone that still talks', async () => {
      const world = await worldFor(RETRIED);
      await world.tend();
      const worker = await world.workerFrom('4711');
      const claims = await world.claim(worker);
      world.cluster.end('4711', 'node_fail');
      for (let second = 0; second < 120; second += 10) {
        await world.look();
        await world.exchange(worker);
      }
      await world.end(worker, claims);
      expect(await world.engine.getJob(world.workflowId, 'a')).toMatchObject({ status: 'completed' });
    });

    test('that is a requeue brings a new worker, and the one before is given up', async () => {
      const world = await worldFor(RETRIED);
      await world.tend();
      const first = await world.workerFrom('4711');
      await world.claim(first);
      await world.look();
      world.cluster.requeue('4711');
      await world.look();
      expect(await world.allocations()).toMatchObject([{ state: 'queued', restarts: 1, workers: 0 }]);
      const second = await world.workerFrom('4711');
      world.clock.now += 16_000;
      await world.exchange(second);
      await world.tend();
      expect(await world.allocations()).toMatchObject([{ state: 'running', restarts: 1, workers: 1 }]);
      expect((await world.claim(second)).map(({ attempt_id }) => attempt_id)).toEqual([2]);
      expect(await world.events('allocation_requeued')).toEqual(['BeginTime']);
    });

    test('that is a requeue between two looks is known by the worker', async () => {
      const world = await worldFor(RETRIED);
      await world.tend();
      await world.claim(await world.workerFrom('4711'));
      await world.look();
      world.cluster.requeue('4711');
      const second = await world.workerFrom('4711');
      await world.look();
      world.clock.now += 6_000;
      await world.exchange(second);
      await world.tend();
      expect(await world.engine.getJob(world.workflowId, 'a')).toMatchObject({ status: 'ready' });
    });
  });

  describe('allocations are canceled', () => {
    test('with the workflow: what waits at once, what runs when its worker has left or after 30 s', async () => {
      const actions = [schedule('on_workflow_start', { allocations: 3 })];
      const world = await worldFor([{ name: 'a' }, { name: 'b' }], { actions });
      await world.tend();
      const worker = await world.workerFrom('4711');
      const other = await world.workerFrom('4712');
      const claims = await world.claim(worker, 2);
      await world.engine.cancel(world.workflowId, { actor: 'ann' });
      await world.end(worker, claims, { canceled: true });
      await world.engine.retireWorker(other);
      await world.tend();
      expect(world.cluster.alive().map(({ id }) => id)).toEqual(['4711']);
      world.clock.now += 30_000;
      await world.exchange(worker);
      await world.tend();
      expect(world.cluster.alive()).toEqual([]);
      await world.look();
      expect(await world.allocations()).toMatchObject(Array(3).fill({ state: 'ended', end: 'canceled' }));
      expect(await world.scheduler()).toMatchObject({ misses: 0 });
    });

    test('with a stop of the workflow, and ordered again when it is resumed', async () => {
      const world = await worldFor();
      await world.tend();
      await world.engine.stopWorkflow(world.workflowId, { actor: 'ann' });
      await world.tend();
      expect(world.cluster.alive()).toEqual([]);
      await world.look();
      expect(await world.states()).toEqual(['ended']);
      await world.engine.resumeWorkflow(world.workflowId, { actor: 'ann' });
      await world.tend();
      expect(await world.states()).toEqual(['ended', 'queued']);
    });

    test('not by a pause, which only orders no more', async () => {
      const world = await worldFor();
      await world.engine.pauseWorkflow(world.workflowId, { actor: 'ann' });
      await world.tend();
      expect(await world.states()).toEqual([]);
      await world.engine.resumeWorkflow(world.workflowId, { actor: 'ann' });
      await world.tend();
      await world.engine.pauseWorkflow(world.workflowId, { actor: 'ann' });
      await world.look();
      expect(await world.states()).toEqual(['queued']);
    });

    test('not if a person ordered it for jobs that name another scheduler', async () => {
      const world = await worldFor([{ name: 'a', scheduler: 'main' }], {
        schedulers: [schedulerModel(), schedulerModel({ name: 'other' })],
        actions: [schedule('on_workflow_start')],
      });
      await world.engine.orderAllocations(world.workflowId, { scheduler: 'other', actor: 'ann' });
      await world.tend();
      const allocations = await world.allocations();
      expect(allocations.map(({ scheduler, state }) => [scheduler, state])).toContainEqual([
        'other',
        'queued',
      ]);
    });

    test('by a person, one by one, running or not', async () => {
      const world = await worldFor();
      const [planned] = (
        await world.engine.orderAllocations(world.workflowId, { scheduler: 'main', actor: 'ann' })
      ).items;
      const canceled = await world.engine.cancelAllocation(planned!.id, { actor: 'ann', reason: 'oops' });
      expect(canceled).toMatchObject({
        state: 'ended',
        end: 'unsubmitted',
        cancel_reason: 'canceled by ann: oops',
      });
      await world.tend();
      await world.workerFrom('4711');
      const [, running] = await world.allocations();
      await world.engine.cancelAllocation(running!.id, { actor: 'ann' });
      await world.tend();
      expect(world.cluster.job('4711')).toMatchObject({ state: 'ended' });
    });
  });

  describe('a job that waits for an allocation', () => {
    const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const reported = async (world: AllocationWorld, job = 'a') => {
      const { waits } = await world.engine.explain(world.workflowId, job);
      return waits.map((wait) => waitText(wait, clock));
    };

    test('says how that stands', async () => {
      const world = await worldFor();
      expect(await reported(world)).toEqual(['an allocation of scheduler main is about to be submitted']);
      await world.tend();
      expect(await reported(world)).toEqual(['allocation 4711 is queued']);
      Object.assign(world.cluster.job('4711'), { why: 'Resources', startsAt: Date.UTC(2026, 0, 1, 14, 5) });
      await world.look();
      expect(await reported(world)).toEqual(['allocation 4711 is PENDING: Resources, estimated start 14:05']);
      world.cluster.start('4711');
      await world.look();
      expect(await reported(world)).toEqual(['allocation 4711 has begun, and its worker is on its way']);
      await world.workerFrom('4711');
      expect(await reported(world)).toEqual([]);
    });

    test('says why there is none', async () => {
      const jobs = [{ name: 'a' }, { name: 'large', gpus: 8 }, { name: 'long', timeoutMs: 2 * HOUR }];
      const world = await worldFor(jobs);
      expect(await reported(world, 'large')).toEqual(['no scheduler has 8 GPUs: at most 0']);
      expect(await reported(world, 'long')).toEqual(['no scheduler lasts 2h00m: at most 59m30s']);
      world.cluster.faults.submit.push('refused', 'refused', 'refused');
      await world.tend();
      await world.tend();
      expect(await reported(world)).toEqual([
        `scheduler main: sbatch refused: Invalid account; next try ${clock(world.clock.now + MINUTE)}`,
      ]);
      await world.engine.resumeScheduler(world.workflowId, 'main', { actor: 'ann' });
      world.cluster.faults.submit.splice(0);
      world.cluster.faults.submit.push('absent');
      await world.tend();
      expect(await reported(world)).toEqual([
        `the cluster has not answered since ${clock(world.clock.now)}: submit does not answer: Unable to contact slurm controller`,
        'an allocation of scheduler main is about to be submitted',
      ]);
    });

    test('says that its scheduler is paused, or that no action orders another one', async () => {
      const world = await worldFor(A, { actions: [schedule('on_workflow_start', { allocations: 3 })] });
      await world.tend();
      world.cluster.end('4711', 'failed');
      world.cluster.end('4712', 'failed');
      await world.engine.retireWorker(await world.workerFrom('4713'));
      world.cluster.end('4713', 'failed');
      await world.look();
      expect(await reported(world)).toEqual([
        'no allocation of scheduler main is on its way, and no action orders another one',
      ]);
      await world.engine.orderAllocations(world.workflowId, { scheduler: 'main', count: 3, actor: 'ann' });
      await world.tend();
      for (const { id } of world.cluster.alive()) world.cluster.end(id, 'failed');
      await world.look();
      expect(await reported(world)).toEqual([
        expect.stringMatching(/^scheduler main is paused: 3 allocations in a row ended/),
      ]);
    });
  });

  test('one process drives allocations, and another one takes over when it is gone', async () => {
    const world = await worldFor();
    await world.tend();
    world.server = 'server-2';
    expect(await world.tend()).toBe(30_000);
    world.clock.now += 29_999;
    expect(await world.tend()).toBeLessThanOrEqual(500);
    expect(world.cluster.calls).toEqual(['plan', 'submit']);
    world.clock.now += 1;
    await world.tend();
    expect(world.cluster.calls).toEqual(['plan', 'submit', 'list']);
  });

  test('schedulers are replaced by name, and what was seen of the one before is forgotten', async () => {
    const world = await worldFor();
    await world.tend();
    await world.workerFrom('4711');
    const models = [schedulerModel({ cpus: 8 }), schedulerModel({ name: 'gpu', gpus: 4 })];
    const { items } = await world.engine.putSchedulers(world.workflowId, {
      schedulers: models,
      actor: 'ann',
    });
    expect(items).toMatchObject([
      { name: 'main', model: { cpus: 8 }, seen: null, allocations: { queued: 0, running: 1 } },
      { name: 'gpu', model: { gpus: 4 } },
    ]);
  });
}
