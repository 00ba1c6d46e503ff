import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import type { ErrandKind, ErrandOrder, ErrandReport } from '../../src/contract/records/errand.ts';
import type { Capacity, Claim, Exchange, ExchangeResult } from '../../src/contract/records/exchange.ts';
import type { AttemptRecord, EventRecord, JobRecord } from '../../src/contract/records/records.ts';
import type { JobStatus } from '../../src/core/job/job-status.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import type { UsageSample } from '../../src/core/job/usage-samples.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { LEASE_MS } from '../../src/core/worker/lease.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { placeEmptyDatabase } from './empty-database.ts';

export const PLENTY: Capacity = { cpus: 1000, memory_bytes: 1e12, gpus: 8, slots: 1000, default_cpus: 1 };

/** An exchange that reports nothing and asks for nothing. */
export const NOTHING: Exchange = {
  started: [],
  finished: [],
  errands: [],
  capacity: null,
};

/** The errands of one kind that an exchange hands out. */
export function ordersOf<K extends ErrandKind>(
  { errands }: Pick<ExchangeResult, 'errands'>,
  kind: K,
): Extract<ErrandOrder, { kind: K }>[] {
  return errands.filter((order): order is Extract<ErrandOrder, { kind: K }> => order.kind === kind);
}

/** A clock that only the test moves. */
export interface Clock {
  now: number;
}

/** A database for one world; on SQLite it is in the directory. */
export interface WorldDatabase {
  databaseUrl?: string;
  /** Another way in, past the engine. */
  openStore(): Promise<Store>;
  remove(): Promise<void>;
}

export type Databases = (dir: string) => Promise<WorldDatabase>;

export const onSqlite: Databases = async (dir) => {
  await placeEmptyDatabase(dir);
  return {
    openStore: async () => new SqliteStore(join(dir, 'holdfast.db')),
    remove: async () => {},
  };
};

/** A workflow on an engine with a database of its own. */
export class EngineWorld {
  readonly clock: Clock;
  readonly engine: Engine;
  readonly workflowId: number;
  readonly database: WorldDatabase;
  readonly dir: string;

  private constructor(
    dir: string,
    database: WorldDatabase,
    clock: Clock,
    engine: Engine,
    workflowId: number,
  ) {
    this.dir = dir;
    this.database = database;
    this.clock = clock;
    this.engine = engine;
    this.workflowId = workflowId;
  }

  static async create(model: WorkflowModel, databases = onSqlite): Promise<EngineWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-engine-'));
    const clock = { now: 1_700_000_000_000 };
    const database = await databases(dir);
    const { databaseUrl } = database;
    const engine = await openEngine({
      dir,
      create: true,
      clock: () => clock.now,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
    });
    const { id } = await engine.createWorkflow({ model, cwd: dir, output_dir: 'output', actor: 'test' });
    return new EngineWorld(dir, database, clock, engine, id);
  }

  /** Another workflow on the same engine, which is cheaper than another world. */
  async another(model: WorkflowModel): Promise<EngineWorld> {
    const { engine, dir, database, clock } = this;
    const { id } = await engine.createWorkflow({ model, cwd: dir, output_dir: 'output', actor: 'test' });
    return new EngineWorld(dir, database, clock, engine, id);
  }

  async close(): Promise<void> {
    await this.engine.close();
    await this.database.remove();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** A worker on another host that drives the run; only its lease shows whether it is alive. */
  async remoteWorker(): Promise<WorkerHand> {
    const { id } = await this.engine.registerWorker({ ...ownIdentity(), host: 'elsewhere' });
    const adoption = await this.engine.adopt(this.workflowId, id);
    if (adoption.mode === 'follow') throw new Error(`worker ${adoption.worker.id} still drives the run`);
    return new WorkerHand(this, id);
  }

  /** Long enough for every lease to end. */
  passLease(): void {
    this.clock.now += LEASE_MS + 1;
  }

  async jobs(): Promise<JobRecord[]> {
    return (await this.engine.listJobs(this.workflowId, { limit: 1000 })).items;
  }

  async job(name: string): Promise<JobRecord> {
    return this.engine.getJob(this.workflowId, name);
  }

  async attempts(): Promise<AttemptRecord[]> {
    return (await this.engine.listAttempts(this.workflowId, { limit: 1000 })).items;
  }

  async events(): Promise<EventRecord[]> {
    return (await this.engine.listEvents(this.workflowId, { limit: 1000 })).items;
  }
}

/** A world that is gone when the test is over. */
export async function worldOf(model: WorkflowModel, databases = onSqlite): Promise<EngineWorld> {
  const world = await EngineWorld.create(model, databases);
  onTestFinished(() => world.close());
  return world;
}

/** Does by hand what a worker does. */
export class WorkerHand {
  readonly id: number;
  readonly #world: EngineWorld;

  constructor(world: EngineWorld, id: number) {
    this.#world = world;
    this.id = id;
  }

  exchange(part: {
    started?: Claim[];
    finished?: {
      claim: Claim;
      outcome: Outcome;
      startedAt?: number | null;
      samples?: UsageSample[];
    }[];
    errands?: ErrandReport[];
    leaving?: boolean;
    capacity?: Capacity | null;
  }): Promise<ExchangeResult> {
    const { now } = this.#world.clock;
    return this.#world.engine.exchange(this.id, {
      started: (part.started ?? []).map(({ token }) => ({ token, started_at_ms: now })),
      finished: (part.finished ?? []).map(({ claim, outcome: facts, startedAt = now, samples }) => ({
        token: claim.token,
        started_at_ms: startedAt,
        finished_at_ms: now,
        outcome: facts,
        usage: null,
        ...(samples === undefined ? {} : { samples }),
      })),
      errands: part.errands ?? [],
      leaving: part.leaving ?? false,
      capacity: part.capacity ?? null,
      workflow_id: this.#world.workflowId,
    });
  }

  async claim(capacity: Partial<Capacity> = {}): Promise<Claim[]> {
    return (await this.exchange({ capacity: { ...PLENTY, ...capacity } })).claims;
  }

  /** Claims everything that is ready, starts it and ends it with the exit code given by name (default: 0). */
  async runReady(codes: Record<string, number> = {}): Promise<string[]> {
    const claims = await this.claim();
    await this.exchange({ started: claims });
    await this.exchange({
      finished: claims.map((claim) => ({
        claim,
        outcome: outcome({ exit_code: codes[claim.job_name] ?? 0 }),
      })),
    });
    return claims.map((claim) => claim.job_name);
  }
}

export async function statuses(world: EngineWorld): Promise<JobStatus[]> {
  return (await world.jobs()).map((job) => job.status);
}

/** Claims, starts and ends one job with an exit code. */
export async function fail(worker: WorkerHand, code: number) {
  const [claim] = await worker.claim({ slots: 1 });
  await worker.exchange({ started: [claim!] });
  const result = await worker.exchange({
    finished: [{ claim: claim!, outcome: outcome({ exit_code: code }) }],
  });
  return { claim: claim!, ...result };
}
