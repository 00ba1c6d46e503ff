import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultProxy, type Faults } from '../test/chaos/fault-proxy.ts';
import { HoldfastProcess } from '../test/chaos/holdfast-process.ts';
import { kill } from '../test/kill-process.ts';
import { freePort, type PostgresWorld, startPostgres } from '../test/postgres/postgres-world.ts';
import { MachineClock } from './clock.ts';
import { SmallDisk } from './small-disk.ts';

/** Short, so that it ends many times in a campaign. */
export const LEASE_MS = 6_000;
const DISK_MB = 24;
/** As a service manager would restart what has ended. */
const RESTART_MS = 1_000;

export type Database = 'sqlite' | 'postgres';

export interface WorldSize {
  database: Database;
  servers: number;
  workers: number;
}

/** Servers on one database, workers in directories of their own, and a bad network between them. All processes are real. */
export class World {
  readonly dir = mkdtempSync(join(tmpdir(), 'holdfast-campaign-'));
  /** What jobs write, on a disk that is never full. */
  readonly ledger = join(this.dir, 'ledger');
  readonly database: Database;
  readonly servers: HoldfastProcess[] = [];
  readonly workers: HoldfastProcess[] = [];
  readonly serverClock: MachineClock;
  readonly workerClock: MachineClock;
  readonly driverClock: MachineClock;
  /** Why some faults cannot be had here. */
  readonly lacks: string[] = [];
  postgres: PostgresWorld | null = null;
  databaseUrl: string | null = null;
  /** It takes one order at a time. */
  isPostgresBusy = false;
  /** What the network does while nothing worse happens to it; null: nothing is lost. */
  usualNetwork: Faults | null = null;
  proxy!: FaultProxy;
  stateDisk: SmallDisk | null = null;
  outputDisk: SmallDisk | null = null;
  readonly #urls: string[] = [];
  readonly #mark = randomUUID();
  readonly #disks: SmallDisk[] = [];
  #restarts: NodeJS.Timeout | undefined;

  private constructor(database: Database) {
    this.database = database;
    mkdirSync(this.ledger);
    this.serverClock = new MachineClock(this.dir, 'servers');
    this.workerClock = new MachineClock(this.dir, 'workers');
    this.driverClock = new MachineClock(this.dir, 'drivers');
  }

  static async start({ database, servers, workers }: WorldSize, random: () => number): Promise<World> {
    const world = new World(database);
    const extra: Record<string, string> = {};
    if (database === 'postgres') {
      world.postgres = await startPostgres();
      world.databaseUrl = await world.postgres.createDatabase();
      extra.DATABASE_URL = world.databaseUrl;
    } else {
      world.stateDisk = world.mountDisk('server0/.holdfast');
    }
    for (let index = 0; index < (database === 'sqlite' ? 1 : servers); index += 1) {
      const port = await freePort();
      world.#urls.push(`http://127.0.0.1:${port}`);
      const args = ['serve', '--port', String(port), '--log-level', 'warn'];
      world.servers.push(world.process(`server${index}`, args, { ...world.serverClock.env, ...extra }));
    }
    world.proxy = await FaultProxy.start(() => world.urls, random);
    world.outputDisk = world.mountDisk('worker0/output');
    for (let index = 0; index < workers; index += 1) {
      const args = ['worker', '--server', world.proxy.url, '--cpus', '2', '--lease', `${LEASE_MS}ms`];
      world.workers.push(world.process(`worker${index}`, args, world.workerClock.env));
    }
    for (const each of [...world.servers, ...world.workers]) each.start();
    world.#restarts = setInterval(() => world.#restart(), RESTART_MS);
    return world;
  }

  /** What was broken when, for those who look at a directory that was kept. */
  note(text: string): void {
    appendFileSync(join(this.dir, 'faults.log'), `${new Date().toISOString()} ${text}\n`);
  }

  /** Addresses of the servers that are up. */
  get urls(): string[] {
    return this.#urls.filter((_, index) => this.servers[index]!.isUp);
  }

  mountDisk(name: string): SmallDisk | null {
    const disk = SmallDisk.mount(join(this.dir, name), DISK_MB);
    if (typeof disk === 'string') {
      if (!this.lacks.includes(disk)) this.lacks.push(disk);
      return null;
    }
    this.#disks.push(disk);
    return disk;
  }

  /** A `holdfast` process of this world, in a directory of its own. */
  process(name: string, args: string[], more: Record<string, string> = {}): HoldfastProcess {
    const clean = Object.entries(process.env).filter(([key]) => !/^(HOLDFAST_|DATABASE_URL)/.test(key));
    const cwd = join(this.dir, name);
    mkdirSync(cwd, { recursive: true });
    const env = {
      ...Object.fromEntries(clean),
      XDG_CONFIG_HOME: join(this.dir, 'no-config'),
      HOLDFAST_CHAOS: this.#mark,
      CHAOS_DIR: this.ledger,
      ...more,
    };
    return new HoldfastProcess(args, { cwd, env });
  }

  /** Processes of this world whose command line holds the words. */
  pids(words: string): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => holds(pid, 'cmdline', words) && holds(pid, 'environ', this.#mark));
  }

  launchers(): number[] {
    return withoutChildren(this.pids('dist/launcher.cjs'));
  }

  /** Processes that jobs have started. */
  jobPids(): number[] {
    return this.pids('').filter((pid) => holds(pid, 'environ', 'HOLDFAST_ATTEMPT_TOKEN='));
  }

  /** Lines of servers and workers that only a crash prints. */
  crashes(): string[] {
    const lines = [...this.servers, ...this.workers].flatMap(({ output }) => output.split('\n'));
    return lines.filter((line) => /^\s+at .*:\d+:\d+|Unhandled|"code":"BUG"/.test(line));
  }

  #restart(): void {
    for (const each of [...this.servers, ...this.workers]) each.start();
  }

  /** Nothing is broken any more. */
  heal(): void {
    this.usualNetwork = null;
    this.proxy.faults = null;
    for (const clock of [this.serverClock, this.workerClock, this.driverClock]) clock.set(0);
    for (const each of [...this.servers, ...this.workers]) each.unpause();
    this.#restart();
    for (const pid of this.launchers()) kill(pid, 'SIGCONT');
  }

  /** Ends everything; its files are kept or removed. */
  async stop({ keep }: { keep: boolean }): Promise<void> {
    clearInterval(this.#restarts);
    for (const pid of this.pids('')) kill(pid, 'SIGCONT');
    await Promise.all(this.workers.map((worker) => worker.end('SIGKILL')));
    await Promise.all(this.servers.map((server) => server.end('SIGKILL')));
    for (const pid of this.pids('')) kill(pid);
    this.proxy.stop();
    await this.postgres?.remove();
    if (keep) return;
    for (const disk of this.#disks) disk.unmount();
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whether the command line or the environment of a process has these words. */
/**
 * A process that a launcher has just forked for a job has the launcher's command line until it becomes the job. A kill that
 * hits it ends the job, not the launcher.
 */
export function withoutChildren(pids: number[]): number[] {
  return pids.filter((pid) => {
    try {
      const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
      return !pids.includes(Number(parent));
    } catch {
      return false;
    }
  });
}

export function holds(pid: number, file: 'cmdline' | 'environ', words: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(words);
  } catch {
    return false;
  }
}
