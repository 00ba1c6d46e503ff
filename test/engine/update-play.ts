import { expect } from 'vitest';
import type { Capacity, Claim } from '../../src/contract/records/exchange.ts';
import type { UpdateResult } from '../../src/contract/records/update.ts';
import { type JobStatus, TERMINAL_STATUSES } from '../../src/core/job/job-status.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { type EngineWorld, PLENTY, type WorkerHand } from './engine-world.ts';
import type { Draft } from './update-drafts.ts';
import { differentJobs, type PlainJob, plainJobs, specOf, withDownstream } from './update-reference.ts';
import { modelOf } from './update-world.ts';

type How = Parameters<typeof specOf>[1];

/** A workflow that is run and updated, compared with what the reference says at every step. */
export class UpdatePlay {
  readonly #world: EngineWorld;
  #jobs: Map<string, PlainJob>;
  #worker: WorkerHand | null = null;
  /** Jobs that may have attempts since the last update. */
  #again: ReadonlySet<string>;
  #attempts = 0;

  private constructor(world: EngineWorld, jobs: Map<string, PlainJob>) {
    this.#world = world;
    this.#jobs = jobs;
    this.#again = new Set(jobs.keys());
  }

  /** A workflow of its own in a world that many share. */
  static async create(world: EngineWorld, drafts: readonly Draft[], how: How): Promise<UpdatePlay> {
    return new UpdatePlay(await world.another(modelOf(specOf(drafts, how))), plainJobs(drafts));
  }

  /** So many rounds in which everything that is ready runs; some jobs fail each time. */
  async play(rounds: number, fails: (name: string) => boolean): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      const claims = await this.#claim();
      if (claims.length === 0) return;
      await this.#worker!.exchange({
        finished: claims.map((claim) => ({
          claim,
          outcome: outcome({ exit_code: fails(claim.job_name) ? 1 : 0 }),
        })),
      });
    }
  }

  /** The worker is gone, with what it had started. */
  async lose(): Promise<void> {
    const claims = await this.#claim();
    if (claims.length > 0) await this.#worker!.exchange({ started: claims.slice(1) });
  }

  async cancel(place: number): Promise<void> {
    const names = [...this.#jobs.keys()];
    const { engine, workflowId } = this.#world;
    await engine.cancel(workflowId, { jobs: [names[place % names.length]!], actor: 'ann' });
  }

  /** `edits`: places of jobs, of which those that completed have an output that was edited since. */
  async update(drafts: readonly Draft[], how: How, edits: readonly number[] = []): Promise<UpdateResult> {
    await this.#checkAttempts();
    this.#world.passLease();
    this.#worker = null;
    const { engine, workflowId } = this.#world;
    const edited = plainJobs(drafts);
    const statuses = await this.#statuses();
    const model = modelOf(specOf(drafts, how));
    const stale = await this.#stale(edits);
    const result = await engine.updateWorkflow(workflowId, {
      ...{ model, actor: 'ann' },
      stale: stale.map(({ id }) => ({
        job_id: id,
        reason: { kind: 'output_changed' as const, path: 'out' },
      })),
    });
    const unfinished = [...edited.keys()].filter((name) => statuses.get(name) !== 'completed');
    const different = differentJobs(this.#jobs, edited);
    const outdated = stale.map(({ name }) => name).filter((name) => edited.has(name));
    this.#again = withDownstream([...different, ...unfinished, ...outdated], edited);
    this.#checkPlan(result, edited, statuses);
    this.#jobs = edited;
    await this.#checkStates();
    const again = await engine.updateWorkflow(workflowId, { model, actor: 'ann' });
    expect(again, 'once more changes nothing').toMatchObject({ mode: 'nothing', jobs: [], workflow: [] });
    this.#attempts = (await this.#world.attempts()).length;
    return result;
  }

  /**
   * An update while a worker runs jobs: what has started stays what it was, everything else becomes what the spec says.
   * Returns null if there is no run to change.
   */
  async updateActive(drafts: readonly Draft[], how: How): Promise<UpdateResult | null> {
    await this.#checkAttempts();
    const held = await this.#claim({ slots: 2 });
    if (this.#worker === null || (await this.#isOver())) return null;
    await this.#worker.exchange({ started: held.slice(1) });
    const { engine, workflowId } = this.#world;
    const attempts = await this.#world.attempts();
    const { run_id } = await engine.status(workflowId).then(({ workflow }) => workflow);
    const hasRun = new Set(attempts.filter((each) => each.run_id === run_id).map((each) => each.job_name));
    const statuses = await this.#statuses();
    const isFresh = (name: string) => !hasRun.has(name) && ['ready', 'blocked'].includes(statuses.get(name)!);
    const edited = plainJobs(drafts);
    const different = differentJobs(this.#jobs, edited);
    const kept = [...this.#jobs].filter(
      ([name]) => !isFresh(name) && (different.has(name) || !edited.has(name)),
    );
    const model = modelOf(specOf(drafts, how));
    const result = await engine.updateWorkflow(workflowId, { model, actor: 'ann' });
    expect(result).toMatchObject({ is_active: true, run_id });
    const keptAs = (wanted: string) =>
      result.jobs.filter(({ action }) => action === wanted).map(({ name }) => name);
    const keptNames = [...keptAs('started'), ...keptAs('canceled')];
    expect(keptNames.sort(), 'what keeps its definition').toEqual(kept.map(([name]) => name).sort());
    for (const name of keptAs('canceled')) {
      expect([statuses.get(name), hasRun.has(name)], name).toEqual(['canceled', false]);
    }
    expect(
      keptAs('started').filter((name) => statuses.get(name) === 'canceled' && !hasRun.has(name)),
    ).toEqual([]);
    const merged = new Map([...edited, ...kept]);
    for (const [name, job] of kept) {
      merged.set(name, { ...job, needs: new Set([...job.needs].filter((need) => merged.has(need))) });
    }
    for (const name of merged.keys()) {
      if (this.#jobs.has(name) && !isFresh(name)) continue;
      expect(['ready', 'blocked', 'canceled'], name).toContain((await this.#statuses()).get(name));
    }
    this.#jobs = merged;
    this.#again = new Set(
      [...merged.keys()].filter((name) => !TERMINAL_STATUSES.has(statuses.get(name) ?? 'ready')),
    );
    await this.#checkCounts();
    this.#attempts = (await this.#world.attempts()).length;
    await this.#worker.exchange({
      finished: held.map((claim) => ({ claim, outcome: outcome({ exit_code: 0 }) })),
    });
    return result;
  }

  /** The run comes to its end with what there is: nothing waits for ever. */
  async drain(): Promise<void> {
    const open = [...(await this.#statuses())].filter(([, status]) => !TERMINAL_STATUSES.has(status));
    await this.play(Infinity, () => false);
    const statuses = await this.#statuses();
    if ([...statuses.values()].includes('pending_failed')) return;
    for (const [name] of open) {
      const { needs, runsAfterFailure } = this.#jobs.get(name)!;
      const mayRun = runsAfterFailure || [...needs].every((need) => statuses.get(need) === 'completed');
      expect(statuses.get(name), name).toBe(mayRun ? 'completed' : 'canceled');
    }
    expect((await this.#world.engine.status(this.#world.workflowId)).complete).toBe(true);
  }

  /** Everything that has to run has run once, has completed, and is all there is. */
  async finish(): Promise<void> {
    await this.play(Infinity, () => false);
    const { engine, workflowId } = this.#world;
    const ran = (await this.#world.attempts()).slice(this.#attempts).map(({ job_name }) => job_name);
    expect(ran.sort(), 'what ran again').toEqual([...this.#again].sort());
    const { complete, exit_code, counts, workflow } = await engine.status(workflowId);
    const total = this.#jobs.size;
    expect([complete, exit_code, counts.completed, workflow.job_count]).toEqual([true, 0, total, total]);
    await this.#checkStates(true);
  }

  async #claim(capacity: Partial<Capacity> = {}): Promise<Claim[]> {
    const before = await this.#statuses();
    if ([...before.values()].every((status) => TERMINAL_STATUSES.has(status))) return [];
    this.#worker ??= await this.#world.remoteWorker();
    let { claims, next_due_at_ms: due } = await this.#worker.exchange({
      capacity: { ...PLENTY, ...capacity },
    });
    if (claims.length === 0 && due !== null && due > this.#world.clock.now) {
      this.#world.clock.now = due;
      claims = (await this.#worker.exchange({ capacity: { ...PLENTY, ...capacity } })).claims;
    }
    for (const { job_name } of claims) {
      expect(this.#again.has(job_name), `${job_name} keeps its result`).toBe(true);
      const { needs, runsAfterFailure } = this.#jobs.get(job_name)!;
      for (const need of needs) {
        const status = before.get(need)!;
        const isEnough = runsAfterFailure ? TERMINAL_STATUSES.has(status) : status === 'completed';
        expect(isEnough, `${job_name} starts while ${need} is ${status}`).toBe(true);
      }
    }
    return claims;
  }

  #checkPlan(
    result: UpdateResult,
    edited: ReadonlyMap<string, PlainJob>,
    statuses: ReadonlyMap<string, JobStatus>,
  ): void {
    const { add, run_again, change, policy, unchanged } = result.counts;
    expect(add + run_again + change + policy + unchanged, 'each job is counted once').toBe(edited.size);
    const planned = new Map(result.jobs.map((job) => [job.name, job]));
    for (const [name, { policy: rules }] of edited) {
      const { action, reason } = planned.get(name) ?? {};
      const before = this.#jobs.get(name);
      if (before === undefined) expect(action).toBe('add');
      else if (!this.#again.has(name))
        expect(action, name).toBe(rules === before.policy ? undefined : 'policy');
      else if (statuses.get(name) === 'completed') expect(action, name).toBe('run_again');
      if (reason?.kind === 'upstream') expect(this.#again).toContain(reason.job);
      if (reason?.kind === 'upstream') expect(edited.get(name)!.needs).toContain(reason.job);
    }
    const removed = result.jobs.filter(({ action }) => action === 'remove').map(({ name }) => name);
    expect(removed.sort()).toEqual([...this.#jobs.keys()].filter((name) => !edited.has(name)).sort());
  }

  /** What stays has its result, and nothing else has one. */
  async #checkStates(isOver = false): Promise<void> {
    const statuses = await this.#checkCounts();
    for (const [name, status] of statuses) {
      if (isOver || !this.#again.has(name)) expect(status, `${name} keeps its result`).toBe('completed');
      else expect(['ready', 'blocked'], `${name} is to run`).toContain(status);
      const { needs } = this.#jobs.get(name)!;
      const isOpen = [...needs].every((need) => statuses.get(need) === 'completed');
      if (status === 'ready') expect(isOpen, `${name} is ready`).toBe(true);
    }
  }

  /** Lists and counts show the jobs of the spec. */
  async #checkCounts(): Promise<Map<string, JobStatus>> {
    const statuses = await this.#statuses();
    expect([...statuses.keys()].sort()).toEqual([...this.#jobs.keys()].sort());
    const { counts, workflow } = await this.#world.engine.status(this.#world.workflowId);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(this.#jobs.size);
    expect(workflow.job_count).toBe(this.#jobs.size);
    return statuses;
  }

  /** Since the last update only what was to run has run. */
  async #checkAttempts(): Promise<void> {
    const since = (await this.#world.attempts()).slice(this.#attempts);
    for (const { job_name } of since) expect(this.#again).toContain(job_name);
  }

  async #isOver(): Promise<boolean> {
    return [...(await this.#statuses()).values()].every((status) => TERMINAL_STATUSES.has(status));
  }

  async #stale(places: readonly number[]): Promise<{ id: number; name: string }[]> {
    const jobs = await this.#world.jobs();
    const chosen = new Set(places.map((place) => place % jobs.length));
    return jobs.filter(({ status }, place) => chosen.has(place) && status === 'completed');
  }

  async #statuses(): Promise<Map<string, JobStatus>> {
    return new Map((await this.#world.jobs()).map(({ name, status }) => [name, status]));
  }
}
