import type { Dependencies } from './resolve-dependencies.ts';

/** More cycles than this are variations of the same mistake. */
const MAX_CYCLES = 5;

/** From here on it is cheaper to know all descendants of a job than to look for it once more. */
const ASKED_OFTEN = 8;

/** Questions about who waits for whom. Sets are nodes of their own, so that shared ones are walked once. */
export class DependencyGraph {
  readonly #setOf: readonly (number | null)[];
  readonly #sets: readonly (readonly number[])[];
  readonly #asked = new Map<number, number>();
  readonly #descendants = new Map<number, ReadonlySet<number>>();
  #backwards: { usersOf: number[][]; setsWith: Map<number, number[]> } | undefined;

  constructor({ setOf, sets }: Pick<Dependencies, 'setOf' | 'sets'>) {
    this.#setOf = setOf;
    this.#sets = sets.map(({ members }) => members);
  }

  dependenciesOf(job: number): readonly number[] {
    const set = this.#setOf[job];
    return set === null || set === undefined ? [] : this.#sets[set]!;
  }

  /** Jobs that wait for each other, each cycle in the order of waiting. */
  cycles(): number[][] {
    const jobCount = this.#setOf.length;
    // 0 unseen, 1 on the way, 2 done.
    const state = new Uint8Array(jobCount + this.#sets.length);
    const cycles: number[][] = [];
    for (let start = 0; start < jobCount && cycles.length < MAX_CYCLES; start++) {
      if (state[start] !== 0 || this.#setOf[start] === null) continue;
      const trail = [{ node: start, next: 0 }];
      state[start] = 1;
      while (trail.length > 0) {
        const top = trail.at(-1)!;
        const after = this.#edge(top.node, top.next++);
        if (after === undefined) {
          state[top.node] = 2;
          trail.pop();
        } else if (state[after] === 0) {
          state[after] = 1;
          trail.push({ node: after, next: 0 });
        } else if (state[after] === 1 && cycles.length < MAX_CYCLES) {
          const from = trail.findIndex(({ node }) => node === after);
          const jobs = trail
            .slice(from)
            .map(({ node }) => node)
            .filter((node) => node < jobCount);
          if (jobs.length > 0) cycles.push(jobs);
        }
      }
    }
    return cycles;
  }

  /** Whether `job` waits for `other`, directly or not. */
  isAncestor(other: number, job: number): boolean {
    const asked = (this.#asked.get(other) ?? 0) + 1;
    this.#asked.set(other, asked);
    if (asked > ASKED_OFTEN) return this.descendantsOf(other).has(job);
    const seen = new Set<number>();
    const open = [job];
    for (let current = open.pop(); current !== undefined; current = open.pop()) {
      const set = this.#setOf[current];
      if (set === null || set === undefined || seen.has(set)) continue;
      seen.add(set);
      for (const dependency of this.#sets[set]!) {
        if (dependency === other) return true;
        open.push(dependency);
      }
    }
    return false;
  }

  /** Every job that waits for `job`, directly or not. */
  descendantsOf(job: number): ReadonlySet<number> {
    const known = this.#descendants.get(job);
    if (known) return known;
    this.#backwards ??= this.#turnedRound();
    const { usersOf, setsWith } = this.#backwards;
    const found = new Set<number>();
    const seen = new Set<number>();
    const open = [job];
    for (let current = open.pop(); current !== undefined; current = open.pop()) {
      for (const set of setsWith.get(current) ?? []) {
        if (seen.has(set)) continue;
        seen.add(set);
        for (const user of usersOf[set]!) {
          found.add(user);
          open.push(user);
        }
      }
    }
    this.#descendants.set(job, found);
    return found;
  }

  #turnedRound(): { usersOf: number[][]; setsWith: Map<number, number[]> } {
    const usersOf: number[][] = this.#sets.map(() => []);
    for (const [user, set] of this.#setOf.entries()) if (set !== null) usersOf[set]!.push(user);
    const setsWith = new Map<number, number[]>();
    for (const [set, members] of this.#sets.entries()) {
      for (const member of members) {
        const sets = setsWith.get(member);
        if (sets) sets.push(set);
        else setsWith.set(member, [set]);
      }
    }
    return { usersOf, setsWith };
  }

  /** Jobs first, then sets. */
  #edge(node: number, position: number): number | undefined {
    const jobCount = this.#setOf.length;
    if (node >= jobCount) return this.#sets[node - jobCount]![position];
    const set = this.#setOf[node];
    return position > 0 || set === null || set === undefined ? undefined : jobCount + set;
  }
}
