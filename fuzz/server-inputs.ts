import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../chaos/random.ts';
import type { ServedEngine } from '../src/contract/engine.ts';
import { openApiDocument } from '../src/contract/openapi.ts';
import { WORKER_SECRET } from '../src/contract/request-headers.ts';
import { outcome } from '../src/core/job/outcome.ts';
import { openEngine } from '../src/engine/open-engine.ts';
import { createServer, type HoldfastServer } from '../src/server/create-server.ts';
import { mutateTree } from './mutate.ts';
import type { SpecInputs } from './spec-inputs.ts';
import { anyText, type Schema, Values } from './values.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
}

const document = openApiDocument('0') as unknown as {
  paths: Record<string, Record<string, Operation>>;
} & Schema;
const OPERATIONS = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
/** Long answers would only be waited for. */
const FIXED: Record<string, string> = { timeout_ms: '2', follow: 'false' };
const IDENTITY = {
  ...{
    host: 'elsewhere',
    boot_id: 'boot',
    pid: 4711,
    start_time: '1',
    site: 'lab',
    labels: [],
    kind: 'service',
  },
  ...{ cpus: 8, memory_bytes: 1e10, gpus: 0 },
};
const CAPACITY = { cpus: 100, memory_bytes: 1e12, gpus: 8, slots: 3, default_cpus: 1 };
const OK = { name: 'steady', jobs: [1, 2, 3].map((n) => ({ name: `job${n}`, command: 'true' })) };

interface Hand {
  id: number;
  secret: string;
  seq: number;
  claims: { token: number }[];
  errands: { id: number; kind: string }[];
  last: object | null;
}

/** A server with an engine of its own, asked without a socket. */
export class ServerInputs {
  readonly #specs: SpecInputs;
  readonly #dir: string;
  readonly #engine: ServedEngine;
  readonly #server: HoldfastServer;
  readonly #values = new Values(document);
  readonly #lines: string[] = [];
  #hand: Hand | null = null;

  private constructor(specs: SpecInputs, dir: string, engine: ServedEngine) {
    this.#specs = specs;
    this.#dir = dir;
    this.#engine = engine;
    const log = { write: (line: string) => void (this.#lines.length < 50 && this.#lines.push(line)) };
    this.#server = createServer(engine, {
      host: '127.0.0.1',
      auth: 'none',
      version: '0',
      log,
      logLevel: 'error',
    });
  }

  static async start(specs: SpecInputs, base: string): Promise<ServerInputs> {
    const dir = mkdtempSync(join(base, 'holdfast-fuzz-'));
    return new ServerInputs(specs, dir, await openEngine({ dir, create: true }));
  }

  async stop(): Promise<void> {
    this.#server.windDown();
    await this.#server.app.close();
    await this.#engine.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** Any operation of the description, with values that it allows or does not. */
  async request(random: Random): Promise<void> {
    const { path, method, operation } = random.pick(OPERATIONS);
    const text = (schema: Schema) => {
      const value = this.#values.draw(schema, random);
      return encode(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    };
    const given = operation.parameters.map(({ name, schema, ...each }) => ({
      ...each,
      name,
      text: text(schema),
    }));
    const filled = path.replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => given.find((each) => each.in === 'path' && each.name === name)?.text || '1',
    );
    const query = given
      .filter((each) => each.in === 'query' && (each.name in FIXED || random.chance(0.4)))
      .map(({ name, text: value }) => `${name}=${FIXED[name] ?? value}`);
    const schema = operation.requestBody?.content['application/json'].schema;
    let body = schema === undefined ? undefined : this.#values.draw(schema, random);
    if (body !== undefined && random.chance(0.3)) body = mutateTree(body, random, [body]);
    if (operation.operationId === 'createWorkflow' || operation.operationId === 'checkSpec')
      body = { spec: this.#specs.draw(random) };
    await this.#ask({
      method,
      url: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
      isEndless: operation.operationId === 'streamEvents',
      ...(body !== undefined && { body }),
    });
  }

  /** An exchange of a worker: true, repeated, out of order, or about attempts that are not its own. */
  async exchange(random: Random): Promise<void> {
    this.#hand ??= await this.#register();
    const hand = this.#hand;
    if (hand.claims.length === 0 && random.chance(0.3))
      await this.#ask({ method: 'POST', url: '/api/v1/workflows', body: { spec: OK } });
    const at = random.pick([Date.now(), 0, 1e15, Date.now() - 1e9]);
    const tokens = hand.claims.map(({ token }) => token);
    const token = () => (tokens.length > 0 && random.chance(0.8) ? random.pick(tokens) : random.int(1, 50));
    const code = random.pick([0, 0, 1, 7, 255, 1e9]);
    const finished = Array.from({ length: random.int(0, 3) }, () => ({
      ...{ token: token(), started_at_ms: random.pick([null, at]), finished_at_ms: at },
      outcome: outcome(
        random.pick([{ exit_code: code }, { lost: true }, { stopped: true }, { timed_out: true }]),
      ),
      usage: null,
      ...(random.chance(0.2) && { output: this.#values.draw({}, random) }),
    }));
    let body: object = {
      started: random.chance(0.5) ? [{ token: token(), started_at_ms: at }] : [],
      finished,
      errands: hand.errands.map(({ id, kind }) => ({ kind, id, outcome: outcome({ exit_code: 0 }) })),
      capacity: random.chance(0.7) ? CAPACITY : null,
      seq: random.chance(0.9) ? hand.seq + 1 : random.int(1, hand.seq + 5),
      ...(random.chance(0.5) && { sent_at_ms: at }),
    };
    if (hand.last !== null && random.chance(0.1)) body = hand.last;
    if (random.chance(0.2)) body = mutateTree(body, random, [body]) as object;
    const answer = await this.#ask({
      method: 'POST',
      url: `/api/v1/workers/${hand.id}/exchange`,
      body,
      secret: random.chance(0.98) ? hand.secret : anyText(random, []).replaceAll(/[^ -~]/g, ''),
    });
    if (answer?.status === 410 || answer?.status === 409 || random.chance(0.005)) this.#hand = null;
    if (answer?.status !== 200) return;
    hand.last = body;
    hand.seq = Math.max(hand.seq, Number((body as { seq?: number }).seq) || 0);
    hand.claims = [...hand.claims, ...answer.body.claims].slice(-20);
    hand.errands = answer.body.errands;
  }

  async #register(): Promise<Hand> {
    const answer = await this.#ask({ method: 'POST', url: '/api/v1/workers', body: IDENTITY });
    if (answer?.status !== 201) throw new Error(`a worker is refused: ${JSON.stringify(answer)}`);
    return { id: answer.body.id, secret: answer.body.secret, seq: 0, claims: [], errands: [], last: null };
  }

  async #ask(asked: {
    method: string;
    url: string;
    body?: unknown;
    secret?: string;
    isEndless?: boolean;
    // biome-ignore lint/suspicious/noExplicitAny: read as a client that knows no types reads it
  }): Promise<{ status: number; body: any } | null> {
    const { method, url, body, secret, isEndless = false } = asked;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.#server.app.inject({
      method: method as 'GET',
      url,
      payloadAsStream: isEndless,
      headers: {
        host: '127.0.0.1',
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...(secret !== undefined && { [WORKER_SECRET]: secret }),
      },
      ...(payload !== undefined && { payload }),
    });
    if (answer.statusCode === 500)
      throw new Error(`500: ${method} ${url} ${payload?.slice(0, 3000)}\n${this.#lines.at(-1)}`);
    if (isEndless) {
      answer.stream().destroy();
      return null;
    }
    const isJson = String(answer.headers['content-type']).includes('json');
    return { status: answer.statusCode, body: isJson && payload !== undefined ? answer.json() : null };
  }
}

/** Half a surrogate cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.slice(0, 500).replaceAll(/\p{Surrogate}/gu, '�'));
}
