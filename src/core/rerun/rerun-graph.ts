import type { RerunReason } from './rerun-reason.ts';

/** A job: the id of its row, or for one of an edited spec without a row -1 less its place there. */
export type Node = number;

export const nodeOfNew = (edited: number): Node => -1 - edited;

/** Who waits for whom. */
export class RerunGraph {
  /** Sets that a job is a member of. */
  readonly #sets = new Map<Node, number[]>();
  readonly #waiting = new Map<number, Node[]>();

  /** `waits`: jobs with the set that each waits for; `membersOf`: the jobs of a set. */
  constructor(waits: Iterable<[Node, number]>, membersOf: (set: number) => readonly Node[]) {
    for (const [node, set] of waits) {
      const waiting = this.#waiting.get(set);
      if (waiting !== undefined) {
        waiting.push(node);
        continue;
      }
      this.#waiting.set(set, [node]);
      for (const member of membersOf(set)) {
        const sets = this.#sets.get(member);
        if (sets === undefined) this.#sets.set(member, [set]);
        else sets.push(set);
      }
    }
  }

  /**
   * The seeds and everything that waits for them, directly or not; each with the first job above it that is known to run
   * again, or null if it runs again because of itself. A canceled job is no reason of its own if a job above it runs again.
   * `also`: what else has to run again because of a job.
   */
  below(
    seeds: ReadonlyMap<Node, RerunReason>,
    also: (node: Node) => readonly Node[] = () => [],
  ): Map<Node, Node | null> {
    const found = new Map<Node, Node | null>();
    const open: Node[] = [];
    const visited = new Set<number>();
    const add = (node: Node, because: Node | null) => {
      if (found.has(node)) return;
      found.set(node, because);
      open.push(node);
    };
    let at = 0;
    const follow = () => {
      for (; at < open.length; at += 1) {
        const node = open[at]!;
        for (const other of also(node)) add(other, null);
        for (const set of this.#sets.get(node) ?? []) {
          if (visited.has(set)) continue;
          visited.add(set);
          for (const waiting of this.#waiting.get(set)!) add(waiting, node);
        }
      }
    };
    for (const [seed, reason] of seeds) if (!isCanceled(reason)) add(seed, null);
    follow();
    for (const [seed, reason] of seeds) {
      if (!isCanceled(reason)) continue;
      add(seed, null);
      follow();
    }
    return found;
  }
}

function isCanceled(reason: RerunReason): boolean {
  return reason.kind === 'unsuccessful' && reason.status === 'canceled';
}
