import type { RangeWork, RoundSize } from './request-model.ts';

/** Numbers of one job, both ends included. */
export interface NumberPart {
  first: bigint;
  last: bigint;
}

/** An item that may be planned. */
export interface OpenItem {
  id: number;
  path: string;
  group: string | null;
}

/** One unit of a range: the numbers of each of its jobs. */
export interface RangeUnit {
  kind: 'range';
  jobs: NumberPart[];
}

/** One unit of an inventory: the items of each of its jobs. */
export interface InventoryUnit {
  kind: 'inventory';
  jobs: OpenItem[][];
}

export type PlannedUnit = RangeUnit | InventoryUnit;

/** What is known when a round is sized. */
export interface RoundHistory {
  /** Rounds planned so far. */
  rounds: number;
  /** Mean processing time of a unit of the rounds before, in milliseconds; null: none was measured. */
  unit_ms: number | null;
}

/** A round that is sized by time has no more jobs, however quick its units were. */
export const MOST_TIMED_JOBS = 10_000;

/** How many units the next round has at the most. `unitJobs`: jobs of one unit, its merge and cleanup included. */
export function roundUnits(size: RoundSize, { rounds, unit_ms }: RoundHistory, unitJobs: number): number {
  if (rounds === 0) return size.first_units;
  if (size.units !== null) return size.units;
  if (unit_ms === null || unit_ms <= 0) return size.first_units;
  const inTime = Math.floor((size.hours! * 3_600_000) / unit_ms);
  return Math.max(1, Math.min(inTime, Math.floor(MOST_TIMED_JOBS / unitJobs)));
}

/**
 * The next units of a range: from the cursor on, as many numbers as are still to be delivered. Numbers of failed units
 * are never planned again, so that no number is used twice.
 */
export function planRange(
  { total, per_job }: Pick<RangeWork, 'total' | 'per_job'>,
  { cursor, delivered }: { cursor: bigint; delivered: bigint },
  jobsPerUnit: number,
  mostUnits: number,
): { units: RangeUnit[]; cursor: bigint } {
  const units: RangeUnit[] = [];
  let missing = total - delivered;
  let next = cursor;
  while (missing > 0n && units.length < mostUnits) {
    const jobs: NumberPart[] = [];
    while (missing > 0n && jobs.length < jobsPerUnit) {
      const count = missing < BigInt(per_job) ? missing : BigInt(per_job);
      jobs.push({ first: next, last: next + count - 1n });
      next += count;
      missing -= count;
    }
    units.push({ kind: 'range', jobs });
  }
  return { units, cursor: next };
}

/**
 * The next units of an inventory. Attempted items follow when every fresh one has its place, in units of their own: one
 * of them may be the cause of a failure.
 */
export function planInventory(
  { fresh, attempted }: { fresh: readonly OpenItem[]; attempted: readonly OpenItem[] },
  perJob: number,
  jobsPerUnit: number,
  mostUnits: number,
): InventoryUnit[] {
  const units = groupItems(fresh, perJob, jobsPerUnit, mostUnits);
  const left = mostUnits - units.length;
  return left > 0 ? [...units, ...groupItems(attempted, perJob, jobsPerUnit, left)] : units;
}

/**
 * Items of one group share units as long as they fill them; what is left over of the groups is put together in the order
 * of the items.
 */
function groupItems(
  items: readonly OpenItem[],
  perJob: number,
  jobsPerUnit: number,
  mostUnits: number,
): InventoryUnit[] {
  const perUnit = perJob * jobsPerUnit;
  const count = Math.min(items.length, perUnit * mostUnits);
  // Positions in the list instead of items: their order is that of numbers, however many there are.
  const groups = new Map<string, number[]>();
  const rest: number[] = [];
  for (let place = 0; place < count; place += 1) {
    const { group: key } = items[place]!;
    const group = key === null ? rest : groups.get(key);
    if (group === undefined) groups.set(key!, [place]);
    else group.push(place);
  }
  const full: number[][] = [];
  for (const group of groups.values()) {
    const whole = group.length - (group.length % perUnit);
    for (let start = 0; start < whole; start += perUnit) full.push(group.slice(start, start + perUnit));
    rest.push(...group.slice(whole));
  }
  rest.sort((a, b) => a - b);
  for (let start = 0; start < rest.length; start += perUnit) full.push(rest.slice(start, start + perUnit));
  full.sort((a, b) => a[0]! - b[0]!);
  return full.map((unit) => ({
    kind: 'inventory',
    jobs: inParts(unit, perJob).map((job) => job.map((place) => items[place]!)),
  }));
}

function inParts<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < list.length; start += size) parts.push(list.slice(start, start + size));
  return parts;
}
