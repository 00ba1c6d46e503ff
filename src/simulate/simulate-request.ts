import { allPages } from '../contract/all-pages.ts';
import type { NewRequest, ServedEngine } from '../contract/engine.ts';
import type { HoldRecord, RequestRecord } from '../contract/records/request.ts';
import { openMemoryEngine } from '../engine/open-engine.ts';
import { playWorkers } from './play-workers.ts';
import { playedRounds, type Releases, type SimulatedRound, unitNumbers } from './played-rounds.ts';
import type { RequestCourse } from './request-course.ts';
import { SimulatedWorker } from './simulated-worker.ts';

/** What `simulate` played of a request; `--output json` prints it. */
export interface RequestSimulation {
  request: string;
  sites: string[];
  rounds: SimulatedRound[];
  status: RequestRecord['status'];
  hold: HoldRecord | null;
  /** `rounds`, `executions`: the simulation was stopped there, and more would follow. `stuck`: nothing can run. */
  end: 'completed' | 'held' | 'rounds' | 'executions' | 'stuck';
  /** What `run` would exit with; null if the request did not come to an end. */
  exit_code: number | null;
  executions: number;
  ends_at_ms: number;
  work: RequestRecord['work'];
  delivered: string;
  total: string;
  cursor: string | null;
  items: RequestRecord['items'];
  excluded: { item: string; reason: string | null }[];
  /** Outcomes that were given and not used. */
  unused: string[];
}

export interface RequestSimulationOptions {
  sites: readonly string[];
  /** How often a held request is released. */
  releases: number;
  maxRounds: number;
}

const EXIT: Partial<Record<RequestSimulation['end'], number>> = { completed: 0, held: 3 };
/** Each site takes so many parts of a round in turn, so that every site gets some of it. */
const TURNS = 10;

/** Plays a request on an engine of its own: plans its rounds, and has workers at its sites work on them. */
export async function simulateRequest(
  request: NewRequest,
  course: RequestCourse,
  options: RequestSimulationOptions,
): Promise<RequestSimulation> {
  const beginning = Date.now();
  const clock = { now: beginning };
  const engine = openMemoryEngine(() => clock.now);
  const workers = options.sites.map(
    (site) => new SimulatedWorker(engine, clock, course, { site, labels: labelsOf(request) }),
  );
  try {
    const { request_name: name } = await engine.createRequest({
      ...request,
      shared: true,
      actor: 'simulate',
    });
    const { end, releases } = await play(engine, name, { workers, clock, course, options });
    const record = await engine.getRequest(name);
    course.refuseUnknownUnits(await lastUnit(engine, request, record));
    return {
      request: name,
      sites: [...options.sites],
      rounds: await playedRounds(engine, name, releases, beginning),
      status: record.status,
      hold: record.hold,
      end,
      exit_code: EXIT[end] ?? null,
      executions: countExecutions(workers),
      ends_at_ms: clock.now - beginning,
      work: record.work,
      delivered: record.delivered,
      total: record.total,
      cursor: record.cursor,
      items: record.items,
      excluded: record.items === null ? [] : await excludedOf(engine, name),
      unused: course.unused(),
    };
  } finally {
    for (const worker of workers) await worker.stop();
    await engine.close();
  }
}

interface Play {
  workers: SimulatedWorker[];
  clock: { now: number };
  course: RequestCourse;
  options: RequestSimulationOptions;
}

async function play(
  engine: ServedEngine,
  name: string,
  { workers, clock, course, options }: Play,
): Promise<{ end: RequestSimulation['end']; releases: Releases }> {
  const releases: Releases = new Map();
  let left = options.releases;
  // Workers are known to the request before it is planned, as they are at a server.
  for (const worker of workers) await worker.exchange(0);
  for (;;) {
    const request = await engine.getRequest(name);
    const { status, hold, round_count: rounds } = request;
    if (status === 'COMPLETED') return { end: 'completed', releases };
    if (status === 'HELD') {
      if (left === 0) return { end: 'held', releases };
      left -= 1;
      releases.set(rounds, hold!);
      await engine.releaseRequest(name, { actor: 'simulate' });
    } else if (status === 'ACTIVE') {
      const slots = slotsOf(request, workers.length);
      const end = await playWorkers(workers, clock, {
        ...course,
        maxExecutions: course.maxExecutions,
        slots,
      });
      if (end !== 'quiet') return { end: 'executions', releases };
      if ((await engine.getRequest(name)).status === 'ACTIVE') return { end: 'stuck', releases };
    } else {
      if (status === 'QUEUED' && rounds >= options.maxRounds) return { end: 'rounds', releases };
      if (!(await engine.tendRequests({ most_active: 1 }))) return { end: 'stuck', releases };
    }
  }
}

/** One worker takes everything; several take turns. */
function slotsOf({ rounds }: RequestRecord, workers: number): number {
  const units = rounds.at(-1)?.units.total ?? 1;
  return workers === 1 ? 1_000_000 : Math.ceil(units / (workers * TURNS));
}

function countExecutions(workers: readonly SimulatedWorker[]): number {
  return workers.reduce((sum, { executions }) => sum + executions, 0);
}

function labelsOf({ model }: NewRequest): string[] {
  const jobs = [model.process, model.merge, model.cleanup];
  return [...new Set(jobs.flatMap((job) => job?.requirement.labels ?? []))];
}

/** The last unit that was planned, and those that what is left would need. */
async function lastUnit(engine: ServedEngine, { model }: NewRequest, record: RequestRecord): Promise<number> {
  const newest = record.rounds.at(-1);
  const units = newest === undefined ? [] : await unitNumbers(engine, record.request_name, newest.number);
  const planned = units.reduce((most, number) => Math.max(most, number), 0);
  const perUnit = BigInt(model.work.per_job) * BigInt(model.jobs_per_unit);
  const { items, delivered, total } = record;
  const left = items === null ? BigInt(total) - BigInt(delivered) : BigInt(items.fresh + items.attempted);
  return planned + (left <= 0n ? 0 : Number((left + perUnit - 1n) / perUnit));
}

async function excludedOf(engine: ServedEngine, name: string): Promise<RequestSimulation['excluded']> {
  const items = await allPages((page) => engine.listItems(name, { ...page, state: ['excluded'] }));
  return items.map(({ path, reason }) => ({ item: path, reason }));
}
