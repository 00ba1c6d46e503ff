/** Equal sets of jobs are stored once: a barrier of 1,000 × 1,000 is one set, not a million edges. */
export class DependencySets {
  readonly sets: number[][] = [];
  readonly #byMembers = new Map<string, number>();
  /** Arrays that were added before, so that a large shared one is not compared member by member. */
  readonly #byArray = new WeakMap<readonly number[], number>();

  /** The index of the set of these jobs; null if there are none. Members may repeat, in any order. */
  add(members: readonly number[]): number | null {
    if (members.length === 0) return null;
    const known = this.#byArray.get(members);
    if (known !== undefined) return known;
    const sorted = Array.from(new Set(members)).sort((a, b) => a - b);
    const key = sorted.join(',');
    let index = this.#byMembers.get(key);
    if (index === undefined) {
      index = this.sets.push(sorted) - 1;
      this.#byMembers.set(key, index);
    }
    this.#byArray.set(members, index);
    return index;
  }
}
