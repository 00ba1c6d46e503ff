import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AllocationEnd } from '../../src/contract/cluster.ts';
import type { Claim } from '../../src/contract/records/exchange.ts';
import type { ActionModel } from '../../src/core/model/action.ts';
import { schedulerModel } from '../core/allocation-situations.ts';
import { courses } from '../property-runs.ts';
import { AllocationWorld } from './allocation-world.ts';
import type { Databases } from './engine-world.ts';
import { Crash, type Fault } from './fake-cluster.ts';

type Call = 'submit' | 'list' | 'ends' | 'cancel' | 'plan';

/** One thing that happens. */
type Step =
  | { kind: 'tend' }
  | { kind: 'time'; ms: number }
  /** The next call of this kind goes wrong. */
  | { kind: 'fault'; call: Call; fault: Fault }
  /** Another process comes; the one before is not heard of again. */
  | { kind: 'successor' }
  /** Of the jobs at the cluster, the one at this position. */
  | { kind: 'start' | 'requeue' | 'worker'; at: number }
  | { kind: 'end'; at: number; how: AllocationEnd }
  /** Of the workers that are there. */
  | { kind: 'work' | 'leave' | 'die'; at: number }
  | { kind: 'order' | 'cancel_one' | 'pause' | 'stop' | 'resume' | 'resume_scheduler' };

const at = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ kind: 'tend' } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(1_000, 10_000, 20_000, 45_000, 120_000, 3_600_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      call: fc.constantFrom<Call>('submit', 'submit', 'submit', 'list', 'ends', 'cancel', 'plan'),
      fault: fc.constantFrom<Fault>('refused', 'absent', 'absent after', 'crash', 'crash after', 'late'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'successor' } as const) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('start', 'requeue', 'worker', 'worker'), at }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      at,
      how: fc.constantFrom<AllocationEnd>('completed', 'failed', 'timeout', 'node_fail', 'unknown'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('work', 'work', 'leave', 'die'), at }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('order', 'cancel_one', 'pause', 'stop', 'resume', 'resume_scheduler'),
    }),
  },
);

interface Setting {
  jobs: number;
  serialize: boolean;
  /** 0: no action; the scheduler alone. */
  allocations: number;
  automatic: boolean;
  persistent: boolean;
}

const setting: fc.Arbitrary<Setting> = fc.record({
  jobs: fc.integer({ min: 1, max: 6 }),
  serialize: fc.boolean(),
  allocations: fc.integer({ min: 0, max: 3 }),
  automatic: fc.boolean(),
  persistent: fc.boolean(),
});

/** Plays the cluster, the workers and the people. */
class Course {
  readonly world: AllocationWorld;
  readonly #setting: Setting;
  /** Workers by the job of the cluster that they came from. */
  readonly #workers: { id: number; job: string; claims: Claim[] }[] = [];
  /** Allocations that people ordered besides. */
  #ordered = 0;
  #servers = 1;

  constructor(world: AllocationWorld, given: Setting) {
    this.world = world;
    this.#setting = given;
  }

  async play(given: Step): Promise<void> {
    const { world } = this;
    const { cluster, engine, workflowId } = world;
    const actor = 'ann';
    switch (given.kind) {
      case 'tend':
        await this.tend();
        break;
      case 'time':
        world.clock.now += given.ms;
        break;
      case 'fault':
        // Only submissions are refused.
        if (given.fault === 'refused' && given.call !== 'submit') return;
        cluster.faults[given.call].push(given.fault);
        break;
      case 'successor':
        this.#servers += 1;
        world.server = `server-${this.#servers}`;
        break;
      case 'start':
        for (const { id, state } of this.#job(given.at)) if (state === 'queued') cluster.start(id);
        break;
      case 'requeue':
        for (const { id, state } of this.#job(given.at)) if (state === 'running') cluster.requeue(id);
        break;
      case 'worker':
        for (const { id } of this.#job(given.at)) {
          this.#workers.push({ id: await world.workerFrom(id), job: id, claims: [] });
        }
        break;
      case 'end':
        for (const { id } of this.#job(given.at)) cluster.end(id, given.how);
        break;
      case 'work':
        for (const worker of this.#worker(given.at)) await this.#work(worker);
        break;
      case 'leave':
        for (const worker of this.#worker(given.at)) {
          this.#workers.splice(this.#workers.indexOf(worker), 1);
          await engine.retireWorker(worker.id);
        }
        break;
      case 'die':
        for (const worker of this.#worker(given.at)) this.#workers.splice(this.#workers.indexOf(worker), 1);
        break;
      case 'order':
        await allow('WORKFLOW_COMPLETE', async () => {
          await engine.orderAllocations(workflowId, { scheduler: 'main', actor });
          this.#ordered += 1;
        });
        break;
      case 'cancel_one': {
        const alive = (await world.allocations()).find(({ state }) => state !== 'ended');
        if (alive !== undefined) await engine.cancelAllocation(alive.id, { actor });
        break;
      }
      case 'pause':
        await allow(['ALREADY_PAUSED', 'WORKFLOW_COMPLETE'], () =>
          engine.pauseWorkflow(workflowId, { actor }),
        );
        break;
      case 'stop':
        await allow(['ALREADY_PAUSED', 'WORKFLOW_COMPLETE'], () =>
          engine.stopWorkflow(workflowId, { actor }),
        );
        break;
      case 'resume':
        await allow('NOT_PAUSED', () => engine.resumeWorkflow(workflowId, { actor }));
        break;
      case 'resume_scheduler':
        await engine.resumeScheduler(workflowId, 'main', { actor });
    }
  }

  async tend(): Promise<void> {
    try {
      await this.world.tend();
    } catch (error) {
      expect(error).toBeInstanceOf(Crash);
      // A process that died does not come back.
      this.#servers += 1;
      this.world.server = `server-${this.#servers}`;
    }
    await this.check();
  }

  /** What holds after every pass. */
  async check(): Promise<void> {
    const { world } = this;
    const alive = world.cluster.alive();
    const tags = alive.map(({ tag }) => tag);
    expect(new Set(tags).size).toBe(tags.length);
    expect(world.cluster.doubled).toEqual([]);
    const rows = await world.allocations();
    for (const { tag, id } of alive) {
      const row = rows.find((each) => each.tag === tag)!;
      // Known, or about to be found by its tag.
      if (row.state === 'submitting') continue;
      expect([row.cluster_id, row.state]).toEqual([id, expect.stringMatching(/queued|running/)]);
    }
    const { allocations, serialize } = this.#setting;
    const allowed = allocations === 0 ? (serialize ? 2 : 1) : allocations;
    expect(alive.length).toBeLessThanOrEqual(allowed + this.#ordered);
    if (serialize) expect(alive.length).toBeLessThanOrEqual(2);
    for (const job of (await world.engine.listJobs(world.workflowId)).items) {
      expect([job.name, job.failure_count]).toEqual([job.name, 0]);
    }
  }

  /** From here on nothing goes wrong: everything runs to its end. */
  async finish(): Promise<void> {
    const { world } = this;
    const { cluster, engine, workflowId } = world;
    for (const faults of Object.values(cluster.faults)) faults.splice(0);
    await allow('NOT_PAUSED', () => engine.resumeWorkflow(workflowId, { actor: 'ann' }));
    for (const { id } of this.#workers.splice(0)) await engine.retireWorker(id);
    for (let round = 0; round < 200; round += 1) {
      world.clock.now += 20_000;
      await engine.resumeScheduler(workflowId, 'main', { actor: 'ann' });
      await this.tend();
      const { complete, workers: _, allocations: left } = await engine.status(workflowId);
      if (complete && left.queued + left.running === 0) return;
      for (const job of cluster.alive()) {
        if (job.after !== null && cluster.job(job.after).state !== 'ended') continue;
        if (!this.#workers.some((worker) => worker.job === job.id)) {
          this.#workers.push({ id: await world.workerFrom(job.id), job: job.id, claims: [] });
        }
      }
      for (const worker of [...this.#workers]) {
        await this.#work(worker);
        await this.#work(worker);
        this.#workers.splice(this.#workers.indexOf(worker), 1);
        await allow('WORKER_RETIRED', () => engine.retireWorker(worker.id));
        if (cluster.job(worker.job).state !== 'ended') cluster.end(worker.job);
      }
      // An action that orders once has done its part: a person orders what is left.
      const { allocations, automatic, persistent } = this.#setting;
      const isOnce = allocations > 0 && !automatic && !persistent;
      if (isOnce && !complete && left.queued + left.running === 0) await this.play({ kind: 'order' });
    }
    throw new Error(`not over: ${JSON.stringify(await world.allocations())}`);
  }

  #job(position: number) {
    const job = this.world.cluster.alive()[position];
    const waits = job?.after != null && this.world.cluster.job(job.after).state !== 'ended';
    return job === undefined || waits ? [] : [job];
  }

  #worker(position: number) {
    return this.#workers.slice(position, position + 1);
  }

  async #work(worker: { id: number; claims: Claim[] }): Promise<void> {
    await allow('WORKER_RETIRED', async () => {
      if (worker.claims.length > 0) await this.world.end(worker.id, worker.claims);
      worker.claims = [];
      worker.claims = await this.world.claim(worker.id, 2);
    });
  }
}

async function allow(codes: string | string[], act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (![codes].flat().includes((error as { code?: string }).code ?? '')) throw error;
  }
}

/** Random courses, in which processes die between any two steps. */
export function allocationProperty(databases: Databases, runs: number): void {
  test('no tag is alive twice, no more are alive than may be, everything ends, and nothing is charged', async () => {
    await fc.assert(
      fc.asyncProperty(setting, fc.array(step, { minLength: 5, maxLength: 60 }), async (given, steps) => {
        const { jobs, serialize, allocations, automatic, persistent } = given;
        const actions: ActionModel[] = [
          {
            trigger: 'on_workflow_start',
            persistent,
            jobs: [],
            commands: [],
            schedule: {
              scheduler: 'main',
              allocations,
              one_worker_per_node: false,
              max_parallel: null,
              automatic,
            },
          },
        ];
        const world = await AllocationWorld.open(
          Array.from({ length: jobs }, (_, index) => ({
            name: `j${index}`,
            retry: { max_retries_failure: 0, max_retries_preemption: 1000, initial_retry_delay_ms: 0 },
          })),
          {
            schedulers: [schedulerModel({ serialize })],
            ...(allocations > 0 && { actions }),
          },
          databases,
        );
        try {
          const course = new Course(world, given);
          for (const each of steps) await course.play(each);
          await course.finish();
        } finally {
          await world.world.close();
        }
      }),
      { numRuns: courses(runs) },
    );
  });
}
