import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { Capacity, Claim, ExchangeResult, WorkerIdentity } from '../../src/contract/records/exchange.ts';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import { WORKER_SECRET } from '../../src/contract/request-headers.ts';
import { ROLES, type Role } from '../../src/contract/roles.ts';
import { type Outcome, outcome } from '../../src/core/job/outcome.ts';
import { crashedPost } from '../../src/core/job/post-result.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import {
  createServer,
  type HoldfastServer,
  type MoreRoutes,
  type ServerOptions,
} from '../../src/server/create-server.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { sentFiles } from '../../src/spec/spec-files.ts';
import { placeEmptyDatabase } from '../engine/empty-database.ts';

export const PLENTY: Capacity = { cpus: 1000, memory_bytes: 1e12, gpus: 8, slots: 1000, default_cpus: 1 };

export const IDENTITY: WorkerIdentity = {
  host: 'elsewhere',
  boot_id: 'boot',
  pid: 4711,
  start_time: '1',
  site: 'lab',
  labels: [],
  kind: 'service',
  cpus: 8,
  memory_bytes: 1e10,
  gpus: 0,
};

export const NO_REPORTS = { started: [], finished: [], errands: [] };

export interface Asked {
  method?: string;
  url: string;
  body?: unknown;
  headers?: Record<string, string>;
  token?: string;
  /** Sends the secret of this worker. */
  worker?: number;
}

/** A server with an engine on a database of its own; asked without a socket. */
export class ServerWorld {
  readonly dir: string;
  readonly engine: ServedEngine;
  readonly server: HoldfastServer;
  readonly lines: string[] = [];
  readonly tokens = {} as Record<Role, string>;
  /** Of everything that is submitted here from now on. */
  accessGroups: string[] = [];
  /** Of the workers that were registered here. */
  readonly secrets = new Map<number, string>();

  private constructor(dir: string, engine: ServedEngine, options: Partial<ServerOptions>) {
    this.dir = dir;
    this.engine = engine;
    this.server = createServer(engine, {
      host: '127.0.0.1',
      auth: 'none',
      version: '0.0.0',
      log: { write: (line) => this.lines.push(line) },
      logLevel: 'debug',
      ...options,
    });
  }

  /** For one test, which ends it. */
  static async create(
    options: Partial<ServerOptions> = {},
    more?: (engine: ServedEngine) => MoreRoutes,
  ): Promise<ServerWorld> {
    const world = await ServerWorld.open(options, more);
    onTestFinished(() => world.close());
    return world;
  }

  /** For as long as whoever opens it wants. With auth there is a token for each role. */
  static async open(
    options: Partial<ServerOptions> = {},
    more?: (engine: ServedEngine) => MoreRoutes,
  ): Promise<ServerWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-server-'));
    await placeEmptyDatabase(dir);
    const engine = await openEngine({ dir, create: false });
    const world = new ServerWorld(dir, engine, { ...options, ...(more && { routes: [more(engine)] }) });
    if (options.auth === 'token') {
      for (const role of ROLES) {
        const made = await engine.createToken({
          name: `a-${role}`,
          role,
          expires_at_ms: null,
          actor: 'test',
        });
        world.tokens[role] = made.secret;
      }
    }
    return world;
  }

  /** `METHOD path` of every route, as the description writes them. */
  get routes(): string[] {
    return this.server.routes.map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
  }

  /** Of an answer that does not end by itself only the beginning is waited for. */
  ask(
    { method = 'GET', url, body, headers = {}, token, worker }: Asked,
    { isEndless = false } = {},
  ): Promise<LightMyRequestResponse> {
    return this.server.app.inject({
      method: method as 'GET',
      url,
      payloadAsStream: isEndless,
      headers: {
        host: '127.0.0.1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(worker !== undefined && { [WORKER_SECRET]: this.secrets.get(worker) ?? '' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  /** Without a request: reading one starts a thread, which takes longer than the rest of most tests. */
  async store(spec: object): Promise<number> {
    const text = JSON.stringify({ access_groups: this.accessGroups, ...spec });
    const loaded = loadSpec(text, 'workflow.json');
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
    const { id } = await this.engine.createWorkflow({
      model: loaded.model,
      source: { text, name: 'workflow.json' },
      cwd: this.dir,
      output_dir: join(this.dir, 'output'),
      // As if its token had submitted it: nobody else but an admin may change it.
      actor: 'a-operator',
      shared: true,
    });
    return id;
  }

  /** A request that waits for its admission; its items, if any, are in the spec. */
  async storeRequest(spec: object): Promise<RequestRecord> {
    const loaded = loadRequest(
      JSON.stringify({ access_groups: this.accessGroups, ...spec }),
      'request.json',
      sentFiles({ texts: {}, lists: {} }),
    );
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
    return this.engine.createRequest({
      model: loaded.model,
      items: loaded.items,
      cwd: this.dir,
      output_dir: join(this.dir, 'output'),
      actor: 'a-operator',
      shared: true,
    });
  }

  /** Admits and plans what can be, as a server that listens does by itself. */
  async tendRequests(): Promise<void> {
    while (await this.engine.tendRequests({ most_active: 20 }));
  }

  async submit(spec: object, token?: string): Promise<number> {
    const answer = await this.ask({
      method: 'POST',
      url: '/api/v1/workflows',
      body: {
        spec: { access_groups: this.accessGroups, ...spec },
        cwd: this.dir,
        output_dir: join(this.dir, 'output'),
      },
      ...(token !== undefined && { token }),
    });
    if (answer.statusCode !== 201) throw new Error(answer.body);
    return (answer.json() as { id: number }).id;
  }

  /** A worker that has taken all it can get. */
  async claimAll(): Promise<{ worker: number; claims: Claim[] }> {
    const worker = await this.engine.registerWorker(IDENTITY);
    this.secrets.set(worker.id, worker.secret);
    const { claims } = await this.engine.exchange(worker.id, { ...NO_REPORTS, capacity: PLENTY });
    return { worker: worker.id, claims };
  }

  finish(worker: number, claim: Claim, facts: Partial<Outcome>, output?: unknown): Promise<ExchangeResult> {
    const at = Date.now();
    return this.engine.exchange(worker, {
      ...NO_REPORTS,
      started: [{ token: claim.token, started_at_ms: at }],
      finished: [
        {
          token: claim.token,
          started_at_ms: at,
          finished_at_ms: at + 1,
          outcome: outcome(facts),
          usage: null,
          ...(output !== undefined && { output }),
        },
      ],
      capacity: null,
    });
  }

  /** A job of a request fails, and its post step says that it is for good. */
  async failForGood(worker: number, claim: Claim): Promise<void> {
    const { errands } = await this.finish(worker, claim, { exit_code: 7 });
    const post = { ...crashedPost(''), exit_code: 42, problem: null };
    const judged = errands.map(({ id }) => ({ kind: 'post' as const, id, post }));
    await this.engine.exchange(worker, { ...NO_REPORTS, errands: judged, capacity: null });
  }

  async close(): Promise<void> {
    this.server.windDown();
    await this.server.app.close();
    await this.engine.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
