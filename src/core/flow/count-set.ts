import { type FlowSet, type FlowTally, MEMBER_JOINED, MEMBER_PLAIN, type Settled } from './flow-part.ts';

/** The counters of a set, from how its members are settled; a group of alternatives counts once. */
export function countSet(tally: readonly FlowTally[]): Omit<FlowSet, 'id'> {
  const counts = { size: 0, remaining: 0, unsuccessful: 0, disabled: 0 };
  const groups = new Map<number, Set<Settled | null>>();
  for (const { kind, settled, count } of tally) {
    if (count === 0) continue;
    if (kind > 0) {
      groups.set(kind, (groups.get(kind) ?? new Set()).add(settled));
      continue;
    }
    counts.size += count;
    if (settled === null) counts.remaining += count;
    else if (kind !== MEMBER_JOINED && settled === 'failed') counts.unsuccessful += count;
    else if (kind === MEMBER_PLAIN && settled === 'disabled') counts.disabled += count;
  }
  for (const ends of groups.values()) {
    counts.size += 1;
    if (ends.has('succeeded')) continue;
    if (ends.has(null)) counts.remaining += 1;
    else if (ends.has('failed')) counts.unsuccessful += 1;
    else counts.disabled += 1;
  }
  return counts;
}
