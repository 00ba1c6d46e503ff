import type { SchedulerModel } from './scheduler.ts';

/** How the nodes of a scheduler can be asked for. */
export interface AllocationShape {
  /** `as written`, or how it differs. */
  label: string;
  allocations: number;
  nodes: number;
  /** Words for `sbatch`. */
  words: string[];
}

/**
 * One large allocation and many small ones with the same nodes in all. Small ones have as many nodes as the largest job needs.
 */
export function allocationShapes(
  scheduler: SchedulerModel,
  allocations: number,
  leastNodes: number,
): AllocationShape[] {
  const total = scheduler.nodes * allocations;
  const shapes: [label: string, allocations: number, nodes: number][] = [
    ['as written', allocations, scheduler.nodes],
    ['one large', 1, total],
    ['many small', Math.floor(total / leastNodes), leastNodes],
  ];
  const seen = new Set<string>();
  return shapes
    .filter(([, count, nodes]) => {
      const key = `${count} ${nodes}`;
      const isNew = !seen.has(key) && nodes >= leastNodes;
      seen.add(key);
      return isNew;
    })
    .map(([label, count, nodes]) => ({ label, allocations: count, nodes, words: wordsOf(scheduler, nodes) }));
}

/** The options of an allocation as words of a command line. */
function wordsOf({ options, extra }: SchedulerModel, nodes: number): string[] {
  const words = Object.entries({ ...options, nodes: String(nodes) });
  return [...words.map(([name, value]) => (value === null ? `--${name}` : `--${name}=${value}`)), ...extra];
}
