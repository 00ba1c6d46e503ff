import type { ReinitializeResult, ResetResult } from '../../src/contract/engine.ts';
import type { UpdateResult } from '../../src/contract/records/update.ts';
import type { StaleReason } from '../../src/core/files/stale-reason.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { type Databases, type EngineWorld, type WorkerHand, worldOf } from './engine-world.ts';

/** The model of a spec, as a user writes it. */
export function modelOf(spec: object | string): WorkflowModel {
  const text = typeof spec === 'string' ? spec : JSON.stringify(spec);
  const loaded = loadSpec(text, typeof spec === 'string' ? 'spec.yaml' : 'spec.json', {});
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  return loaded.model;
}

type EditedFiles = [job: string, reason: StaleReason][];

/** A workflow that is run by hand, edited and continued. */
export class UpdateWorld {
  readonly world: EngineWorld;
  #worker: WorkerHand | null = null;

  private constructor(world: EngineWorld) {
    this.world = world;
  }

  static async create(spec: object | string, databases: Databases): Promise<UpdateWorld> {
    return new UpdateWorld(await worldOf(modelOf(spec), databases));
  }

  /** The worker that drives the current run. */
  async worker(): Promise<WorkerHand> {
    this.#worker ??= await this.world.remoteWorker();
    return this.#worker;
  }

  /** Runs everything that can run; returns the names in the order in which they ran, sorted where they ran together. */
  async run(codes: Record<string, number> = {}): Promise<string[]> {
    const { complete } = await this.world.engine.status(this.world.workflowId);
    if (complete) return [];
    const worker = await this.worker();
    const ran: string[] = [];
    for (;;) {
      const names = await worker.runReady(codes);
      if (names.length === 0) return ran;
      ran.push(...names.sort());
    }
  }

  /** The process that drives the run is gone. */
  leave(): void {
    this.world.passLease();
    this.#worker = null;
  }

  update(
    spec: object | string,
    more: { dry_run?: boolean; stale?: EditedFiles } = {},
  ): Promise<UpdateResult> {
    return this.#update(modelOf(spec), more);
  }

  async #update(
    model: WorkflowModel,
    { dry_run = false, stale = [] }: { dry_run?: boolean; stale?: EditedFiles },
  ): Promise<UpdateResult> {
    const { engine, workflowId } = this.world;
    return engine.updateWorkflow(workflowId, {
      model,
      actor: 'ann',
      dry_run,
      stale: await this.#byId(stale),
    });
  }

  async reinitialize(stale: EditedFiles, dry_run = false): Promise<ReinitializeResult> {
    const { engine, workflowId } = this.world;
    return engine.reinitialize(workflowId, { actor: 'ann', stale: await this.#byId(stale), dry_run });
  }

  /** What a reset of all that failed would do. */
  resetFailed(dry_run: true): Promise<ResetResult> {
    const { engine, workflowId } = this.world;
    return engine.resetStatus(workflowId, { actor: 'ann', failed_only: true, dry_run });
  }

  #byId(stale: EditedFiles): Promise<{ job_id: number; reason: StaleReason }[]> {
    return Promise.all(
      stale.map(async ([job, reason]) => ({ job_id: (await this.world.job(job)).id, reason })),
    );
  }

  /** Runs it to its end, edits it, and returns what the update said and what ran after it. */
  async edited(
    spec: object | string,
    { codes = {} }: { codes?: Record<string, number> } = {},
  ): Promise<{ result: UpdateResult; ran: string[] }> {
    await this.run(codes);
    this.leave();
    const result = await this.update(spec);
    return { result, ran: await this.run() };
  }

  /** Names and statuses of the jobs that lists show. */
  async statuses(): Promise<Record<string, string>> {
    const jobs = await this.world.jobs();
    return Object.fromEntries(
      jobs.map(({ name, scope, status }) => [scope ? `${name}@${scope}` : name, status]),
    );
  }
}

/** `action name: kind` of each job of a plan; all jobs of `reinitialize` run again. */
export function planOf({ jobs }: Pick<UpdateResult, 'jobs'> | Pick<ReinitializeResult, 'jobs'>): string[] {
  return jobs
    .map((job) => `${'action' in job ? job.action : 'run_again'} ${job.name}: ${job.reason.kind}`)
    .sort();
}
