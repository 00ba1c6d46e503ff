import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import type { ServedEngine } from '../../src/core/engine.ts';
import type { Capacity, Claim, WorkerIdentity } from '../../src/core/exchange.ts';
import { type Outcome, outcome } from '../../src/core/outcome.ts';
import type { Role } from '../../src/core/token.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { createServer, type HoldfastServer, type ServerOptions } from '../../src/server/create-server.ts';

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

export const NO_REPORTS = { started: [], finished: [], recovered: [], acted: [], evaluated: [] };

export interface Asked {
  method?: string;
  url: string;
  body?: unknown;
  headers?: Record<string, string>;
  token?: string;
}

/** A server with an engine on a database of its own; asked without a socket. */
export class ServerWorld {
  readonly dir: string;
  readonly engine: ServedEngine;
  readonly server: HoldfastServer;
  readonly lines: string[] = [];
  readonly tokens = {} as Record<Role, string>;

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

  /** With auth there is a token for each role. */
  static async create(options: Partial<ServerOptions> = {}): Promise<ServerWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-server-'));
    const engine = await openEngine({ dir, create: true });
    const world = new ServerWorld(dir, engine, options);
    onTestFinished(() => world.close());
    if (options.auth === 'token') {
      for (const role of ['viewer', 'operator', 'admin'] as const) {
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
    { method = 'GET', url, body, headers = {}, token }: Asked,
    { isEndless = false } = {},
  ): Promise<LightMyRequestResponse> {
    return this.server.app.inject({
      method: method as 'GET',
      url,
      payloadAsStream: isEndless,
      headers: {
        host: '127.0.0.1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  async submit(spec: object, token?: string): Promise<number> {
    const answer = await this.ask({
      method: 'POST',
      url: '/api/v1/workflows',
      body: { spec, cwd: this.dir, output_dir: join(this.dir, 'output') },
      ...(token !== undefined && { token }),
    });
    if (answer.statusCode !== 201) throw new Error(answer.body);
    return (answer.json() as { id: number }).id;
  }

  /** A worker that has taken all it can get. */
  async claimAll(): Promise<{ worker: number; claims: Claim[] }> {
    const worker = await this.engine.registerWorker(IDENTITY);
    const { claims } = await this.engine.exchange(worker.id, { ...NO_REPORTS, capacity: PLENTY });
    return { worker: worker.id, claims };
  }

  async finish(worker: number, claim: Claim, facts: Partial<Outcome>, output?: unknown): Promise<void> {
    const at = Date.now();
    await this.engine.exchange(worker, {
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

  async close(): Promise<void> {
    this.server.windDown();
    await this.server.app.close();
    await this.engine.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
