import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutChildren } from '../../chaos/world.ts';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { freePort, type PostgresWorld, startPostgres } from '../postgres/postgres-world.ts';
import { FaultProxy } from './fault-proxy.ts';
import { HoldfastProcess } from './holdfast-process.ts';

/** Short, so that a test sees it end. */
export const LEASE_MS = 6_000;

/** Servers on one PostgreSQL, workers in directories of their own, and a bad network between them. All processes are real. */
export class ChaosWorld {
  readonly dir: string;
  readonly postgres: PostgresWorld;
  readonly engine: ServedEngine;
  readonly proxy: FaultProxy;
  readonly servers: HoldfastProcess[];
  readonly workers: HoldfastProcess[];
  readonly #mark: string;

  private constructor(
    parts: Pick<ChaosWorld, 'dir' | 'postgres' | 'engine' | 'proxy' | 'servers' | 'workers'> & {
      mark: string;
    },
  ) {
    this.dir = parts.dir;
    this.postgres = parts.postgres;
    this.engine = parts.engine;
    this.proxy = parts.proxy;
    this.servers = parts.servers;
    this.workers = parts.workers;
    this.#mark = parts.mark;
  }

  static async start(counts: { servers: number; workers: number }): Promise<ChaosWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'));
    const postgres = await startPostgres();
    const url = await postgres.createDatabase();
    const engine = await openEngine({
      dir: join(dir, 'look'),
      create: true,
      databaseUrl: url,
    });
    const mark = `HOLDFAST_CHAOS=${randomUUID()}`;
    const [name, value] = mark.split('=') as [string, string];
    const clean = Object.entries(process.env).filter(([key]) => !key.startsWith('HOLDFAST_'));
    const env = {
      ...Object.fromEntries(clean),
      XDG_CONFIG_HOME: join(dir, 'no-config'),
      [name]: value,
      CHAOS_DIR: join(dir, 'jobs'),
    };
    mkdirSync(join(dir, 'jobs'));
    const home = (kind: string) => {
      const cwd = join(dir, kind);
      mkdirSync(cwd);
      return cwd;
    };
    const servers: HoldfastProcess[] = [];
    const urls: string[] = [];
    for (let index = 0; index < counts.servers; index += 1) {
      const port = await freePort();
      urls.push(`http://127.0.0.1:${port}`);
      const args = ['serve', '--port', String(port), '--log-level', 'warn'];
      servers.push(
        new HoldfastProcess(args, { cwd: home(`server${index}`), env: { ...env, DATABASE_URL: url } }),
      );
    }
    const proxy = await FaultProxy.start(() => urls.filter((_, index) => servers[index]!.isUp));
    const workers = Array.from({ length: counts.workers }, (_, index) => {
      const args = ['worker', '--server', proxy.url, '--cpus', '2', '--lease', `${LEASE_MS}ms`];
      return new HoldfastProcess(args, { cwd: home(`worker${index}`), env });
    });
    for (const each of [...servers, ...workers]) each.start();
    return new ChaosWorld({ dir, postgres, engine, proxy, servers, workers, mark });
  }

  async submit(spec: object): Promise<number> {
    const loaded = loadSpec(JSON.stringify(spec), 'chaos.json');
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const place = { cwd: '.', output_dir: 'output', actor: 'chaos', shared: true };
    return (await this.engine.createWorkflow({ model: loaded.model, ...place })).id;
  }

  /** Lines that the job itself has written. */
  linesOf(workflowId: number, jobId: number): string[] {
    try {
      return readFileSync(join(this.dir, 'jobs', `${workflowId}-${jobId}`), 'utf8')
        .trim()
        .split('\n');
    } catch {
      return [];
    }
  }

  launchers(): number[] {
    return withoutChildren(this.processes('dist/launcher.cjs'));
  }

  /** Processes of this world whose command line holds the words. */
  processes(words: string): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => isOf(pid, 'cmdline', words) && isOf(pid, 'environ', this.#mark));
  }

  async stop(): Promise<void> {
    this.proxy.faults = null;
    for (const pid of this.processes('')) signal(pid, 'SIGCONT');
    await Promise.all(this.workers.map((worker) => worker.end('SIGKILL')));
    await Promise.all(this.servers.map((server) => server.end('SIGKILL')));
    for (const pid of this.processes('')) signal(pid, 'SIGKILL');
    this.proxy.stop();
    await this.engine.close().catch(() => {});
    await this.postgres.remove();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function isOf(pid: number, file: 'cmdline' | 'environ', words: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(words);
  } catch {
    return false;
  }
}
