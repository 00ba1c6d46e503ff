import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Claim } from '../../src/contract/records/exchange.ts';
import type { AttemptRecord, JobRecord } from '../../src/contract/records/records.ts';
import { TERMINAL_STATUSES, UNSUCCESSFUL_STATUSES } from '../../src/core/job/job-status.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { DEFAULT_RULE, type FailureHandler } from '../../src/core/policy/failure-rule.ts';
import { courses } from '../property-runs.ts';
import { type Databases, EngineWorld, ordersOf, PLENTY, type WorkerHand } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** Exit code 7 has a recovery script and three executions; others are left to `retry`. */
const FIX: FailureHandler = {
  name: 'fix',
  rules: [{ ...DEFAULT_RULE, exitCodes: [[7, 7]], recoveryScript: 'fix.sh' }],
};

/** A random graph: job i may wait for jobs before it. */
const anyGraph: fc.Arbitrary<SimpleJob[]> = fc
  .array(
    fc.record({
      parents: fc.array(fc.nat(7), { maxLength: 3 }),
      retries: fc.nat(2),
      preemptions: fc.nat(3),
      runsAfterFailure: fc.boolean(),
      priority: fc.nat(2),
      licence: fc.nat(1),
      handled: fc.boolean(),
      sweep: fc.constantFrom(null, null, 's', 't'),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drafts) =>
    drafts.map((draft, index) => ({
      name: `job${index}`,
      after: [...new Set(draft.parents.filter((parent) => parent < index))].map((parent) => `job${parent}`),
      retry: { max_retries_failure: draft.retries, max_retries_preemption: draft.preemptions },
      runsAfterFailure: draft.runsAfterFailure,
      priority: draft.priority,
      resources: draft.licence > 0 ? { licence: 1 } : {},
      ...(draft.handled ? { handler: 'fix' } : {}),
      ...(draft.sweep === null ? {} : { failFast: draft.sweep }),
    })),
  );

type Step =
  | { do: 'claim'; slots: number }
  | { do: 'start'; pick: number }
  | { do: 'finish'; pick: number; code: number; again: boolean }
  | { do: 'recover' }
  | { do: 'stop'; pick: number }
  | { do: 'lose' }
  | { do: 'cancel'; pick: number | null }
  | { do: 'wait'; ms: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('claim' as const), slots: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('start' as const), pick: fc.nat(7) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      pick: fc.nat(7),
      code: fc.constantFrom(0, 0, 1, 7),
      again: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recover' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), pick: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('cancel' as const), pick: fc.option(fc.nat(7), { freq: 8 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(3000) }) },
);

/** Plays steps with whatever is held at the moment, and keeps what must not change. */
class Play {
  readonly #world: EngineWorld;
  readonly #graph: SimpleJob[];
  #worker: WorkerHand;
  #held: Claim[] = [];
  #recovering: number[] = [];
  readonly #started = new Set<number>();
  #seen = new Map<string, AttemptRecord>();
  #ended = new Map<string, string>();

  constructor(world: EngineWorld, graph: SimpleJob[], worker: WorkerHand) {
    this.#world = world;
    this.#graph = graph;
    this.#worker = worker;
  }

  async take(step: Step): Promise<void> {
    if ((await this.#world.engine.status(this.#world.workflowId)).complete) return;
    const chosen =
      'pick' in step && step.pick !== null
        ? this.#held[step.pick % Math.max(this.#held.length, 1)]
        : undefined;
    switch (step.do) {
      case 'claim':
        this.#held.push(...(await this.#worker.claim({ slots: step.slots })));
        break;
      case 'start':
        if (chosen === undefined) break;
        // Reported again it is as true as before; the attempt keeps its first start.
        expect((await this.#worker.exchange({ started: [chosen] })).rejected).toEqual([]);
        this.#started.add(chosen.token);
        break;
      case 'finish':
        if (chosen !== undefined) await this.#finish(chosen, outcome({ exit_code: step.code }), step.again);
        break;
      case 'recover':
        await this.#recover();
        break;
      case 'stop':
        if (chosen !== undefined)
          await this.#finish(chosen, outcome({ stopped: true, signal: 'SIGTERM' }), false);
        break;
      case 'lose': {
        const before = this.#worker;
        this.#world.passLease();
        this.#worker = await this.#world.remoteWorker();
        await expect(before.claim()).rejects.toMatchObject({ code: 'WORKER_RETIRED' });
        this.#held = [];
        this.#recovering = [];
        break;
      }
      case 'cancel': {
        const job = step.pick === null ? undefined : this.#graph[step.pick % this.#graph.length]!.name;
        await this.#world.engine.cancel(this.#world.workflowId, {
          actor: 'test',
          ...(job ? { jobs: [job] } : {}),
        });
        break;
      }
      case 'wait':
        this.#world.clock.now += step.ms;
        await this.#worker.exchange({});
        break;
    }
    await this.check();
  }

  /** From here on everything succeeds; the run must end. */
  async drain(): Promise<void> {
    for (let round = 0; round < 200; round += 1) {
      const status = await this.#world.engine.status(this.#world.workflowId);
      if (status.complete) return;
      const result = await this.#worker.exchange({ capacity: PLENTY });
      this.#held.push(...result.claims);
      if (this.#held.length === 0 && this.#recovering.length === 0) {
        expect(
          result.next_due_at_ms,
          'nothing runs, nothing is due, and yet it is not complete',
        ).not.toBeNull();
        this.#world.clock.now = result.next_due_at_ms!;
      }
      for (const claim of [...this.#held]) await this.#finish(claim, outcome({ exit_code: 0 }), false);
      await this.#recover();
      await this.check();
    }
    expect.unreachable('the run does not end');
  }

  async #finish(claim: Claim, facts: ReturnType<typeof outcome>, again: boolean): Promise<void> {
    const ending = {
      claim,
      outcome: facts,
      startedAt: this.#started.has(claim.token) ? this.#world.clock.now : null,
    };
    const result = await this.#worker.exchange({ finished: [ending] });
    expect(result.rejected).toEqual([]);
    this.#recovering.push(...ordersOf(result, 'recovery').map(({ id }) => id));
    this.#held = this.#held.filter((other) => other.token !== claim.token);
    if (!again) return;
    const contradiction = { ...ending, outcome: outcome({ exit_code: 99 }) };
    expect((await this.#worker.exchange({ finished: [contradiction] })).rejected).toEqual([claim.token]);
  }

  async #recover(): Promise<void> {
    const ids = this.#recovering.splice(0);
    await this.#worker.exchange({
      errands: ids.map((id) => ({ kind: 'recovery', id, outcome: outcome({ exit_code: 0 }) })),
    });
  }

  async check(): Promise<void> {
    const jobs = new Map((await this.#world.jobs()).map((job) => [job.name, job]));
    this.#checkAttempts(await this.#world.attempts());
    for (const job of jobs.values()) {
      this.#checkDependencies(job, jobs);
      this.#checkFinality(job);
    }
    this.#checkSweeps([...jobs.values()]);
    const licences = [...jobs.values()].filter(
      (job) => ['pending', 'running'].includes(job.status) && this.#draft(job.name).resources?.licence === 1,
    );
    expect(licences.length).toBeLessThanOrEqual(2);
  }

  #checkSweeps(jobs: JobRecord[]): void {
    for (const { name, status } of jobs) {
      const sweep = this.#draft(name).failFast;
      if (sweep === undefined || (status !== 'failed' && status !== 'terminated')) continue;
      const waiting = jobs.filter(
        (job) => this.#draft(job.name).failFast === sweep && ['blocked', 'ready'].includes(job.status),
      );
      expect(waiting, `what waits in the sweep of ${name}, which failed`).toEqual([]);
    }
  }

  #checkAttempts(attempts: AttemptRecord[]): void {
    const now = new Map(
      attempts.map((attempt) => [`${attempt.job_id} ${attempt.run_id} ${attempt.attempt_id}`, attempt]),
    );
    for (const [key, before] of this.#seen) {
      expect(now.has(key), 'attempts only grow').toBe(true);
      if (before.finished_at_ms === null) continue;
      // Its recovery script ends later, once.
      const recovery = before.recovery ?? now.get(key)!.recovery;
      expect(now.get(key), 'finished attempts never change').toEqual({ ...before, recovery });
    }
    const live = attempts
      .filter((attempt) => attempt.finished_at_ms === null)
      .map((attempt) => attempt.job_id);
    expect(new Set(live).size, 'at most one live attempt per job').toBe(live.length);
    this.#seen = now;
  }

  #checkDependencies(job: JobRecord, jobs: Map<string, JobRecord>): void {
    const { after = [], runsAfterFailure } = this.#draft(job.name);
    const needed = after.map((name) => jobs.get(name)!.status);
    const allEnded = needed.every((status) => TERMINAL_STATUSES.has(status));
    const anyFailed = needed.some((status) => UNSUCCESSFUL_STATUSES.has(status));
    const allowed = allEnded && (!anyFailed || runsAfterFailure === true);
    const doomed = anyFailed && runsAfterFailure !== true;
    if (job.status === 'blocked') expect([allowed, doomed], `${job.name} is blocked`).toEqual([false, false]);
    else if (job.status !== 'canceled') expect(allowed, `${job.name} is ${job.status}`).toBe(true);
  }

  #checkFinality(job: JobRecord): void {
    const before = this.#ended.get(job.name);
    if (before !== undefined) expect(job.status, 'terminal jobs never revive').toBe(before);
    if (TERMINAL_STATUSES.has(job.status)) this.#ended.set(job.name, job.status);
    const executions = Math.max(job.max_retries_failure + 1, this.#draft(job.name).handler ? 3 : 0);
    expect(job.failure_count).toBeLessThanOrEqual(executions);
    expect(job.preemption_count).toBeLessThanOrEqual(job.max_retries_preemption + 1);
  }

  #draft(name: string): SimpleJob {
    return this.#graph.find((job) => job.name === name)!;
  }
}

/** `runs` random graphs and interleavings, on any database. */
export function invariants(databases: Databases, runs: number): void {
  test('invariants hold after every step of any interleaving, and every run ends', async () => {
    await fc.assert(
      fc.asyncProperty(anyGraph, fc.array(anyStep, { maxLength: 40 }), async (graph, steps) => {
        const world = await EngineWorld.create(
          simpleModel(graph, { limits: { licence: 2 }, handlers: [FIX] }),
          databases,
        );
        try {
          const play = new Play(world, graph, await world.remoteWorker());
          await play.check();
          for (const step of steps) await play.take(step);
          await play.drain();
          const ends = (await world.events()).filter((event) => event.type === 'run_finished');
          expect(ends).toHaveLength(1);
        } finally {
          await world.close();
        }
      }),
      { numRuns: courses(runs) },
    );
  });
}
