import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HoldfastProcess } from '../../test/chaos/holdfast-process.ts';
import { freePort, type PostgresWorld, startPostgres } from '../../test/postgres/postgres-world.ts';
import { type Database, holds } from '../world.ts';

const WORKERS = 2;
const START_MS = 30_000;

/** Memory and descriptors of one process and of its launchers. */
export interface ProcessHealth {
  megabytes: number;
  descriptors: number;
}

/** One server and two workers that nothing breaks. */
export class HealthWorld {
  readonly dir = mkdtempSync(join(tmpdir(), 'holdfast-health-'));
  readonly url: string;
  readonly #server: HoldfastProcess;
  readonly #workers: HoldfastProcess[];
  readonly #postgres: { world: PostgresWorld; url: string } | null;

  private constructor(port: number, postgres: { world: PostgresWorld; url: string } | null) {
    this.url = `http://127.0.0.1:${port}`;
    this.#postgres = postgres;
    const database = postgres === null ? {} : { DATABASE_URL: postgres.url };
    this.#server = this.#process(
      'server',
      ['serve', '--port', String(port), '--log-level', 'warn'],
      database,
    );
    this.#workers = Array.from({ length: WORKERS }, (_, index) =>
      this.#process(`worker${index}`, ['worker', '--server', this.url, '--cpus', '2']),
    );
  }

  static async start(database: Database): Promise<HealthWorld> {
    let postgres: { world: PostgresWorld; url: string } | null = null;
    if (database === 'postgres') {
      const server = await startPostgres();
      postgres = { world: server, url: await server.createDatabase() };
    }
    const world = new HealthWorld(await freePort(), postgres);
    world.#server.start();
    const end = performance.now() + START_MS;
    while (!(await world.#isListening())) {
      if (performance.now() > end) throw new Error(`the server does not listen: ${world.#server.output}`);
      await sleep(100);
    }
    for (const worker of world.#workers) worker.start();
    return world;
  }

  /** By the name under which they are plotted. */
  processes(): Record<string, ProcessHealth> {
    const named: [string, HoldfastProcess][] = [
      ['server', this.#server],
      ...this.#workers.map((worker, index): [string, HoldfastProcess] => [`worker ${index + 1}`, worker]),
    ];
    return Object.fromEntries(named.map(([name, { pid, output }]) => [name, healthOf(name, pid, output)]));
  }

  /** Of all that the database keeps on disk. */
  async databaseMegabytes(): Promise<number> {
    if (this.#postgres !== null) {
      const { world, url } = this.#postgres;
      const { rows } = await world.ask('select pg_database_size(current_database()) as bytes', url);
      return Number(rows[0].bytes) / 2 ** 20;
    }
    const state = join(this.dir, 'server', '.holdfast');
    const files = readdirSync(state).filter((name) => name.startsWith('holdfast.db'));
    return files.reduce((sum, name) => sum + statSync(join(state, name)).size, 0) / 2 ** 20;
  }

  /** As an administrator does: logs on the machines of workers are theirs to remove. */
  removeLogs(olderThanMs: number): void {
    for (const name of readdirSync(this.dir).filter((each) => each.startsWith('worker'))) {
      const logs = join(this.dir, name, 'output', 'job_stdio');
      let files: string[];
      try {
        files = readdirSync(logs);
      } catch {
        continue;
      }
      for (const file of files.map((each) => join(logs, each)))
        if (Date.now() - statSync(file).mtimeMs > olderThanMs) rmSync(file);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.end('SIGTERM')));
    await this.#server.end('SIGTERM');
    await this.#postgres?.world.remove();
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  #process(name: string, args: string[], more: Record<string, string> = {}): HoldfastProcess {
    const clean = Object.entries(process.env).filter(([key]) => !/^(HOLDFAST_|DATABASE_URL)/.test(key));
    const cwd = join(this.dir, name);
    mkdirSync(cwd);
    const env = { ...Object.fromEntries(clean), XDG_CONFIG_HOME: join(this.dir, 'no-config'), ...more };
    return new HoldfastProcess(args, { cwd, env });
  }

  async #isListening(): Promise<boolean> {
    return fetch(`${this.url}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
  }
}

function healthOf(name: string, pid: number | null, output: string): ProcessHealth {
  if (pid === null) throw new Error(`the ${name} has ended: ${output.slice(-1000)}`);
  const all = [pid, ...launchersOf(pid)].map(healthOfOne);
  return {
    megabytes: all.reduce((sum, { megabytes }) => sum + megabytes, 0),
    descriptors: all.reduce((sum, { descriptors }) => sum + descriptors, 0),
  };
}

function healthOfOne(pid: number): ProcessHealth {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { megabytes: Number(kilobytes) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

function launchersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.map(Number).filter((child) => holds(child, 'cmdline', 'launcher.cjs'));
}
