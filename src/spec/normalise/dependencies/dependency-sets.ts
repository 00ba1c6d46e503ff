import type { DependencySet } from '../../../core/model/workflow-model.ts';

/** Equal sets of jobs are stored once: a barrier of 1,000 × 1,000 is one set, not a million edges. */
export class DependencySets {
  readonly sets: DependencySet[] = [];
  readonly #byContent = new Map<string, number>();
  /** Arrays that were added before, so that a large shared one is not compared member by member. */
  readonly #byArray = new WeakMap<readonly number[], number>();

  /** The index of the set of these jobs; null if there are none. Members may repeat, in any order. */
  add(members: readonly number[], { joined, producers, anyOf }: Partial<DependencySet> = {}): number | null {
    if (members.length === 0) return null;
    const isPlain = !joined?.length && !producers?.length && !anyOf?.length;
    const known = isPlain ? this.#byArray.get(members) : undefined;
    if (known !== undefined) return known;
    const set: DependencySet = {
      members: sorted(members),
      joined: sorted(joined ?? []),
      producers: sorted(producers ?? []),
      anyOf: (anyOf ?? []).map(sorted).sort(byContent),
    };
    const key = [set.members, set.joined, set.producers, ...set.anyOf].join(';');
    let index = this.#byContent.get(key);
    if (index === undefined) {
      index = this.sets.push(set) - 1;
      this.#byContent.set(key, index);
    }
    if (isPlain) this.#byArray.set(members, index);
    return index;
  }
}

function sorted(jobs: readonly number[]): number[] {
  return jobs.length === 0 ? [] : Array.from(new Set(jobs)).sort((a, b) => a - b);
}

function byContent(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((job, position) => job !== b[position]);
  return differs < 0 ? a.length - b.length : a[differs]! - (b[differs] ?? -1);
}
