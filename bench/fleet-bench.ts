import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { HttpEngine } from '../src/client/http-engine.ts';
import type { Claim, RegisteredWorker } from '../src/contract/records/exchange.ts';
import { WORKER_SECRET } from '../src/contract/request-headers.ts';
import { ownIdentity } from '../src/host/process-identity.ts';
import { type BenchLine, inTempDir, percentile } from './measure.ts';
import { onPostgres, parentOf, processorMs, processorMsWithChildren } from './postgres.ts';
import { createJobs, reportsOf, serve } from './server-bench.ts';

/**
 * What a worker with one slot does while a job runs: it renews its lease, and waits for news by a long poll. A real one
 * renews every 10 s; these share the machine with the servers and are three times slower.
 */
const RENEW_MS = 30_000;
const POLL_MS = 20_000;
const JOB_MS = 180_000;

/** That of a worker which is a service. */
const LEASE_MS = 600_000;

const SERVERS = 2;
const CALIBRATION_WORKERS = 50;
const CALIBRATION_EXCHANGES = 4_000;
const AT_ONCE = 25;
const MEASURED_MS = 30_000;

/** Processor time in milliseconds. */
interface Cost {
  server: number;
  database: number;
}

/** What one of each costs. */
interface Constants {
  renewal: Cost;
  /** An exchange that ends one job and claims one. */
  completion: Cost;
  /** A long poll that ends without news. */
  poll: Cost;
  /** Of the database, for each job from its creation to its end. */
  storedBytes: number;
  walBytes: number;
}

/**
 * Many workers at two servers on one PostgreSQL. What an exchange, a completion and a long poll cost is measured with few
 * workers; the load of many follows from it, and is compared with what it really is.
 */
export async function benchFleet(workers: number): Promise<BenchLine[]> {
  return onPostgres(async (url) => {
    const place = await Place.open(url);
    try {
      const constants = await calibrate(place);
      report(constants);
      const fleet = await runFleet(place, workers);
      return compare(workers, constants, fleet);
    } finally {
      await place.close();
    }
  });
}

function compare(workers: number, constants: Constants, fleet: Fleet): BenchLine[] {
  const line = (part: keyof Cost, name: string): BenchLine => {
    const { renewal, completion, poll } = constants;
    const predicted =
      fleet.renewals * renewal[part] + fleet.completions * completion[part] + fleet.polls * poll[part];
    const ratio = fleet.cost[part] / predicted;
    return {
      name: `${workers.toLocaleString('en')} workers: ${name}`,
      value: fleet.cost[part] / fleet.ms,
      unit: 'cores',
      ratio,
      against: `the model: ${(predicted / fleet.ms).toFixed(2)} cores`,
      aim: '0.75 to 1.25',
      met: ratio >= 0.75 && ratio <= 1.25,
    };
  };
  return [
    line('server', 'both servers'),
    line('database', 'PostgreSQL'),
    {
      name: `${workers.toLocaleString('en')} workers: an exchange, p99`,
      value: fleet.p99Ms,
      unit: 'ms',
      ratio: null,
      against: `${Math.round(((fleet.renewals + fleet.completions) * 1000) / fleet.ms)} exchanges/s, ${Math.round((fleet.completions * 1000) / fleet.ms)} completions/s`,
      aim: '',
      met: null,
    },
  ];
}

function report({ renewal, completion, poll, storedBytes, walBytes }: Constants): void {
  const cost = ({ server, database }: Cost) =>
    `${server.toFixed(2)} ms server, ${database.toFixed(2)} ms PostgreSQL`;
  process.stderr.write(
    `a renewal: ${cost(renewal)}\na completion: ${cost(completion)}\na long poll: ${cost(poll)}\n` +
      `a job: ${Math.round(storedBytes)} bytes stored, ${Math.round(walBytes)} bytes of WAL\n`,
  );
}

interface Served {
  server: ChildProcess;
  url: string;
  engine: HttpEngine;
}

/** The servers and their database. */
class Place {
  readonly #servers: Served[];
  readonly #database: pg.Client;
  /** The process of PostgreSQL that has all others as children. */
  readonly #postmaster: number;

  private constructor(servers: Served[], database: pg.Client, postmaster: number) {
    this.#servers = servers;
    this.#database = database;
    this.#postmaster = postmaster;
  }

  static async open(url: string): Promise<Place> {
    const servers: Served[] = [];
    // One after the other: the first makes the tables.
    for (let index = 0; index < SERVERS; index += 1) {
      const env = { DATABASE_URL: url, HOLDFAST_CONNECTIONS_PER_ADDRESS: '10000' };
      const served = await inTempDir((dir) => serve(dir, env));
      servers.push({ ...served, engine: new HttpEngine({ url: served.url, token: null }) });
    }
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    return new Place(servers, database, parentOf(rows[0]!.pid)!);
  }

  async create(jobs: number): Promise<void> {
    await createJobs(this.#servers[0]!.engine, jobs);
  }

  cost(): Cost {
    const server = this.#servers.reduce((sum, { server: { pid } }) => sum + processorMs(pid!), 0);
    return { server, database: processorMsWithChildren(this.#postmaster) };
  }

  async bytes(): Promise<{ stored: number; wal: number }> {
    const sql = `select pg_database_size(current_database())::float8 as stored,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`;
    return (await this.#database.query<{ stored: number; wal: number }>(sql)).rows[0]!;
  }

  async register(count: number): Promise<Hand[]> {
    const hands: Hand[] = [];
    await inParallel(count, async (index) => {
      const served = this.#servers[index % SERVERS]!;
      const identity = ownIdentity({ kind: 'service', cpus: 1, memory_bytes: 2 ** 30, lease_ms: LEASE_MS });
      hands.push(new Hand(served, await served.engine.registerWorker(identity)));
    });
    return hands;
  }

  async close(): Promise<void> {
    await this.#database.end();
    for (const { server, engine } of this.#servers) {
      await engine.close();
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    }
  }
}

/** Says what a worker with one slot would say, and runs nothing. */
class Hand {
  readonly #engine: HttpEngine;
  readonly #url: string;
  readonly #id: number;
  readonly #secret: string;
  #held: Claim[] = [];

  constructor({ engine, url }: Served, { id, secret }: RegisteredWorker) {
    this.#engine = engine;
    this.#url = url;
    this.#id = id;
    this.#secret = secret;
  }

  /** Renews the lease; nothing is asked for. */
  async renew(): Promise<void> {
    await this.#engine.exchange(this.#id, { started: [], finished: [], errands: [], capacity: null });
  }

  /** Ends what it has, and takes the next. */
  async complete(): Promise<void> {
    const finished = reportsOf(this.#held, 0);
    const capacity = { cpus: 1, memory_bytes: 2 ** 30, gpus: 0, slots: 1, default_cpus: 1 };
    const result = await this.#engine.exchange(this.#id, { started: [], finished, errands: [], capacity });
    this.#held = result.claims;
    if (this.#held.length === 0) throw new Error('the benchmark ran out of jobs');
  }

  /** A long poll that ends at once, without news. */
  async poll(): Promise<void> {
    const url = `${this.#url}/api/v1/workers/${this.#id}/news?timeout_ms=1`;
    const answer = await fetch(url, { headers: { [WORKER_SECRET]: this.#secret } });
    if (!answer.ok) throw new Error(`${url} answered with ${answer.status}`);
    await answer.text();
  }

  /** Returns the way to hang up. */
  listen(): () => void {
    return this.#engine.onChange(() => {}, this.#id);
  }
}

async function calibrate(place: Place): Promise<Constants> {
  const hands = await place.register(CALIBRATION_WORKERS);
  const before = await place.bytes();
  await place.create(CALIBRATION_EXCHANGES + 2 * CALIBRATION_WORKERS);
  // Servers compile what they run often: the first exchanges would be dearer.
  await inTurns(hands, 2 * CALIBRATION_WORKERS, (hand) => hand.complete());
  await inTurns(hands, CALIBRATION_EXCHANGES, (hand) => hand.renew());
  const each = async (work: (hand: Hand) => Promise<void>): Promise<Cost> => {
    const before = place.cost();
    await inTurns(hands, CALIBRATION_EXCHANGES, work);
    return perEach(before, place.cost(), CALIBRATION_EXCHANGES);
  };
  const renewal = await each((hand) => hand.renew());
  const completion = await each((hand) => hand.complete());
  const after = await place.bytes();
  const poll = await each((hand) => hand.poll());
  const jobs = CALIBRATION_EXCHANGES + CALIBRATION_WORKERS;
  return {
    renewal,
    completion,
    poll,
    storedBytes: (after.stored - before.stored) / jobs,
    walBytes: (after.wal - before.wal) / jobs,
  };
}

function perEach(before: Cost, after: Cost, count: number): Cost {
  return {
    server: (after.server - before.server) / count,
    database: (after.database - before.database) / count,
  };
}

async function inTurns(
  hands: readonly Hand[],
  count: number,
  work: (hand: Hand) => Promise<void>,
): Promise<void> {
  // A worker has one exchange at a time.
  let left = count;
  await Promise.all(
    hands.slice(0, AT_ONCE).map(async (_, first) => {
      for (let index = first; left > 0; index += AT_ONCE) {
        left -= 1;
        await work(hands[index % hands.length]!);
      }
    }),
  );
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) {
        next += 1;
        await work(next - 1);
      }
    }),
  );
}

interface Fleet {
  cost: Cost;
  ms: number;
  renewals: number;
  completions: number;
  polls: number;
  p99Ms: number;
}

async function runFleet(place: Place, workers: number): Promise<Fleet> {
  const hands = await place.register(workers);
  const jobs = Math.ceil(workers * (2 + MEASURED_MS / JOB_MS));
  await place.create(jobs);
  await inParallel(workers, (index) => hands[index]!.complete());
  const stops: (() => void)[] = [];
  const times: number[] = [];
  const facts = { renewals: 0, completions: 0, isOver: false };
  const courses = hands.map(async (hand, index) => {
    await sleep((index / workers) * RENEW_MS);
    stops.push(hand.listen());
    // Every sixth exchange of a worker ends its job; workers are at different ones.
    for (let turn = index % (JOB_MS / RENEW_MS); !facts.isOver; turn += 1) {
      const isEnd = turn % (JOB_MS / RENEW_MS) === 0;
      const begun = performance.now();
      await (isEnd ? hand.complete() : hand.renew());
      const ms = performance.now() - begun;
      times.push(ms);
      if (isEnd) facts.completions += 1;
      else facts.renewals += 1;
      await sleep(Math.max(0, RENEW_MS - ms));
    }
  });
  const working = Promise.all(courses);
  // A worker that fails ends the measurement.
  const pass = (ms: number) => Promise.race([sleep(ms), working]);
  // Until all are in their rhythm.
  await pass(RENEW_MS + POLL_MS);
  Object.assign(facts, { renewals: 0, completions: 0 });
  times.length = 0;
  const [before, begun] = [place.cost(), performance.now()];
  await pass(MEASURED_MS);
  const [after, ms] = [place.cost(), performance.now() - begun];
  const { renewals, completions } = facts;
  const p99Ms = percentile(times, 0.99);
  facts.isOver = true;
  for (const stop of stops) stop();
  await working;
  return {
    cost: perEach(before, after, 1),
    ms,
    renewals,
    completions,
    polls: (workers * ms) / POLL_MS,
    p99Ms,
  };
}
