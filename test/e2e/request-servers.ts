import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import type { AttemptRecord } from '../../src/contract/records/records.ts';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import { connect } from '../../src/index.ts';
import { HoldfastProcess } from '../chaos/holdfast-process.ts';
import { until } from '../cli/run-cli.ts';
import { freePort } from '../postgres/postgres-world.ts';
import { requestSpec } from './request-world.ts';

const ALL = { limit: 1_000 };

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** Servers and workers, each a process with a directory of its own, and requests that are handed in over HTTP. */
export class RequestServers {
  readonly dir = mkdtempSync(join(tmpdir(), 'holdfast-requests-'));
  readonly #started: HoldfastProcess[] = [];
  readonly #clients: { close(): Promise<void> | void }[] = [];
  #url = '';

  get url(): string {
    return this.#url;
  }

  /** A server at a port of its own; the last one is asked. */
  async serve(name = 'server', env: Record<string, string> = {}, config = ''): Promise<HoldfastProcess> {
    const port = await freePort();
    this.#url = `http://127.0.0.1:${port}`;
    if (config !== '') this.write(`${name}/.holdfast/config.yaml`, config);
    const server = this.#start(name, ['serve', '--port', String(port), '--log-level', 'silent'], env);
    await this.listens(server);
    return server;
  }

  listens(server: HoldfastProcess): Promise<boolean> {
    const before = server.output.split('listening').length;
    return until(
      () => server.output.split('listening').length >= Math.max(before, 2),
      'the server listens',
      60_000,
    );
  }

  async worker(site: string, ...args: string[]): Promise<HoldfastProcess> {
    const worker = this.#start(site, ['worker', '--server', this.#url, '--site', site, ...args]);
    await until(() => / is ready/.test(worker.output), `the worker at ${site} is there`, 60_000);
    return worker;
  }

  #start(name: string, args: string[], env: Record<string, string> = {}): HoldfastProcess {
    const clean = Object.entries(process.env).filter(([key]) => !/^(HOLDFAST_|DATABASE_URL)/.test(key));
    const cwd = join(this.dir, name);
    mkdirSync(cwd, { recursive: true });
    const program = new HoldfastProcess(args, {
      cwd,
      env: { ...Object.fromEntries(clean), XDG_CONFIG_HOME: join(this.dir, 'no-config'), ...env },
    });
    this.#started.push(program);
    program.start();
    return program;
  }

  write(path: string, text = ''): void {
    const file = join(this.dir, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }

  lines(path: string): string[] {
    const file = join(this.dir, path);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }

  async call(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Hands in a request; `texts` are the files that its spec names. */
  submit(spec: Record<string, unknown>, texts: Record<string, string> = {}): Promise<Answer> {
    const body = { spec: JSON.stringify(requestSpec(spec)), files: { texts, lists: {} } };
    return this.call('POST', '/requests', body);
  }

  async show(name: string): Promise<RequestRecord> {
    const { status, body } = await this.call('GET', `/requests/${name}`);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body as unknown as RequestRecord;
  }

  /** Polls until the request is in the state. */
  async reaches(name: string, state: RequestRecord['status']): Promise<RequestRecord> {
    await until(async () => (await this.show(name)).status === state, `${name} is ${state}`, 60_000);
    return this.show(name);
  }

  /** Attempts of all rounds with the names of their sites. */
  async attempts(name: string): Promise<(AttemptRecord & { site: string })[]> {
    const engine = this.#engine();
    const workers = new Map((await engine.listWorkers()).items.map(({ id, site }) => [id, site]));
    const found = [];
    for (const { workflow_id } of (await this.show(name)).rounds) {
      for (const attempt of (await engine.listAttempts(workflow_id, ALL)).items) {
        found.push({ ...attempt, site: workers.get(attempt.worker_id!) ?? '?' });
      }
    }
    return found;
  }

  #engine(): Engine {
    const client = connect(this.#url);
    this.#clients.push(client);
    return client.engine;
  }

  async destroy(): Promise<void> {
    for (const client of this.#clients) await client.close();
    // Workers first, so that their jobs end with them.
    for (const each of this.#started.reverse()) await each.end('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function makeServers({ onTestFinished }: TestContext): RequestServers {
  const servers = new RequestServers();
  onTestFinished(() => servers.destroy());
  return servers;
}
