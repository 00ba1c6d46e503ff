import { expect } from 'vitest';
import type {
  ItemState,
  RequestState,
  RoundState,
  UnitState,
} from '../../src/core/request/request-states.ts';
import { all, type Script } from '../../src/store/script.ts';
import type { Store } from '../../src/store/store.ts';

interface RequestFacts {
  id: number;
  version: number;
  state: RequestState;
  next_number: string | null;
  delivered: string;
  total: string;
  hold: string | null;
}

interface RoundFacts {
  request_id: number;
  number: number;
  workflow_id: number;
  state: RoundState;
}

interface UnitFacts {
  id: number;
  workflow_id: number;
  number: number;
  state: UnitState;
  first_number: string | null;
  last_number: string | null;
  size: number;
}

interface ItemFacts {
  id: number;
  request_id: number;
  path: string;
  state: ItemState;
}

/** All that the tables say about requests. */
interface Tables {
  requests: RequestFacts[];
  rounds: RoundFacts[];
  units: UnitFacts[];
  unitItems: { unit_id: number; item_id: number }[];
  items: ItemFacts[];
  jobs: { workflow_id: number; name: string; status: number }[];
  successes: { workflow_id: number; name: string }[];
  runs: { workflow_id: number; kind: string; open: number }[];
}

function* readTables(): Script<Tables> {
  return {
    requests: yield* all(
      'select id, version, state, next_number, delivered, total, hold from request order by version',
    ),
    rounds: yield* all('select request_id, number, workflow_id, state from round order by number'),
    units: yield* all(
      'select id, workflow_id, number, state, first_number, last_number, size from unit order by number',
    ),
    unitItems: yield* all('select unit_id, item_id from unit_item'),
    items: yield* all('select id, request_id, path, state from item order by id'),
    jobs: yield* all('select workflow_id, name, status from job'),
    successes: yield* all(
      `select attempt.workflow_id, job.name from attempt join job on job.id = attempt.job_id where verdict = 'complete'`,
    ),
    runs: yield* all(
      `select workflow_id, kind, case when finished_at is null then 1 else 0 end as open from run order by run_id`,
    ),
  };
}

const OPEN_ROUND: readonly RoundState[] = ['SUBMITTED', 'RUNNING'];
const FINAL_ITEM: readonly ItemState[] = ['processed', 'excluded'];

/** What a course has ordered, which the tables must agree with. */
export interface Orders {
  first: bigint;
  merge: boolean;
  /** The largest number of rescues that was ever in force. */
  mostRescues: number;
  /** Versions that a person has failed. */
  failed: Set<number>;
  /** Paths that jobs or people have named as bad. */
  named: Set<string>;
}

/** The rules of the ledger, checked against the tables after every step; it remembers what must not be undone. */
export class LedgerCheck {
  readonly #orders: Orders;
  readonly #cursors = new Map<number, bigint>();
  readonly #delivered = new Map<number, bigint>();
  readonly #items = new Map<number, ItemState>();
  /** Units that were counted as done, and those of versions that have ended. */
  readonly #done = new Set<number>();

  constructor(orders: Orders) {
    this.#orders = orders;
  }

  /** Returns the newest version. */
  async check(store: Store): Promise<Pick<RequestFacts, 'state' | 'hold'>> {
    const tables = await store.read(readTables);
    for (const request of tables.requests) {
      const rounds = tables.rounds.filter(({ request_id }) => request_id === request.id);
      const own = new Set(rounds.map(({ workflow_id }) => workflow_id));
      const units = tables.units.filter(({ workflow_id }) => own.has(workflow_id));
      this.#checkStates(request, rounds);
      this.#checkRuns(request, rounds, tables);
      this.#checkUnits(request, rounds, units, tables);
      if (request.next_number === null) this.#checkItems(request, units, tables);
      else this.#checkNumbers(request, units);
    }
    this.#checkNoOrphans(tables);
    return tables.requests.at(-1)!;
  }

  #checkStates({ version, state, hold }: RequestFacts, rounds: readonly RoundFacts[]): void {
    const open = rounds.filter((round) => OPEN_ROUND.includes(round.state) || round.state === 'STOPPED');
    expect(open.length, 'never two open rounds').toBeLessThanOrEqual(1);
    if (open.length === 1) expect(open[0], 'an open round is the newest').toBe(rounds.at(-1));
    const runs = open.some((round) => OPEN_ROUND.includes(round.state));
    expect(runs, `version ${version} is ${state}`).toBe(state === 'ACTIVE' || state === 'STOPPING');
    if (open[0]?.state === 'STOPPED') expect(['QUEUED', 'PLANNING', 'PAUSED']).toContain(state);
    expect(hold !== null).toBe(state === 'HELD');
    expect(state === 'FAILED', 'only people fail requests').toBe(this.#orders.failed.has(version));
    expect(rounds.map(({ number }) => number)).toEqual(rounds.map((_, index) => index + 1));
  }

  #checkRuns({ state }: RequestFacts, rounds: readonly RoundFacts[], tables: Tables): void {
    for (const round of rounds) {
      const runs = tables.runs.filter(({ workflow_id }) => workflow_id === round.workflow_id);
      const rescues = runs.filter(({ kind }) => kind === 'failure').length;
      expect(rescues, 'rescues after failures').toBeLessThanOrEqual(this.#orders.mostRescues);
      expect(runs[0]!.kind).toBe('first');
      expect(runs.slice(1).every(({ kind }) => kind === 'failure' || kind === 'stop')).toBe(true);
      const isOpen = OPEN_ROUND.includes(round.state) || round.state === 'STOPPED';
      const jobs = tables.jobs.filter(({ workflow_id }) => workflow_id === round.workflow_id);
      const openJobs = jobs.filter(({ status }) => [0, 1, 2, 3, 4, 10].includes(status));
      if (isOpen) {
        expect(openJobs.length, 'an open round has something to do').toBeGreaterThan(0);
        expect(runs.at(-1)!.open).toBe(1);
      } else if (state !== 'FAILED')
        expect(openJobs, 'a round that was decided has nothing to do').toEqual([]);
    }
  }

  #checkUnits(
    request: RequestFacts,
    rounds: readonly RoundFacts[],
    units: readonly UnitFacts[],
    tables: Tables,
  ): void {
    const numbers = units.map(({ number }) => number);
    expect(numbers, 'units are numbered without gaps').toEqual(numbers.map((_, index) => index + 1));
    const done = units.filter(({ state }) => state === 'done');
    const sum = done.reduce((total, { size }) => total + BigInt(size), 0n);
    expect(request.delivered, 'delivered is the sum of finished units').toBe(String(sum));
    const before = this.#delivered.get(request.id) ?? 0n;
    expect(sum >= before, 'what was delivered stays').toBe(true);
    this.#delivered.set(request.id, sum);
    for (const { id, number } of done) {
      const finished = this.#isFinished(units.find((unit) => unit.id === id)!, tables);
      expect(finished, `unit ${number} is done, so all its jobs succeeded`).toBe(true);
      this.#done.add(id);
    }
    for (const unit of units) {
      if (this.#done.has(unit.id)) expect(unit.state, 'a done unit stays done').toBe('done');
    }
    // What ended after its request was failed is not counted.
    if (request.state === 'FAILED') return;
    for (const unit of units) {
      const { state } = rounds.find(({ workflow_id }) => workflow_id === unit.workflow_id)!;
      if (OPEN_ROUND.includes(state)) continue;
      const isDone = unit.state === 'done';
      expect(this.#isFinished(unit, tables), `unit ${unit.number} of a round that is ${state}`).toBe(isDone);
      if (state !== 'STOPPED') expect(unit.state).not.toBe('open');
    }
  }

  #isFinished({ workflow_id, number }: UnitFacts, { jobs, successes }: Tables): boolean {
    const prefix = `unit_${String(number).padStart(6, '0')}_`;
    const needed = jobs.filter(
      (job) =>
        job.workflow_id === workflow_id && job.name.startsWith(prefix) && !job.name.endsWith('_cleanup'),
    );
    expect(needed.length).toBeGreaterThan(0);
    if (this.#orders.merge) expect(needed.some(({ name }) => name.endsWith('_merge'))).toBe(true);
    return needed.every(({ name }) =>
      successes.some((success) => success.workflow_id === workflow_id && success.name === name),
    );
  }

  #checkNumbers(request: RequestFacts, units: readonly UnitFacts[]): void {
    let next = this.#orders.first;
    for (const { first_number, last_number, size } of units) {
      expect(first_number, 'numbers are used once and without gaps').toBe(String(next));
      next += BigInt(size);
      expect(last_number).toBe(String(next - 1n));
    }
    expect(request.next_number).toBe(String(next));
    expect(next >= (this.#cursors.get(request.id) ?? next), 'the cursor never falls').toBe(true);
    this.#cursors.set(request.id, next);
    expect(BigInt(request.delivered) <= BigInt(request.total)).toBe(true);
    if (request.state === 'COMPLETED') expect(request.delivered).toBe(request.total);
  }

  #checkItems(request: RequestFacts, units: readonly UnitFacts[], { items, unitItems }: Tables): void {
    const own = items.filter(({ request_id }) => request_id === request.id);
    expect(own.length, 'fresh + attempted + processed + excluded = all').toBe(Number(request.total));
    const unitsOf = new Map<number, UnitFacts[]>();
    for (const { unit_id, item_id } of unitItems) {
      const unit = units.find(({ id }) => id === unit_id);
      if (unit !== undefined) unitsOf.set(item_id, [...(unitsOf.get(item_id) ?? []), unit]);
    }
    for (const unit of units) {
      const inside = unitItems.filter(({ unit_id }) => unit_id === unit.id);
      expect(inside.length).toBe(unit.size);
    }
    for (const { id, path, state } of own) {
      const its = unitsOf.get(id) ?? [];
      const done = its.filter((unit) => unit.state === 'done');
      expect(done.length, `${path} is in one finished unit at the most`).toBeLessThanOrEqual(1);
      expect(done.length, `${path} is ${state}`).toBe(state === 'processed' ? 1 : 0);
      if (state === 'excluded') expect(this.#orders.named.has(path), `${path} was named as bad`).toBe(true);
      const before = this.#items.get(id);
      if (before !== undefined && FINAL_ITEM.includes(before)) expect(state, `${path} is final`).toBe(before);
      if (before === 'attempted') expect(state).not.toBe('fresh');
      if (state === 'fresh' && request.state !== 'FAILED') {
        expect(
          its.filter((unit) => unit.state === 'failed'),
          `${path} is fresh`,
        ).toEqual([]);
      }
      if (state === 'attempted') {
        expect(its.some((unit) => unit.state !== 'done')).toBe(true);
        expect(its.length).toBeGreaterThan(0);
      }
      this.#items.set(id, state);
    }
    if (request.state === 'COMPLETED') {
      expect(
        own.every(({ state }) => FINAL_ITEM.includes(state)),
        'complete',
      ).toBe(true);
    }
  }

  #checkNoOrphans({ units, jobs, rounds, unitItems }: Tables): void {
    const own = new Set(rounds.map(({ workflow_id }) => workflow_id));
    expect(units.filter(({ workflow_id }) => !own.has(workflow_id))).toEqual([]);
    expect(jobs.filter(({ workflow_id }) => !own.has(workflow_id))).toEqual([]);
    const ids = new Set(units.map(({ id }) => id));
    expect(unitItems.filter(({ unit_id }) => !ids.has(unit_id))).toEqual([]);
  }
}
