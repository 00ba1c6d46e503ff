import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';

const CLOSE_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

/** Every row of every table that has ever had one, whatever refers to it; ids count from 1 again. */
const EMPTY = `do $$
declare name text;
begin
  set local session_replication_role = replica;
  for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    and relname <> 'schema_version' and pg_relation_size(oid) > 0 loop
    execute format('delete from %I', name);
  end loop;
  for name in select sequencename from pg_sequences where schemaname = 'public' and last_value is not null loop
    perform setval(format('%I', name)::regclass, 1, false);
  end loop;
end $$`;

/** A real PostgreSQL of one's own. It ends with the process that started it, however that ends. */
export class PostgresWorld {
  readonly url: string;
  readonly #guard: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: Interface;
  readonly #free: string[] = [];
  #databases = 0;

  constructor(guard: ChildProcessByStdio<Writable, Readable, null>, port: number) {
    this.#guard = guard;
    this.#answers = createInterface({ input: guard.stdout });
    this.url = this.#urlOf('postgres', port);
  }

  async order(order: 'initialise' | 'start' | 'stop' | 'kill' | 'pause' | 'unpause'): Promise<void> {
    const answer = once(this.#answers, 'line');
    this.#guard.stdin.write(`${order}\n`);
    const [line] = (await answer) as [string];
    if (line !== 'done') throw new Error(`PostgreSQL could not ${order}: ${line}`);
  }

  /** Starts again with the same data. */
  start(): Promise<void> {
    return this.order('start');
  }

  /** As an administrator would. */
  stop(): Promise<void> {
    return this.order('stop');
  }

  /** As a crash would. */
  kill(): Promise<void> {
    return this.order('kill');
  }

  /** Stands still: connections stay open and nothing is answered. */
  pause(): Promise<void> {
    return this.order('pause');
  }

  unpause(): Promise<void> {
    return this.order('unpause');
  }

  /** Every session ends in the middle of whatever it does. */
  async endSessions(url: string): Promise<void> {
    await this.ask(CLOSE_OTHERS, url);
  }

  /** Ends the server and removes its data. */
  async remove(): Promise<void> {
    // Without it, a process that waits for nothing else would end here, before what comes after this.
    this.#guard.ref();
    const ended = once(this.#guard, 'exit');
    this.#guard.stdin.end();
    await ended;
  }

  /** A database with nothing in it. */
  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `d${this.#databases}`;
    await this.ask(`create database ${name}`);
    return this.#urlOf(name, Number(new URL(this.url).port));
  }

  /**
   * A database with the schema and nothing else in it. Making one takes half a second, so that one that was given back
   * is emptied and used again.
   */
  async borrowDatabase(): Promise<{ url: string; giveBack(): Promise<void> }> {
    const url = this.#free.pop() ?? (await this.#createMigrated());
    return {
      url,
      giveBack: async () => {
        await this.ask(`${CLOSE_OTHERS}; ${EMPTY}`, url);
        this.#free.push(url);
      },
    };
  }

  async #createMigrated(): Promise<string> {
    const url = await this.createDatabase();
    await (await PostgresStore.open(url)).close();
    return url;
  }

  async dropDatabase(url: string): Promise<void> {
    await this.ask(`drop database if exists ${nameOf(url)} with (force)`);
  }

  /** As the administrator of the server. */
  async ask(sql: string, url = this.url): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  }

  #urlOf(database: string, port: number): string {
    return `postgres://holdfast:hold-fast@127.0.0.1:${port}/${database}`;
  }
}

export async function startPostgres(): Promise<PostgresWorld> {
  // PostgreSQL refuses to run as root; the other user must be able to reach its files.
  const isReachable = process.getuid?.() !== 0 || (statSync(tmpdir()).mode & 0o001) !== 0;
  const base = isReachable ? tmpdir() : '/tmp';
  const dir = mkdtempSync(join(base, 'holdfast-postgres-'));
  chmodSync(dir, 0o755);
  const port = await freePort();
  const script = fileURLToPath(new URL('postgres-guard.mjs', import.meta.url));
  const guard = spawn(process.execPath, [script, join(dir, 'data'), String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: dir },
    // Ctrl-C is for the tests; the guard ends when its input does.
    detached: true,
  });
  guard.unref();
  const world = new PostgresWorld(guard, port);
  await world.order('initialise');
  await world.order('start');
  return world;
}

let shared: Promise<PostgresWorld> | undefined;

/** One for all tests of this process. Each takes databases of its own, and leaves the server running. */
export function sharedPostgres(): Promise<PostgresWorld> {
  shared ??= startPostgres();
  return shared;
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Below those that outgoing connections take: what listens there can end and start again. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
