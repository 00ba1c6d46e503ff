import { setTimeout as sleep } from 'node:timers/promises';
import { openStream } from './event-readers.ts';
import type { Constants, Rates } from './fleet-model.ts';
import type { Cost, FleetPlace } from './fleet-place.ts';
import { FleetWorker, inParallel } from './fleet-worker.ts';

const WORKERS = 60;
/**
 * As often as in the fleet, as far as few workers can and one can count: exchanges that come together share a transaction
 * and are cheaper, and servers look for news once for all completions that come together.
 */
const RENEWALS_PER_SECOND = { least: 20, most: 150 };
const COMPLETIONS_PER_SECOND = { least: 5, most: 20 };
const POLLS_PER_SECOND = { least: 50, most: 500 };
const SECONDS = 15;
const READERS = 20;
const SETTLE_MS = 1_000;

/** Measures what each part of the load costs with few workers. */
export async function calibrate(place: FleetPlace, rates: Rates): Promise<Constants> {
  const completionsPerSecond = within(COMPLETIONS_PER_SECOND, rates.completion);
  const renewalsPerSecond = within(RENEWALS_PER_SECOND, rates.renewal);
  const pollsPerSecond = within(POLLS_PER_SECOND, rates.poll);
  const completions = completionsPerSecond * SECONDS;
  const serverAt = (index: number) => place.servers[index % place.servers.length]!;
  const before = await place.storedBytes();
  const jobs = 2 * completions + 400 + WORKERS;
  const workflow = await place.create(jobs);
  const workers: FleetWorker[] = [];
  await inParallel(WORKERS, 4, async (index) => {
    workers.push(await FleetWorker.register(serverAt(index).engine));
  });
  const at = (index: number) => workers[index % WORKERS]!;
  // Servers compile what they run often: the first exchanges would be dearer.
  await inParallel(400, 2, (index) => at(index).complete());
  await inParallel(800, 2, (index) => at(index).renew());
  await inParallel(1_600, 8, (index) => at(index).poll(serverAt(index).url));

  const idle = await spent(place, () => sleep(SECONDS * 1000));
  const ofOne = async (perSecond: number, work: (index: number) => Promise<void>): Promise<Cost> => {
    const count = SECONDS * perSecond;
    const all = await spent(place, () => paced(count, perSecond, work));
    return combined((part) => (all[part] - idle[part]) / count);
  };
  const renewing: FleetWorker[] = [];
  // Each renews once a second.
  await inParallel(renewalsPerSecond, 4, async (index) => {
    renewing.push(await FleetWorker.register(serverAt(index).engine));
  });
  const renewal = await ofOne(renewalsPerSecond, (index) => renewing[index % renewalsPerSecond]!.renew());
  const renewalBytes = sum(renewing.map((worker) => worker.bytes)) / (SECONDS * renewalsPerSecond);
  await inParallel(renewalsPerSecond, 4, (index) => renewing[index]!.leave());
  const poll = await ofOne(pollsPerSecond, (index) => at(index).poll(serverAt(index).url));
  const stops = workers.map((worker) => worker.listen());
  await sleep(SETTLE_MS);
  const complete = (index: number) => at(index).complete();
  const bytes = () => sum(workers.map((worker) => worker.bytes));
  const bytesBefore = bytes();
  const completion = await ofOne(completionsPerSecond, complete);
  const completionBytes = (bytes() - bytesBefore) / completions;
  const readers = await Promise.all(
    Array.from({ length: READERS }, (_, index) => openStream(serverAt(index).url, workflow)),
  );
  await sleep(SETTLE_MS);
  for (const reader of readers) reader.take();
  const withReaders = await ofOne(completionsPerSecond, complete);
  const readings = sum(readers.map((reader) => reader.take()));
  for (const stop of [...stops, ...readers.map((reader) => reader.stop)]) stop();
  return {
    idle: combined((part) => idle[part] / SECONDS),
    renewal,
    poll,
    completion,
    reading: combined((part) => ((withReaders[part] - completion[part]) * completions) / readings),
    renewalBytes,
    completionBytes,
    storedBytes: ((await place.storedBytes()) - before) / jobs,
  };
}

function within({ least, most }: { least: number; most: number }, rate: number): number {
  return Math.round(Math.min(most, Math.max(least, rate)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

async function spent(place: FleetPlace, work: () => Promise<unknown>): Promise<Cost> {
  const begun = await place.cost();
  await work();
  const ended = await place.cost();
  return combined((part) => ended[part] - begun[part]);
}

function combined(of: (part: keyof Cost) => number): Cost {
  return {
    server: of('server'),
    database: of('database'),
    statements: of('statements'),
    walBytes: of('walBytes'),
  };
}

/** At even intervals. */
async function paced(
  count: number,
  perSecond: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  const all: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    await sleep(Math.max(0, begun + (index * 1000) / perSecond - performance.now()));
    all.push(work(index));
  }
  await Promise.all(all);
}
