import type { Dependencies } from './resolve-dependencies.ts';

/** More cycles than this are variations of the same mistake. */
const MAX_CYCLES = 5;

/** Questions about who waits for whom. Sets are nodes of their own, so that shared ones are walked once. */
export class DependencyGraph {
  readonly #setOf: readonly (number | null)[];
  readonly #sets: readonly (readonly number[])[];

  constructor({ setOf, sets }: Pick<Dependencies, 'setOf' | 'sets'>) {
    this.#setOf = setOf;
    this.#sets = sets;
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
      if (state[start] !== 0) continue;
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

  /** Jobs first, then sets. */
  #edge(node: number, position: number): number | undefined {
    const jobCount = this.#setOf.length;
    if (node >= jobCount) return this.#sets[node - jobCount]![position];
    const set = this.#setOf[node];
    return position > 0 || set === null || set === undefined ? undefined : jobCount + set;
  }
}
