import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Capacity, Claim } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import {
  type Avoidance,
  eligibility,
  type JobNeed,
  type WorkerOffer,
} from '../../src/core/placement/eligibility.ts';
import { freeResources, takeResources } from '../../src/core/placement/resources.ts';
import type { Shortage } from '../../src/core/placement/shortage.ts';
import { ownIdentity } from '../../src/host/process-identity.ts';
import { courses } from '../property-runs.ts';
import { type Databases, type EngineWorld, NOTHING, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

type Offer = Required<
  Pick<
    Parameters<typeof ownIdentity>[0] & object,
    'site' | 'labels' | 'cpus' | 'memory_bytes' | 'gpus' | 'max_parallel'
  >
> & { nodes?: number; time_left_ms?: number };

interface Turn {
  worker: number;
  capacity: Capacity;
  /** Which of the claims fail, and how, so that they avoid where they did. */
  fails: ('worker' | 'site' | 'no')[];
  /** How long it is until the next turn. */
  passes: number;
}

interface Course {
  jobs: Omit<SimpleJob, 'name'>[];
  limits: { licence: number };
  maxParallel: number | undefined;
  workers: Offer[];
  turns: Turn[];
}

/** Keys of the second group are mostly absent. */
function withRare<T, U>(
  usual: { [K in keyof T]: fc.Arbitrary<T[K]> },
  rare: { [K in keyof U]: fc.Arbitrary<U[K]> },
) {
  const odd = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Partial<U>>({}) },
    { weight: 1, arbitrary: fc.record(rare, { requiredKeys: [] }) as fc.Arbitrary<Partial<U>> },
  );
  return fc.tuple(fc.record(usual) as fc.Arbitrary<T>, odd).map(([one, other]) => ({ ...one, ...other }));
}

const job = withRare(
  {
    cpus: fc.constantFrom(0.5, 1, 2, 3),
    labels: fc.constantFrom<string[][]>([], [], ['a'], ['b'], ['a', 'b']),
    priority: fc.constantFrom(0, 1),
    resources: fc.constantFrom<Record<string, number>[]>({}, {}, { licence: 1 }, { licence: 2 }),
  },
  {
    memoryBytes: fc.constantFrom(100, 300),
    gpus: fc.constantFrom(0, 1),
    nodes: fc.constantFrom(1, 2),
    timeoutMs: fc.constantFrom(1000, 100_000),
  },
);

const offer: fc.Arbitrary<Offer> = withRare(
  {
    site: fc.constantFrom('north', 'south'),
    labels: fc.constantFrom<string[][]>([], ['a'], ['a', 'b'], ['a', 'b']),
    cpus: fc.constantFrom(1, 4, 4),
    memory_bytes: fc.constantFrom(200, 1000, 1000),
    gpus: fc.constantFrom(0, 2),
    max_parallel: fc.constantFrom(1, 8),
  },
  { nodes: fc.constantFrom(1, 3), time_left_ms: fc.constantFrom(5000, 500_000) },
);

const capacity: fc.Arbitrary<Capacity> = withRare(
  {
    cpus: fc.constantFrom(0.5, 4, 8, 16),
    memory_bytes: fc.constantFrom(-1, 250, 1000, 5000, 5000),
    gpus: fc.constantFrom(0, 1, 4),
    slots: fc.constantFrom(0, 1, 3, 8, 8),
    default_cpus: fc.constantFrom(0.25, 1),
  },
  { nodes: fc.constantFrom(0, 1, 4), time_left_ms: fc.constantFrom(500, 50_000, 500_000) },
);

const course: fc.Arbitrary<Course> = fc.record({
  jobs: fc.array(job, { minLength: 1, maxLength: 8 }),
  limits: fc.constantFrom({ licence: 2 }, { licence: 4 }),
  maxParallel: fc.constantFrom(undefined, undefined, 2, 5),
  workers: fc.array(offer, { minLength: 2, maxLength: 3 }),
  turns: fc.array(
    fc.record({
      worker: fc.nat(2),
      capacity,
      fails: fc.array(fc.constantFrom<Turn['fails']>('worker', 'site', 'no'), { minLength: 8, maxLength: 8 }),
      passes: fc.constantFrom(0, 4000, 31_000),
    }),
    { minLength: 3, maxLength: 8 },
  ),
});

/** Jobs are claimed exactly as the rule says, one after the other. */
export function placementBehaviour(databases: Databases, runs: number): void {
  test('a job is claimed by a worker if and only if the rule says so', async () => {
    const world = await worldOf(simpleModel([{ name: 'other' }]), databases);
    const seen: Seen = new Map();
    await fc.assert(
      fc.asyncProperty(course, (each) => playCourse(world, each, seen)),
      { numRuns: courses(runs) },
    );
    // Many courses reach everything that a job can be short of.
    for (const kind of runs < MANY ? [] : KINDS) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(5);
  });
}

/** What a ready job waits for is shown with its holders. */
export function waitBehaviour(databases: Databases): void {
  const short = (kind: string) => expect.objectContaining({ kind });

  /** A shared workflow, and workers of a server with 8 CPUs each. */
  async function served(jobs: SimpleJob[], options: Parameters<typeof simpleModel>[1] = {}) {
    const world = await worldOf(simpleModel([{ name: 'other' }]), databases);
    const { engine } = world;
    const model = simpleModel(jobs, options);
    const { id } = await engine.createWorkflow({
      model,
      cwd: '.',
      output_dir: 'output',
      actor: 'test',
      shared: true,
    });
    return {
      world,
      worker: async (facts: Parameters<typeof ownIdentity>[0] = {}) => {
        const identity = ownIdentity({ kind: 'service', cpus: 8, memory_bytes: 1e9, ...facts });
        return (await engine.registerWorker({ ...identity, host: 'elsewhere' })).id;
      },
      claim: async (workerId: number, slots = 100) => {
        const capacity = { cpus: 8, memory_bytes: 1e9, gpus: 0, slots, default_cpus: 1 };
        return (await engine.exchange(workerId, { ...NOTHING, workflow_id: id, capacity })).claims;
      },
      fail: (workerId: number, claim: Claim, how: 'worker' | 'site') =>
        engine.exchange(workerId, { ...NOTHING, finished: [failureOf({ claim, how }, world.clock.now)] }),
      waits: async (job: string) => (await engine.explain(id, job)).waits,
      headline: async (job: string) => (await engine.explain(id, job)).headline,
    };
  }

  test('a job that waits for a limit of its workflow names who holds it', async () => {
    const sims = Array.from({ length: 12 }, (_, index) => ({
      name: `sim_${index}`,
      resources: { licence: 1 },
      priority: 1,
    }));
    const { worker, claim, waits, headline } = await served(
      [...sims, { name: 'free', priority: 1 }, { name: 'next', resources: { licence: 2 } }],
      { limits: { licence: 13 } },
    );
    const id = await worker({ cpus: 100 });
    expect(await waits('next')).toEqual([]);
    expect(await headline('next')).toBe('queued');
    for (let turn = 0; turn < 2; turn++) await claim(id);
    expect(await waits('next')).toMatchObject([
      { short: { kind: 'limit', name: 'licence', needed: 2, free: 1 }, total: 13, worker: null, holders: 12 },
    ]);
    const { held_by } = (await waits('next'))[0]!;
    expect(held_by.map(({ name }) => name)).toEqual(sims.slice(0, 10).map(({ name }) => name));
    expect(held_by[0]).toMatchObject({ amount: 1, workflow_id: 2 });
    expect(await headline('next')).toBe('queued, but no worker can take it now');
    expect(await waits('sim_0')).toEqual([]);
  });

  test('a job that waits for max_parallel names what runs', async () => {
    const { worker, claim, waits } = await served([{ name: 'a' }, { name: 'b' }], { maxParallel: 1 });
    await claim(await worker());
    expect(await waits('b')).toMatchObject([
      { short: short('max_parallel'), total: 1, held_by: [{ name: 'a', amount: 1 }], holders: 1 },
    ]);
  });

  test('a job that waits for a worker names what each is short of', async () => {
    const { worker, claim, waits } = await served([
      { name: 'large', cpus: 6, priority: 1 },
      { name: 'next', cpus: 4 },
      { name: 'trained', labels: ['gpu'] },
    ]);
    expect(await waits('next')).toMatchObject([{ short: { kind: 'no_worker' } }]);
    const id = await worker();
    await claim(id, 1);
    expect(await waits('next')).toMatchObject([
      {
        short: { kind: 'resource', resource: 'cpus', needed: 4, free: 2 },
        total: 8,
        worker: { id, host: 'elsewhere', site: 'local' },
        held_by: [{ name: 'large', amount: 6 }],
        holders: 1,
      },
    ]);
    expect(await waits('trained')).toMatchObject([
      { short: { kind: 'labels', missing: ['gpu'] }, worker: null },
    ]);
    await worker({ labels: ['gpu'] });
    expect(await waits('trained')).toEqual([]);
    expect(await waits('next')).toEqual([]);
  });

  test.each([
    ['worker', 'local', 'avoided_worker'],
    ['site', 'south', 'avoided_site'],
  ] as const)('a job that waits for another %s says until when', async (how, site, kind) => {
    const retry = { max_retries_failure: 3, initial_retry_delay_ms: 0 };
    const { world, worker, claim, fail, waits } = await served([{ name: 'flaky', retry }]);
    const first = await worker();
    const [attempt] = await claim(first);
    const second = await worker({ site, cpus: 1 });
    // The other one is taken by something else.
    const busy = await world.engine.createWorkflow({
      model: simpleModel([{ name: 'busy' }]),
      cwd: '.',
      output_dir: 'output',
      actor: 'test',
      shared: true,
    });
    const capacity = { cpus: 1, memory_bytes: 1e9, gpus: 0, slots: 1, default_cpus: 1 };
    await world.engine.exchange(second, { ...NOTHING, workflow_id: busy.id, capacity });
    await fail(first, attempt!, how);
    expect(await waits('flaky')).toMatchObject([
      { short: { kind, until_ms: world.clock.now + 30_000 }, worker: { id: first } },
      { short: { kind: 'resource', resource: 'cpus' }, worker: { id: second }, held_by: [{ name: 'busy' }] },
    ]);
    expect(await claim(first)).toEqual([]);
    world.clock.now += 15_000;
    await world.engine.exchange(first, NOTHING);
    world.clock.now += 15_000;
    expect(await waits('flaky')).toEqual([]);
  });
}

const MANY = 300;
type Seen = Map<Shortage['kind'], number>;
const KINDS: Shortage['kind'][] = [
  'labels',
  'time_left',
  'avoided_worker',
  'avoided_site',
  'limit',
  'max_parallel',
  'resource',
];

interface Standing {
  name: string;
  need: JobNeed;
  priority: number;
  state: 'ready' | 'live' | 'over';
}

async function playCourse(
  world: EngineWorld,
  { jobs, limits, maxParallel, workers, turns }: Course,
  seen: Seen,
): Promise<void> {
  const { engine, clock } = world;
  const model = simpleModel(
    jobs.map((each, index) => ({
      ...each,
      name: `j${index}`,
      retry: { max_retries_failure: 9, initial_retry_delay_ms: 0 },
    })),
    { limits, ...(maxParallel !== undefined && { maxParallel }) },
  );
  const created = { model, cwd: '.', output_dir: 'output', actor: 'test', shared: true };
  const { id: workflowId } = await engine.createWorkflow(created);
  const registeredAt = clock.now;
  const ids: number[] = [];
  for (const facts of workers) {
    // A lease as long as all turns together, so that all of them are heard of.
    const identity = ownIdentity({ ...facts, kind: 'service', lease_ms: 600_000 });
    ids.push((await engine.registerWorker({ ...identity, host: 'elsewhere' })).id);
  }
  const standings: Standing[] = model.jobs.map(({ name, priority, requirement }) => ({
    name,
    need: { requirement: model.requirements[requirement]!, avoid: null },
    priority,
    state: 'ready',
  }));
  const heard = new Map(ids.map((id) => [id, registeredAt]));

  for (const turn of turns) {
    const worker = turn.worker % workers.length;
    const id = ids[worker]!;
    const whole = (index: number): WorkerOffer =>
      offerOf(workers[index]!, ids[index]!, clock.now - registeredAt);
    const own = whole(worker);
    const claimant: WorkerOffer = {
      ...own,
      time_left_ms: turn.capacity.time_left_ms ?? own.time_left_ms,
      free: { ...turn.capacity },
    };
    const others = ids.flatMap((other, index) =>
      other === id || clock.now - heard.get(other)! >= 30_000 ? [] : whole(index),
    );
    const expected = expectedClaims(
      standings,
      claimant,
      others,
      { limits, maxParallel, now: clock.now },
      seen,
    );

    const part = { ...NOTHING, workflow_id: workflowId };
    const { claims } = await engine.exchange(id, { ...part, capacity: { ...turn.capacity } });
    if (clock.now - heard.get(id)! >= 9000) heard.set(id, clock.now);
    expect(claims.map(({ job_name }) => job_name)).toEqual(expected);

    const failing = claims.flatMap((claim, index) => ({ claim, how: turn.fails[index % 8]! }));
    const finished = failing.filter(({ how }) => how !== 'no');
    await engine.exchange(id, { ...part, finished: finished.map((each) => failureOf(each, clock.now)) });
    for (const { claim, how } of finished) {
      const standing = standings.find(({ name }) => name === claim.job_name)!;
      const avoid: Avoidance = {
        worker_id: id,
        site: how === 'site' ? workers[worker]!.site : null,
        until: clock.now + 30_000,
      };
      standing.state = 'ready';
      standing.need = { ...standing.need, avoid };
    }
    clock.now += turn.passes;
  }
  for (const id of ids) await engine.retireWorker(id);
}

function offerOf(facts: Offer, id: number, since: number): WorkerOffer {
  const { site, time_left_ms } = facts;
  return {
    worker_id: id,
    site,
    labels: facts.labels,
    time_left_ms: time_left_ms === undefined ? null : time_left_ms - since,
    free: freeResources(facts),
  };
}

function failureOf({ claim, how }: { claim: Claim; how: Turn['fails'][number] }, now: number) {
  const facts = how === 'site' ? { spawn_error: 'no such directory' } : { exit_code: 1 };
  return {
    token: claim.token,
    started_at_ms: now,
    finished_at_ms: now,
    outcome: outcome(facts),
    usage: null,
  };
}

/** In the order of claims, each as long as the rule allows it. */
function expectedClaims(
  standings: Standing[],
  claimant: WorkerOffer,
  others: WorkerOffer[],
  facts: { limits: { licence: number }; maxParallel: number | undefined; now: number },
  seen: Seen,
): string[] {
  const live = standings.filter(({ state }) => state === 'live');
  const licences = live.reduce((sum, { need }) => sum + (need.requirement.resources.licence ?? 0), 0);
  let licence = facts.limits.licence - licences;
  let parallel = (facts.maxParallel ?? Number.POSITIVE_INFINITY) - live.length;
  const claimed: string[] = [];
  const ready = standings.filter(({ state }) => state === 'ready');
  for (const standing of ready.sort((a, b) => b.priority - a.priority)) {
    const { need } = standing;
    const limits = { named: new Map([['licence', licence]]), parallel };
    const answer = eligibility(need, claimant, { now: facts.now, bans: [], sites: null, limits, others });
    if (!answer.fits) {
      seen.set(answer.short.kind, (seen.get(answer.short.kind) ?? 0) + 1);
      continue;
    }
    takeResources(claimant.free, need.requirement);
    licence -= need.requirement.resources.licence ?? 0;
    parallel -= 1;
    standing.state = 'live';
    claimed.push(standing.name);
  }
  return claimed;
}
