import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchLine, percentile } from '../measure.ts';
import { onPostgres } from '../postgres.ts';
import { calibrate } from './calibrate.ts';
import { type EventReader, openStream } from './event-readers.ts';
import { type Constants, costOf, type Load, type Rates, ratesOf } from './fleet-model.ts';
import { type Cost, FleetPlace } from './fleet-place.ts';
import { FleetProcess } from './fleet-process.ts';
import type { Rhythm } from './fleet-worker.ts';

const SERVERS = 2;
const READERS = 20;
/** Each worker holds a connection, and each process may open only so many files. */
const WORKERS_PER_PROCESS = 2_500;
/** A real worker renews every 10 s and waits 20 s for news. These share two cores with the servers and PostgreSQL. */
const RHYTHM = { renewMs: 30_000, pollMs: 20_000, exchangesPerJob: 6 };
/** Of more workers than this, each does everything so much less often that together they do as much as these. */
const AT_FULL_RATE = 2_000;
/** Besides the connections of workers: files of the server, connections to the database, readers. */
const OTHER_FILES = 500;
const PROGRESS_MS = 10_000;
const MEASURED_MS = 40_000;

/**
 * Many workers at two servers on one PostgreSQL. What things cost is measured with few workers; what many cost is predicted
 * from that, and compared with what they really cost. All of them are full, and jobs wait.
 */
export async function benchFleet(workers: number): Promise<BenchLine[]> {
  checkOpenFiles(workers);
  const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(() => {
    throw new Error('the benchmark was interrupted');
  });
  interrupted.catch(() => {});
  const flags = ['-c', 'shared_preload_libraries=pg_stat_statements'];
  return onPostgres(async (url) => {
    const place = await FleetPlace.open(url, SERVERS);
    const processes: FleetProcess[] = [];
    try {
      return await Promise.race([measure(place, workers, processes), interrupted]);
    } finally {
      await Promise.all(processes.map((each) => each.stop()));
      await place.close();
    }
  }, flags);
}

async function measure(place: FleetPlace, workers: number, processes: FleetProcess[]): Promise<BenchLine[]> {
  const load: Load = { workers, rhythm: rhythmOf(workers), readers: READERS };
  const constants = await calibrate(place, ratesOf(load));
  report(constants);
  const fleet = await runFleet(place, load, processes);
  return compare(load, constants, fleet);
}

/** A worker holds a connection for news and one for exchanges, at both ends of each. */
function checkOpenFiles(workers: number): void {
  const needed = Math.max(
    2 * Math.ceil(workers / SERVERS) + OTHER_FILES,
    2 * Math.min(workers, WORKERS_PER_PROCESS) + OTHER_FILES,
  );
  const [, most = ''] =
    /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  if (most === 'unlimited' || Number(most) >= needed) return;
  throw new Error(
    `${workers} workers need ${needed} open files in one process, and ${most} are allowed; raise the limit with \`ulimit -n ${needed}\``,
  );
}

function rhythmOf(workers: number): Rhythm {
  const factor = Math.max(1, workers / AT_FULL_RATE);
  const { renewMs, pollMs, exchangesPerJob } = RHYTHM;
  // A long poll has one length, as it has in real workers.
  return { renewMs: renewMs * factor, pollMs, exchangesPerJob };
}

interface Fleet {
  /** Each second. */
  cost: Cost;
  rates: Rates;
  wakes: number;
  p99Ms: number;
}

async function runFleet(place: FleetPlace, load: Load, processes: FleetProcess[]): Promise<Fleet> {
  const { workers, rhythm, readers } = load;
  const workflow = await place.create(Math.ceil(workers * 1.5));
  const count = Math.max(SERVERS, Math.ceil(workers / WORKERS_PER_PROCESS));
  for (let index = 0; index < count; index += 1) processes.push(new FleetProcess());
  const failed = Promise.race(processes.map((each) => each.failed));
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 1000);
  const progress = setInterval(() => {
    const there = processes.reduce((sum, { registered }) => sum + registered, 0);
    process.stderr.write(`${there} of ${workers} workers are registered after ${seconds()} s\n`);
  }, PROGRESS_MS);
  await Promise.all(
    processes.map((each, first) =>
      each.begin({ url: place.servers[first % SERVERS]!.url, first, step: count, total: workers, rhythm }),
    ),
  ).finally(() => clearInterval(progress));
  process.stderr.write(`${workers} workers are registered after ${seconds()} s\n`);
  const streams = await Promise.all(
    Array.from({ length: readers }, (_, index) => openStream(place.servers[index % SERVERS]!.url, workflow)),
  );
  // Until every worker has begun: they renew for the first time, and wait for news, spread over their intervals.
  await Promise.race([sleep(Math.max(rhythm.renewMs, rhythm.pollMs) + 2_000), failed]);
  const [before, polls, start] = [await place.cost(), await place.polls(), performance.now()];
  await countAll(processes);
  countReadings(streams);
  await Promise.race([sleep(MEASURED_MS), failed]);
  const [after, pollsAfter, end] = [await place.cost(), await place.polls(), performance.now()];
  const counts = await countAll(processes);
  const perSecond = (amount: number) => (amount * 1000) / (end - start);
  const reading = perSecond(countReadings(streams));
  for (const stream of streams) stream.stop();
  return {
    cost: {
      server: perSecond(after.server - before.server),
      database: perSecond(after.database - before.database),
      statements: perSecond(after.statements - before.statements),
      walBytes: perSecond(after.walBytes - before.walBytes),
    },
    rates: {
      renewal: perSecond(counts.renewals),
      completion: perSecond(counts.completions),
      poll: perSecond(pollsAfter - polls),
      reading,
    },
    wakes: perSecond(counts.wakes),
    p99Ms: percentile(counts.exchangeMs, 0.99),
  };
}

async function countAll(processes: readonly FleetProcess[]) {
  const all = await Promise.all(processes.map((each) => each.counts()));
  const sum = (part: 'renewals' | 'completions' | 'wakes') =>
    all.reduce((total, counts) => total + counts[part], 0);
  return {
    renewals: sum('renewals'),
    completions: sum('completions'),
    wakes: sum('wakes'),
    exchangeMs: all.flatMap(({ exchangeMs }) => exchangeMs),
  };
}

function countReadings(streams: readonly EventReader[]): number {
  return streams.reduce((sum, stream) => sum + stream.take(), 0);
}

function compare(load: Load, constants: Constants, fleet: Fleet): BenchLine[] {
  const rates = ratesOf(load);
  const cost = costOf(rates, constants);
  const line = (name: string, unit: string, measured: number, predicted: number): BenchLine => {
    const ratio = measured / predicted;
    return {
      name: `${load.workers.toLocaleString('en')} workers: ${name}`,
      value: measured,
      unit,
      ratio,
      against: `the model: ${predicted.toFixed(predicted < 10 ? 2 : 0)}`,
      aim: '0.75 to 1.25',
      met: ratio >= 0.75 && ratio <= 1.25,
    };
  };
  const { rates: measured } = fleet;
  return [
    line('renewals', 'per s', measured.renewal, rates.renewal),
    line('completions', 'per s', measured.completion, rates.completion),
    line('long polls', 'per s', measured.poll, rates.poll),
    line(`${load.readers} event streams send`, 'per s', measured.reading, rates.reading),
    line('both servers', 'cores', fleet.cost.server / 1000, cost.server / 1000),
    line('PostgreSQL', 'cores', fleet.cost.database / 1000, cost.database / 1000),
    line('statements', 'per s', fleet.cost.statements, cost.statements),
    line('WAL', 'KB per s', fleet.cost.walBytes / 1000, cost.walBytes / 1000),
    {
      name: `${load.workers.toLocaleString('en')} workers: an exchange, p99`,
      value: fleet.p99Ms,
      unit: 'ms',
      ratio: null,
      against: `${fleet.wakes.toFixed(1)} workers woken per s`,
      aim: '',
      met: null,
    },
  ];
}

function report(constants: Constants): void {
  const text = ({ server, database, statements, walBytes }: Cost) =>
    `${server.toFixed(2)} ms servers, ${database.toFixed(2)} ms PostgreSQL, ${statements.toFixed(1)} statements, ${Math.round(walBytes)} bytes of WAL`;
  process.stderr.write(
    [
      `two servers without load, each second: ${text(constants.idle)}`,
      `a renewal: ${text(constants.renewal)}`,
      `a completion: ${text(constants.completion)}`,
      `a long poll: ${text(constants.poll)}`,
      `an event stream sends: ${text(constants.reading)}`,
      `an exchange that renews: ${Math.round(constants.renewalBytes)} bytes of JSON; one that completes: ${Math.round(constants.completionBytes)}`,
      `a job: ${Math.round(constants.storedBytes)} bytes stored`,
      '',
    ].join('\n'),
  );
}
