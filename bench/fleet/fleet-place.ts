import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { HttpEngine } from '../../src/client/http-engine.ts';
import { inTempDir } from '../measure.ts';
import { parentOf, processorMs, processorMsWithChildren } from '../postgres.ts';
import { createJobs, serve } from '../server-bench.ts';

/** Processor time in milliseconds, and what went over the connection to PostgreSQL. */
export interface Cost {
  server: number;
  database: number;
  statements: number;
  walBytes: number;
}

interface Served {
  server: ChildProcess;
  url: string;
  engine: HttpEngine;
}

/** Servers on one PostgreSQL. */
export class FleetPlace {
  readonly servers: readonly Served[];
  readonly #database: pg.Client;
  /** The process of PostgreSQL that has all others as children. */
  readonly #postmaster: number;

  private constructor(servers: Served[], database: pg.Client, postmaster: number) {
    this.servers = servers;
    this.#database = database;
    this.#postmaster = postmaster;
  }

  static async open(url: string, count: number): Promise<FleetPlace> {
    const servers: Served[] = [];
    const database = new pg.Client({ connectionString: url });
    // An interrupt may reach PostgreSQL first.
    database.on('error', () => {});
    try {
      // One after the other: the first makes the tables.
      for (let index = 0; index < count; index += 1) {
        const env = { DATABASE_URL: url, HOLDFAST_CONNECTIONS_PER_ADDRESS: '10000' };
        const served = await inTempDir((dir) => serve(dir, env));
        servers.push({ ...served, engine: new HttpEngine({ url: served.url, token: null }) });
      }
      await database.connect();
      await database.query('create extension pg_stat_statements');
      const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
      return new FleetPlace(servers, database, parentOf(rows[0]!.pid)!);
    } catch (error) {
      await closeAll(servers);
      await database.end();
      throw error;
    }
  }

  /** The id of their workflow. */
  create(jobs: number): Promise<number> {
    return createJobs(this.servers[0]!.engine, jobs);
  }

  async cost(): Promise<Cost> {
    const { rows } = await this.#database.query<{ statements: number; wal: number }>(
      `select (select sum(calls) from pg_stat_statements)::float8 as statements,
         pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`,
    );
    return {
      server: this.servers.reduce((sum, { server: { pid } }) => sum + processorMs(pid!), 0),
      database: processorMsWithChildren(this.#postmaster),
      statements: rows[0]!.statements,
      walBytes: rows[0]!.wal,
    };
  }

  async storedBytes(): Promise<number> {
    const sql = 'select pg_database_size(current_database())::float8 as bytes';
    return (await this.#database.query<{ bytes: number }>(sql)).rows[0]!.bytes;
  }

  /** Answers to long polls so far. */
  async polls(): Promise<number> {
    const counts = this.servers.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return [...text.matchAll(/^holdfast_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)]
        .filter(([, labels]) => labels!.includes('/news'))
        .reduce((sum, [, , count]) => sum + Number(count), 0);
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    await closeAll(this.servers);
    await this.#database.end();
  }
}

async function closeAll(servers: readonly Served[]): Promise<void> {
  await Promise.all(
    servers.map(async ({ server, engine }) => {
      await engine.close();
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    }),
  );
}
