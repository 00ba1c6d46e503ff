import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { Claim, ExchangeResult } from '../../src/contract/records/exchange.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { admitRequests } from '../../src/engine/requests/admit-requests.ts';
import { planRound } from '../../src/engine/requests/plan-round.ts';
import { all } from '../../src/store/script.ts';
import type { Store } from '../../src/store/store.ts';
import { courses, FACTOR } from '../property-runs.ts';
import type { Databases } from './engine-world.ts';
import { LedgerCheck, type Orders } from './request-ledger.ts';
import { openStoreOf } from './request-store.ts';
import {
  ABORT,
  ADA,
  CANCELED,
  type Ending,
  INFRASTRUCTURE,
  OK,
  PERMANENT,
  paths,
  RequestWorld,
  type SiteWorker,
  STOPPED,
  TRANSIENT,
  unreadable,
} from './request-world.ts';

const anySpec = fc.record({
  kind: fc.constantFrom('range' as const, 'inventory' as const),
  size: fc.integer({ min: 1, max: 30 }),
  perJob: fc.integer({ min: 1, max: 3 }),
  jobsPerUnit: fc.integer({ min: 1, max: 2 }),
  firstUnits: fc.integer({ min: 1, max: 4 }),
  units: fc.integer({ min: 1, max: 6 }),
  parts: fc.constantFrom('process' as const, 'merge' as const, 'cleanup' as const),
  retry: fc.integer({ min: 0, max: 1 }),
  threshold: fc.constantFrom(0.2, 0.5, 1),
  rescues: fc.integer({ min: 0, max: 2 }),
  whenExhausted: fc.constantFrom('hold' as const, 'advance' as const),
  sites: fc.boolean(),
  minFailures: fc.integer({ min: 1, max: 3 }),
  grouped: fc.boolean(),
});

type Spec = typeof anySpec extends fc.Arbitrary<infer T> ? T : never;

const anyEnding = fc.constantFrom(
  'ok' as const,
  'ok' as const,
  'ok' as const,
  'ok' as const,
  'transient' as const,
  'permanent' as const,
  'bad' as const,
  'infrastructure' as const,
  'abort' as const,
);
const pick = fc.nat({ max: 50 });
const who = fc.nat({ max: 1 });

const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('tend' as const), engine: who }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tendTogether' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      endings: fc.array(anyEnding, { minLength: 1, maxLength: 8, size: 'max' }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      worker: who,
      slots: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      worker: who,
      endings: fc.array(anyEnding, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('endTogether' as const), ending: anyEnding }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reportOnly' as const), worker: who, ending: anyEnding }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('obey' as const), worker: who, late: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('die' as const), worker: who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('plannerDies' as const), at: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('stop' as const), pause: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      exclude: fc.option(pick),
      ban: fc.option(fc.constantFrom('north', 'south', 'moon')),
      rescues: fc.option(fc.integer({ min: 0, max: 3 })),
      threshold: fc.option(fc.constantFrom(0.1, 0.6, 1)),
      retries: fc.option(fc.integer({ min: 0, max: 2 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), chance: fc.nat({ max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('retryJob' as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('ban' as const), site: fc.constantFrom('north', 'south') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('unban' as const), site: fc.constantFrom('north', 'south') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 1_000, 61_000, 400_000),
    }),
  },
);

type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

function textOf(spec: Spec): string {
  const { kind, size, perJob, jobsPerUnit, firstUnits, units, parts, retry, threshold, rescues, sites } =
    spec;
  const groups = spec.grouped ? `, group_by: 'f(\\d)'` : '';
  const work =
    kind === 'range'
      ? `{ range: { total: ${size}, first: ${FIRST}, per_job: ${perJob} } }`
      : `{ items: ${JSON.stringify(paths(size))}, per_job: ${perJob}${groups} }`;
  const lines = [
    'kind: request',
    'name: sim',
    `work: ${work}`,
    `jobs_per_unit: ${jobsPerUnit}`,
    `round: { first_units: ${firstUnits}, units: ${units} }`,
    `process: { command: "work", retry: ${retry} }`,
    ...(parts === 'process' ? [] : [`merge: { command: "merge", retry: ${retry} }`]),
    ...(parts === 'cleanup' ? ['cleanup: { command: "clean", retry: 0 }'] : []),
    `errors: { error_hold_threshold: ${threshold}, error_max_rescue_attempts: ${rescues}, when_exhausted: ${spec.whenExhausted}, site_ban_min_failures: ${spec.minFailures}, site_ban_duration_days: 0.01 }`,
    ...(sites ? ['sites: [north, south]'] : []),
  ];
  return lines.join('\n');
}

/** A machine that does much else at the same time takes minutes for what takes seconds. */
const PATIENCE_MS = 600_000 * FACTOR;
/** So that sums of numbers are wrong in doubles. */
const FIRST = 2n ** 53n - 5n;
const SITES = ['north', 'south'] as const;
/** What people are refused, and nothing else. */
const REFUSALS = ['REQUEST_STATE', 'INVALID_REQUEST', 'ROUND_WORKFLOW', 'NOT_RETRYABLE'];

/** Plays one course and checks the ledger after every step. */
class Course {
  readonly #world: RequestWorld;
  readonly #store: Store;
  readonly #spec: Spec;
  readonly #orders: Orders;
  readonly #ledger: LedgerCheck;
  readonly #workers: SiteWorker[] = [];
  #held: Claim[][] = [[], []];
  #other: ServedEngine;
  #version = 1;
  readonly #seen: Map<string, number>;

  private constructor(
    world: RequestWorld,
    store: Store,
    other: ServedEngine,
    spec: Spec,
    seen: Map<string, number>,
  ) {
    this.#world = world;
    this.#store = store;
    this.#other = other;
    this.#spec = spec;
    this.#seen = seen;
    this.#orders = {
      first: FIRST,
      merge: spec.parts !== 'process',
      mostRescues: spec.rescues,
      failed: new Set(),
      named: new Set(),
    };
    this.#ledger = new LedgerCheck(this.#orders);
  }

  static async begin(world: RequestWorld, spec: Spec, seen: Map<string, number>): Promise<Course> {
    const store = await openStoreOf(world);
    const course = new Course(world, store, await world.another(), spec, seen);
    for (const site of SITES) course.#workers.push(await world.worker(site));
    await world.submit(textOf(spec));
    await course.check();
    return course;
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#other.close();
  }

  async check(): Promise<void> {
    const { state, hold } = await this.#ledger.check(this.#store);
    this.#note(state);
    if (hold !== null) this.#note((JSON.parse(hold) as { code: string }).code);
  }

  #note(what: string): void {
    this.#seen.set(what, (this.#seen.get(what) ?? 0) + 1);
  }

  async take(step: Step): Promise<void> {
    await this.#unlessRetired(() => this.#play(step));
    await this.check();
  }

  /** A worker that was silent for too long finds that out when it reports, and another one takes its place. */
  async #unlessRetired(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!isRetired(error)) throw error;
      for (const [index, worker] of this.#workers.entries()) {
        const silent = await worker.exchange().then(() => false, isRetired);
        if (silent) await this.#replace(index);
      }
    }
  }

  async #play(step: Step): Promise<void> {
    const { engine } = this.#world;
    switch (step.kind) {
      case 'tend':
        await (step.engine === 0 ? engine : this.#other).tendRequests({ most_active: 5 });
        return;
      case 'tendTogether':
        await Promise.all([engine, this.#other, engine].map((each) => each.tendRequests({ most_active: 5 })));
        return;
      case 'run':
        await this.#world.tend();
        for (const index of [0, 1]) {
          await this.#claim(index, 100);
          const claims = this.#held[index]!.splice(0);
          for (const [at, claim] of claims.entries()) {
            const ending = step.endings[at % step.endings.length]!;
            await this.#workers[index]!.end([claim], this.#ending(claim, ending));
          }
        }
        return;
      case 'claim':
        await this.#claim(step.worker, step.slots);
        return;
      case 'end':
        for (const ending of step.endings) {
          const claim = this.#held[step.worker]!.shift();
          if (claim !== undefined)
            await this.#workers[step.worker]!.end([claim], this.#ending(claim, ending));
        }
        return;
      case 'endTogether':
        await allSettled(
          this.#workers.map(async (worker, index) => {
            const claims = this.#held[index]!.splice(0);
            const endings = new Map<number, Ending>();
            for (const claim of claims) endings.set(claim.token, this.#ending(claim, step.ending));
            if (claims.length > 0) await worker.end(claims, ({ token }) => endings.get(token)!);
          }),
        );
        return;
      case 'reportOnly': {
        const claim = this.#held[step.worker]!.shift();
        if (claim !== undefined)
          await this.#workers[step.worker]!.report([claim], this.#ending(claim, step.ending));
        // Its post step is forgotten, and only the death of the worker brings it back.
        if (claim !== undefined) await this.#die(step.worker);
        return;
      }
      case 'obey':
        await this.#obey(step.worker, await this.#workers[step.worker]!.exchange(), step.late);
        return;
      case 'die':
        await this.#die(step.worker);
        return;
      case 'reopen':
        await this.#world.reopen();
        return;
      case 'plannerDies':
        await this.#plannerDies(step.at);
        return;
      case 'wait':
        this.#world.clock.now += step.ms;
        return;
      case 'ban':
        await engine.banSite(step.site, { ...ADA, request: 'sim', duration_days: 0.01 });
        return;
      case 'unban':
        await engine.unbanSite(step.site, ADA);
        return;
      default:
        await this.#order(step);
    }
  }

  /** What people order; it is done as a whole, or refused. */
  async #order(
    step: Extract<Step, { kind: 'stop' | 'pause' | 'resume' | 'release' | 'restart' | 'fail' | 'retryJob' }>,
  ) {
    const { engine } = this.#world;
    const before = await this.#world.show();
    const version = this.#version;
    try {
      switch (step.kind) {
        case 'stop':
          await engine.stopRequest('sim', { ...ADA, pause: step.pause });
          break;
        case 'pause':
          await engine.pauseRequest('sim', ADA);
          break;
        case 'resume':
          await engine.resumeRequest('sim', ADA);
          break;
        case 'release':
          await this.#release(step);
          break;
        case 'restart':
          await engine.restartRequest('sim', ADA);
          this.#orders.failed.add(version);
          this.#version += 1;
          break;
        case 'fail':
          if (step.chance > 0) return;
          await engine.failRequest('sim', ADA);
          this.#orders.failed.add(version);
          break;
        case 'retryJob': {
          // Mostly of the newest round, whose jobs may be retried, and now and then of one that was decided.
          const round = before.rounds[step.pick % 4 === 0 ? 0 : before.rounds.length - 1];
          if (round === undefined) return;
          const { items } = await engine.listJobs(round.workflow_id, { limit: 100 });
          const failed = items.filter(({ status }) => status === 'failed' || status === 'running');
          if (failed.length === 0) return;
          await engine.retryJob(round.workflow_id, failed[step.pick % failed.length]!.id, ADA);
          break;
        }
      }
      this.#note(step.kind);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      expect(REFUSALS).toContain(error.code);
      expect(await this.#world.show(), 'what is refused changes nothing').toEqual(before);
    }
  }

  async #release(step: Extract<Step, { kind: 'release' }>): Promise<void> {
    const { exclude, ban, rescues, threshold, retries } = step;
    const file = exclude === null ? null : `f${String((exclude % 20) + 1).padStart(2, '0')}`;
    if (rescues !== null) this.#orders.mostRescues = Math.max(this.#orders.mostRescues, rescues);
    await this.#world.engine.releaseRequest('sim', {
      ...ADA,
      ...(file !== null && this.#spec.kind === 'inventory' && { excluded_files: [file] }),
      ...(ban !== null && { site_bans: [ban] }),
      ...(rescues !== null && { error_max_rescue_attempts: rescues }),
      ...(threshold !== null && { error_hold_threshold: threshold }),
      ...(retries !== null && { retry_count: retries }),
    });
    if (file !== null) this.#orders.named.add(file);
  }

  async #claim(index: number, slots: number): Promise<void> {
    const worker = this.#workers[index]!;
    const { items } = await this.#world.engine.listSites({ banned: true });
    const isBanned = items.some(({ name }) => name === worker.site);
    const result = await worker.exchange({
      capacity: { cpus: 1000, memory_bytes: 1e12, gpus: 0, slots, default_cpus: 1 },
    });
    if (isBanned) {
      const own = items.find(({ name }) => name === worker.site)!.bans;
      const label = `sim@${this.#version}`;
      const applies = own.some(({ request_name }) => request_name === null || request_name === label);
      if (applies) expect(result.claims, 'nothing is claimed at a banned site').toEqual([]);
    }
    this.#held[index]!.push(...result.claims);
    await worker.answer(result);
    const started = result.claims.map(({ token }) => ({ token, started_at_ms: this.#world.clock.now }));
    if (started.length > 0) await worker.exchange({ started });
  }

  /** Ends what the engine wants to have ended; or, `late`, it has succeeded already. */
  async #obey(index: number, reported: ExchangeResult, late: boolean): Promise<void> {
    await this.#workers[index]!.answer(reported);
    for (const [tokens, ending] of [
      [reported.stop, STOPPED],
      [reported.cancel, CANCELED],
    ] as const) {
      const claims = this.#held[index]!.filter(({ token }) => tokens.includes(token));
      this.#held[index] = this.#held[index]!.filter(({ token }) => !tokens.includes(token));
      if (claims.length > 0) await this.#workers[index]!.end(claims, late ? OK : ending);
    }
  }

  /** Another worker takes its place; what it held is lost. */
  async #die(index: number): Promise<void> {
    await this.#world.engine.loseWorker(this.#workers[index]!.id, ADA);
    await this.#replace(index);
  }

  async #replace(index: number): Promise<void> {
    this.#held[index] = [];
    this.#workers[index] = await this.#world.worker(SITES[index]!);
  }

  async #plannerDies(at: number): Promise<void> {
    await this.#store.write((now) => admitRequests(5, now));
    const [row] = await this.#store.read(() =>
      all<{ id: number }>(`select id from request where state = 'PLANNING'`),
    );
    if (row === undefined) return;
    let writes = 0;
    const dying: Store = {
      read: (script) => this.#store.read(script),
      write: async (script) => {
        writes += 1;
        if (writes > at) throw new HoldfastError('STORE_FAILED', { problem: 'the process is dead' });
        return this.#store.write(script);
      },
      freeBytes: () => null,
      backup: () => Promise.reject(new Error('no copy is made here')),
      close: async () => {},
    };
    await planRound(dying, row.id, 'dying').catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'STORE_FAILED' });
    });
  }

  #ending(claim: Claim, kind: typeof anyEnding extends fc.Arbitrary<infer T> ? T : never): Ending {
    switch (kind) {
      case 'ok':
        return OK;
      case 'transient':
        return TRANSIENT;
      case 'permanent':
        return PERMANENT;
      case 'infrastructure':
        return INFRASTRUCTURE;
      case 'abort':
        return ABORT;
      case 'bad': {
        const items = claim.config.post?.items ?? [];
        const path = items[claim.token % Math.max(1, items.length)];
        if (path === undefined) return PERMANENT;
        this.#orders.named.add(path);
        return unreadable(path);
      }
    }
  }

  /** From here on everything succeeds and people release what is held: the request must be complete. */
  async drain(): Promise<void> {
    for (let pass = 0; pass < 400; pass += 1) {
      const { status } = await this.#world.show();
      if (status === 'COMPLETED' || status === 'FAILED') break;
      if (status === 'HELD' || status === 'PAUSED') {
        for (const site of SITES) await this.#world.engine.unbanSite(site, ADA);
        if (status === 'HELD') await this.#world.engine.releaseRequest('sim', ADA);
        else await this.#world.engine.resumeRequest('sim', ADA);
      }
      await this.#unlessRetired(async () => {
        await this.#world.tend();
        for (const [index, worker] of this.#workers.entries()) {
          await this.#obey(index, await worker.exchange(), false);
          await worker.end(this.#held[index]!.splice(0), OK);
          await worker.run();
        }
        // Leases, cool-offs and bans end.
        this.#world.clock.now += 61_000;
        for (const worker of this.#workers) await worker.exchange();
      });
      await this.check();
    }
    expect(['COMPLETED', 'FAILED'], 'it ends').toContain(await this.#world.state());
    this.#note(await this.#world.state());
  }
}

function isRetired(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'WORKER_RETIRED';
}

/** Waits for all of them, and fails if one does. */
async function allSettled(promises: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

/** `runs` random courses of random requests, on any database. */
export function requestsProperty(databases: Databases, runs: number): void {
  test(
    'the ledger of a request adds up after every step of any course, and every request ends',
    async () => {
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(
          anySpec,
          fc.array(anyStep, { minLength: 5, maxLength: 32, size: 'max' }),
          async (spec, steps) => {
            const world = await RequestWorld.create(databases);
            let course: Course | undefined;
            try {
              course = await Course.begin(world, spec, seen);
              for (const step of steps) await course.take(step);
              await course.drain();
            } finally {
              await course?.close();
              await world.close();
            }
          },
        ),
        { numRuns: courses(runs) },
      );
      if (runs < 100) return;
      // A course that never comes to these shows nothing about them.
      const expected = [
        'PLANNING',
        'STOPPING',
        'PAUSED',
        'HELD',
        'FAILED',
        'failure_ratio',
        'rescues_exhausted',
      ];
      const orders = ['stop', 'pause', 'resume', 'release', 'restart', 'fail', 'retryJob'];
      for (const what of [...expected, ...orders]) expect(seen.get(what), what).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
}
