import { onTestFinished } from 'vitest';
import type { Allocator } from '../../src/contract/allocator.ts';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { AllocationRecord, SchedulerRecord } from '../../src/contract/records/allocation.ts';
import type { Claim, Exchange } from '../../src/contract/records/exchange.ts';
import type { SchedulerModel } from '../../src/core/allocation/scheduler.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import type { ActionModel } from '../../src/core/model/action.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { schedulerModel } from '../core/allocation-situations.ts';
import { type Databases, EngineWorld, NOTHING, PLENTY } from './engine-world.ts';
import { FakeCluster } from './fake-cluster.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** A workflow whose jobs run in allocations of a cluster that the test plays. */
export class AllocationWorld {
  readonly world: EngineWorld;
  engine: ServedEngine;
  readonly cluster = new FakeCluster(() => this.clock.now);
  readonly workflowId: number;
  server = 'server-1';
  readonly #seqs = new Map<number, number>();

  private constructor(world: EngineWorld, workflowId: number) {
    this.world = world;
    this.engine = world.engine as ServedEngine;
    this.workflowId = workflowId;
  }

  /** One that is gone when the test is over. */
  static async create(...given: Parameters<typeof AllocationWorld.open>): Promise<AllocationWorld> {
    const made = await AllocationWorld.open(...given);
    onTestFinished(() => made.world.close());
    return made;
  }

  static async open(
    jobs: SimpleJob[],
    facts: { schedulers?: SchedulerModel[]; actions?: ActionModel[]; executor?: 'workers' | 'slurm' },
    databases: Databases,
  ): Promise<AllocationWorld> {
    const { schedulers = [schedulerModel()], actions = [], executor = 'slurm' } = facts;
    const world = await EngineWorld.create(simpleModel([{ name: 'other' }]), databases);
    const { id } = await world.engine.createWorkflow({
      model: simpleModel(jobs, { schedulers, actions }),
      cwd: world.dir,
      output_dir: 'output',
      actor: 'test',
      shared: true,
      executor,
    });
    return new AllocationWorld(world, id);
  }

  /** Another process, over the same store. */
  async replaceEngine(): Promise<void> {
    const { databaseUrl } = this.world.database;
    this.engine = await openEngine({
      dir: this.world.dir,
      create: false,
      clock: () => this.clock.now,
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
    const { engine } = this;
    onTestFinished(() => engine.close());
    this.server = 'server-2';
  }

  get clock() {
    return this.world.clock;
  }

  get allocator(): Allocator {
    return {
      cluster: this.cluster,
      server: this.server,
      workflowId: null,
      plan: (order) =>
        this.cluster.plan(() => ({
          tag: order.tag,
          script: `worker --workflow ${order.workflow_id} --label slurm:${order.scheduler.name}`,
          options: [],
          directory: '/shared',
          output: `/shared/${order.tag}/output`,
          after: order.after,
        })),
      outputOf: async (tag) => this.cluster.outputs.get(tag) ?? '',
    };
  }

  tend(): Promise<number> {
    return this.engine.tendAllocations(this.allocator);
  }

  /** Passes until the next look at the cluster is over. */
  async look(): Promise<number> {
    this.clock.now += 10_000;
    return this.tend();
  }

  async allocations(): Promise<AllocationRecord[]> {
    const { items } = await this.engine.listAllocations({ workflow_id: this.workflowId, limit: 1000 });
    return items.reverse();
  }

  async states(): Promise<string[]> {
    return (await this.allocations()).map(({ state }) => state);
  }

  async scheduler(name = 'main'): Promise<SchedulerRecord> {
    const { items } = await this.engine.listSchedulers(this.workflowId);
    return items.find((each) => each.name === name)!;
  }

  async events(type: string): Promise<(string | null)[]> {
    const { items } = await this.engine.listEvents(this.workflowId, { limit: 1000 });
    return items.filter((event) => event.type === type).map(({ reason }) => reason);
  }

  /** The job of the cluster begins, and its worker registers. */
  async workerFrom(id: string, facts: Parameters<typeof ownIdentity>[0] = {}): Promise<number> {
    const job = this.cluster.job(id);
    this.cluster.start(id);
    const identity = ownIdentity({
      kind: 'service',
      cpus: 4,
      memory_bytes: 8e9,
      labels: ['slurm:main'],
      nodes: 1,
      lease_ms: 600_000,
      allocation: { tag: job.tag, id, node: 0, restarts: job.restarts },
      ...facts,
    });
    const worker = await this.engine.registerWorker({ ...identity, host: `node-${id}` });
    return worker.id;
  }

  exchange(workerId: number, part: Partial<Exchange> = {}) {
    const seq = (this.#seqs.get(workerId) ?? 0) + 1;
    this.#seqs.set(workerId, seq);
    return this.engine.exchange(workerId, { ...NOTHING, seq, workflow_id: this.workflowId, ...part });
  }

  async claim(workerId: number, slots = 1000): Promise<Claim[]> {
    return (await this.exchange(workerId, { capacity: { ...PLENTY, slots, cpus: 4 } })).claims;
  }

  async end(workerId: number, claims: readonly Claim[], facts: Partial<Outcome> = { exit_code: 0 }) {
    const { now } = this.clock;
    return this.exchange(workerId, {
      finished: claims.map(({ token }) => ({
        token,
        started_at_ms: now,
        finished_at_ms: now,
        outcome: outcome(facts),
        usage: null,
      })),
    });
  }
}
