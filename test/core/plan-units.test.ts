import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MOST_TIMED_JOBS,
  type OpenItem,
  planInventory,
  planRange,
  roundUnits,
} from '../../src/core/request/plan-units.ts';

const item = (id: number, group: string | null = null): OpenItem => ({ id, path: `f${id}`, group });
const items = (count: number, group: (id: number) => string | null = () => null) =>
  Array.from({ length: count }, (_, index) => item(index + 1, group(index + 1)));

describe('the size of a round', () => {
  const size = { first_units: 5, units: null, hours: 8 };
  it.each([
    ['the first', { first_units: 5, units: 40, hours: null }, { rounds: 0, unit_ms: null }, 5],
    ['a later one', { first_units: 5, units: 40, hours: null }, { rounds: 1, unit_ms: 1 }, 40],
    ['one by time', size, { rounds: 1, unit_ms: 3_600_000 }, 8],
    ['one by time before anything was measured', size, { rounds: 1, unit_ms: null }, 5],
    ['one whose units take longer than a round', size, { rounds: 1, unit_ms: 100 * 3_600_000 }, 1],
  ])('%s', (_, round, history, expected) => {
    expect(roundUnits(round, history, 3)).toBe(expected);
  });

  it('one by time whose units were over at once: not more jobs than can be planned well', () => {
    expect(roundUnits(size, { rounds: 1, unit_ms: 0.001 }, 4) * 4).toBe(MOST_TIMED_JOBS);
    expect(roundUnits(size, { rounds: 1, unit_ms: 0.001 }, 2 * MOST_TIMED_JOBS)).toBe(1);
  });
});

describe('units of a range', () => {
  it('have as many numbers as are missing, from the cursor on', () => {
    const work = { total: 10_000n, per_job: 250 };
    const first = planRange(work, { cursor: 1n, delivered: 0n }, 4, 10);
    expect(first.units).toHaveLength(10);
    expect(first.cursor).toBe(10_001n);
    const second = planRange(work, { cursor: first.cursor, delivered: 8_000n }, 4, 40);
    expect(second.units).toHaveLength(2);
    expect(second.units[0]!.jobs[0]).toEqual({ first: 10_001n, last: 10_250n });
    expect(second.cursor).toBe(12_001n);
  });

  it('end with a smaller job', () => {
    const { units } = planRange({ total: 7n, per_job: 3 }, { cursor: 1n, delivered: 0n }, 2, 10);
    expect(units.map(({ jobs }) => jobs)).toEqual([
      [
        { first: 1n, last: 3n },
        { first: 4n, last: 6n },
      ],
      [{ first: 7n, last: 7n }],
    ]);
  });

  it('are exact beyond 2^53', () => {
    const cursor = 2n ** 53n - 1_000_000n;
    const work = { total: 10n ** 12n, per_job: 1_000_003 };
    const { units } = planRange(work, { cursor, delivered: 0n }, 1, 2);
    expect(units[1]!.jobs[0]!.first).toBe(2n ** 53n + 3n);
  });

  it('never overlap and never leave a gap in a round', () => {
    fc.assert(
      fc.property(
        fc.record({
          total: fc.bigInt(1n, 10n ** 6n),
          per_job: fc.integer({ min: 1, max: 5000 }),
          jobs: fc.integer({ min: 1, max: 7 }),
          most: fc.integer({ min: 1, max: 50 }),
          cursor: fc.bigInt(0n, 2n ** 60n),
        }),
        ({ total, per_job, jobs, most, cursor }) => {
          const planned = planRange({ total, per_job }, { cursor, delivered: 0n }, jobs, most);
          let next = cursor;
          for (const part of planned.units.flatMap((unit) => unit.jobs)) {
            expect(part.first).toBe(next);
            expect(part.last >= part.first && part.last - part.first < BigInt(per_job)).toBe(true);
            next = part.last + 1n;
          }
          expect(planned.cursor).toBe(next);
          const possible = BigInt(per_job * jobs * most);
          expect([possible, total]).toContain(next - cursor);
          expect(next - cursor <= possible && next - cursor <= total).toBe(true);
          expect(planned.units.every((unit) => unit.jobs.length <= jobs)).toBe(true);
        },
      ),
    );
  });
});

describe('units of an inventory', () => {
  const ids = (units: ReturnType<typeof planInventory>) =>
    units.map(({ jobs }) => jobs.map((job) => job.map(({ id }) => id)));

  it('hold attempted items only when every fresh one has its place, and in units of their own', () => {
    const given = { fresh: items(3), attempted: [item(8), item(9)] };
    expect(ids(planInventory(given, 2, 1, 10))).toEqual([[[1, 2]], [[3]], [[8, 9]]]);
    expect(ids(planInventory(given, 2, 1, 2))).toEqual([[[1, 2]], [[3]]]);
  });

  it('keep groups together where they fill units, and put the rest together in order', () => {
    const group = (id: number) => (id % 3 === 0 ? 'rare' : id % 2 === 0 ? 'even' : 'odd');
    const units = ids(planInventory({ fresh: items(10, group), attempted: [] }, 1, 2, 10));
    expect(units).toEqual([
      [[1], [5]],
      [[2], [4]],
      [[3], [6]],
      [[7], [9]],
      [[8], [10]],
    ]);
  });

  it('hold every item once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.constantFrom('a', 'b', 'c')), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        (groups, perJob, jobsPerUnit) => {
          const fresh = groups.map((group, index) => item(index + 1, group));
          const units = planInventory({ fresh, attempted: [] }, perJob, jobsPerUnit, 1000);
          const planned = units.flatMap(({ jobs }) => jobs.flat().map(({ id }) => id));
          expect([...planned].sort((a, b) => a - b)).toEqual(fresh.map(({ id }) => id));
          expect(units.every(({ jobs }) => jobs.length <= jobsPerUnit)).toBe(true);
          expect(
            units.flatMap(({ jobs }) => jobs).every((job) => job.length <= perJob && job.length > 0),
          ).toBe(true);
        },
      ),
    );
  });
});
