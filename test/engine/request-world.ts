import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { ErrandReport } from '../../src/contract/records/errand.ts';
import type { Capacity, Claim, Exchange, ExchangeResult } from '../../src/contract/records/exchange.ts';
import type {
  ItemRecord,
  RequestRecord,
  RoundRecord,
  UnitRecord,
} from '../../src/contract/records/request.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import { crashedPost, type PostResult } from '../../src/core/job/post-result.ts';
import type { ErrorSettings } from '../../src/core/request/error-settings.ts';
import type { ItemState } from '../../src/core/request/request-states.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { requestOf } from '../spec/request-text.ts';
import { type Databases, NOTHING, onSqlite, ordersOf, PLENTY, type WorldDatabase } from './engine-world.ts';

export const ADA = { actor: 'ada' };

/** How an attempt ends and what its post step returns. */
export interface Ending {
  outcome: Outcome;
  /** null: a worker that was stopped or lost runs no post step. */
  post: PostResult | null;
}

const posted = (facts: Partial<PostResult>): PostResult => ({ ...crashedPost(''), problem: null, ...facts });
const failed = (facts: Partial<PostResult>): Ending => ({
  outcome: outcome({ exit_code: 1 }),
  post: posted({ exit_code: 1, ...facts }),
});

export const OK: Ending = { outcome: outcome({ exit_code: 0 }), post: posted({ exit_code: 0 }) };
/** Retried as long as there are retries. */
export const TRANSIENT = failed({});
export const PERMANENT = failed({ exit_code: 42 });
export const INFRASTRUCTURE = failed({ category: 'infrastructure' });
export const ABORT = failed({ exit_code: 43 });
export const STOPPED: Ending = { outcome: outcome({ stopped: true, signal: 'SIGTERM' }), post: null };
export const CANCELED: Ending = { outcome: outcome({ canceled: true, signal: 'SIGTERM' }), post: null };
/** The job cannot read these items. */
export const unreadable = (...paths: string[]): Ending =>
  failed({ exit_code: 42, category: 'data', bad_inputs: paths });

export type Play = (claim: Claim) => Ending;

/** The number of the unit of a job. */
export function unitOf({ job_name }: Pick<Claim, 'job_name'>): number {
  return Number(/^unit_(\d+)_/.exec(job_name)![1]);
}

/** Jobs of these units end so; all others succeed. */
export function inUnits(units: readonly number[], ending: Ending): Play {
  return (claim) => (units.includes(unitOf(claim)) ? ending : OK);
}

export interface RangeFacts {
  name?: string;
  units?: number;
  perUnit?: number;
  first?: string | number;
  total?: string | number;
  round?: string;
  more?: string;
}

/** A range whose units are one job each, which is tried once. */
export function range(facts: RangeFacts = {}): string {
  const { name = 'sim', units = 10, perUnit = 10, first = 1, more = '' } = facts;
  const { total = units * perUnit, round = `{ first_units: ${units}, units: ${units} }` } = facts;
  return `kind: request
name: ${name}
work: { range: { total: ${total}, first: ${first}, per_job: ${perUnit} } }
round: ${round}
process: { command: "simulate {first} {last}", retry: 0 }
${more}`;
}

export interface InventoryFacts {
  name?: string;
  items: readonly string[];
  perJob?: number;
  jobsPerUnit?: number;
  round?: string;
  groupBy?: string;
  more?: string;
}

export function inventory(facts: InventoryFacts): string {
  const { name = 'reco', items, perJob = 1, jobsPerUnit = 1, groupBy, more = '' } = facts;
  const { round = '{ first_units: 100, units: 100 }' } = facts;
  const group = groupBy === undefined ? '' : `, group_by: '${groupBy}'`;
  return `kind: request
name: ${name}
work: { items: ${JSON.stringify(items)}, per_job: ${perJob}${group} }
jobs_per_unit: ${jobsPerUnit}
round: ${round}
process: { command: "reco {items}", retry: 0 }
${more}`;
}

export const paths = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => `f${String(from + index).padStart(2, '0')}`);

/** A server's engine with requests, a clock that moves when it is moved, and workers that are only hands. */
export class RequestWorld {
  readonly clock: { now: number };
  readonly dir: string;
  readonly database: WorldDatabase;
  engine: ServedEngine;
  mostActive = 20;
  /** How attempts ended, by token: any worker may do their post steps. */
  readonly endings = new Map<number, Ending>();

  private constructor(dir: string, database: WorldDatabase, clock: { now: number }, engine: ServedEngine) {
    this.dir = dir;
    this.database = database;
    this.clock = clock;
    this.engine = engine;
  }

  static async create(databases: Databases = onSqlite): Promise<RequestWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-requests-'));
    const clock = { now: 1_700_000_000_000 };
    const database = await databases(dir);
    return new RequestWorld(dir, database, clock, await openOn(dir, database, clock));
  }

  async close(): Promise<void> {
    await this.engine.close();
    await this.database.remove();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Another engine on the same state. */
  async another(): Promise<ServedEngine> {
    return openOn(this.dir, this.database, this.clock);
  }

  /** The process ends, and another one begins. */
  async reopen(): Promise<void> {
    await this.engine.close();
    this.engine = await this.another();
  }

  async submit(text: string, settings: Partial<ErrorSettings> = {}): Promise<RequestRecord> {
    const { model, items } = requestOf(text);
    return this.engine.createRequest({
      model,
      items,
      settings,
      cwd: this.dir,
      output_dir: 'output',
      actor: 'test',
      shared: true,
    });
  }

  async worker(site = 'north'): Promise<SiteWorker> {
    const identity = ownIdentity({ site, kind: 'service', cpus: 1000, memory_bytes: 1e12, gpus: 8 });
    const { id } = await this.engine.registerWorker({ ...identity, host: 'elsewhere' });
    return new SiteWorker(this, id, site);
  }

  /** Everything that the engine does by itself. */
  async tend(): Promise<void> {
    for (let pass = 0; pass < 100; pass += 1) {
      if (!(await this.engine.tendRequests({ most_active: this.mostActive }))) return;
    }
    expect.unreachable('requests are moved on without end');
  }

  show(name = 'sim'): Promise<RequestRecord> {
    return this.engine.getRequest(name);
  }

  async state(name = 'sim'): Promise<string> {
    return (await this.show(name)).status;
  }

  async round(name = 'sim'): Promise<RoundRecord> {
    return (await this.show(name)).rounds.at(-1)!;
  }

  async units(name = 'sim', query: { round?: number } = {}): Promise<UnitRecord[]> {
    return (await this.engine.listUnits(name, { ...query, limit: 1000 })).items;
  }

  async items(name = 'reco'): Promise<ItemRecord[]> {
    return (await this.engine.listItems(name, { limit: 1000 })).items;
  }

  /** Paths of the items in a state. */
  async pathsIn(state: ItemState, name = 'reco'): Promise<string[]> {
    return (await this.items(name)).filter((item) => item.state === state).map(({ path }) => path);
  }

  /** What happened to a request, oldest first. */
  async history(name = 'sim'): Promise<string[]> {
    const { items } = await this.engine.requestHistory(name, { limit: 1000 });
    return items.map(({ action }) => action).reverse();
  }

  /** The audit trail of a site, oldest first. */
  async siteHistory(site: string): Promise<{ action: string; actor: string }[]> {
    const { items } = await this.engine.listAudit({ limit: 1000 });
    return items
      .filter(({ subject }) => subject === `site ${site}`)
      .map(({ action, actor }) => ({ action, actor }))
      .reverse();
  }

  /** Tends, runs and waits until nothing more happens, or the request has come to a halt. */
  async drive(
    worker: SiteWorker | readonly SiteWorker[],
    play: Play = () => OK,
    name = 'sim',
  ): Promise<string> {
    const workers = Array.isArray(worker) ? (worker as readonly SiteWorker[]) : [worker as SiteWorker];
    for (let pass = 0; pass < 1000; pass += 1) {
      await this.tend();
      if (!['QUEUED', 'PLANNING', 'ACTIVE', 'STOPPING'].includes(await this.state(name)))
        return this.state(name);
      let ran = 0;
      let due: number | null = null;
      for (const each of workers) {
        const passed = await each.run(play);
        ran += passed.ran;
        if (passed.due !== null) due = Math.min(passed.due, due ?? passed.due);
      }
      if (ran > 0) continue;
      if (due === null || due <= this.clock.now) return this.state(name);
      this.clock.now = due;
    }
    return expect.unreachable('the request does not end');
  }
}

function openOn(dir: string, { databaseUrl }: WorldDatabase, clock: { now: number }): Promise<ServedEngine> {
  return openEngine({
    dir,
    create: true,
    clock: () => clock.now,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
}

/** A world that is gone when the test is over. */
export async function requestWorld(databases: Databases): Promise<RequestWorld> {
  const world = await RequestWorld.create(databases);
  onTestFinished(() => world.close());
  return world;
}

/** Does by hand what a worker of a server does. */
export class SiteWorker {
  readonly id: number;
  readonly site: string;
  readonly #world: RequestWorld;
  #seq = 0;

  constructor(world: RequestWorld, id: number, site: string) {
    this.#world = world;
    this.id = id;
    this.site = site;
  }

  exchange(part: Partial<Exchange> = {}, engine = this.#world.engine): Promise<ExchangeResult> {
    this.#seq += 1;
    return engine.exchange(this.id, { ...NOTHING, seq: this.#seq, ...part });
  }

  async claim(capacity: Partial<Capacity> = {}): Promise<Claim[]> {
    const { claims } = await this.exchange({ capacity: { ...PLENTY, ...capacity } });
    const started = claims.map(({ token }) => ({ token, started_at_ms: this.#world.clock.now }));
    if (started.length > 0) await this.exchange({ started });
    return claims;
  }

  /** Reports how claims ended, in one exchange, and then their post steps. */
  async end(claims: readonly Claim[], play: Play | Ending): Promise<void> {
    await this.answer(await this.report(claims, play));
  }

  /** Reports how claims ended. Their post steps are still to be done. */
  report(claims: readonly Claim[], play: Play | Ending): Promise<ExchangeResult> {
    const { now } = this.#world.clock;
    const finished = claims.map((claim) => {
      const ending = typeof play === 'function' ? play(claim) : play;
      this.#world.endings.set(claim.token, ending);
      return {
        token: claim.token,
        started_at_ms: now,
        finished_at_ms: now,
        outcome: ending.outcome,
        usage: null,
      };
    });
    return this.exchange({ finished });
  }

  /** Does the post steps that an exchange hands out, also those of workers that died. Returns how many. */
  async answer(result: Pick<ExchangeResult, 'errands'>, engine = this.#world.engine): Promise<number> {
    const errands = ordersOf(result, 'post').flatMap(({ id, token }): ErrandReport[] => {
      const post = this.#world.endings.get(token)?.post;
      return post == null ? [] : [{ kind: 'post', id, post }];
    });
    if (errands.length > 0) await this.exchange({ errands }, engine);
    return errands.length;
  }

  /** Claims what is ready until nothing is, and ends it. */
  async run(play: Play = () => OK): Promise<{ ran: number; due: number | null }> {
    for (let ran = 0; ; ) {
      const result = await this.exchange({ capacity: PLENTY });
      const answered = await this.answer(result);
      if (result.claims.length + answered === 0) return { ran, due: result.next_due_at_ms };
      if (result.claims.length > 0) await this.end(result.claims, play);
      ran += result.claims.length + answered;
    }
  }
}
