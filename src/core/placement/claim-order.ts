export const CLAIM_ORDERS = ['none', 'gpus_runtime_memory', 'gpus_memory_runtime'] as const;

/** Which of the ready jobs of one priority are claimed first: those that ask for the most of each, in this order. */
export type ClaimOrder = (typeof CLAIM_ORDERS)[number];

export interface Asking {
  requirement: { gpus: number; memory_bytes: number | null };
  runtimeMs: number | null;
}

/**
 * The rank of each job, 0 first; none where the order is that in which they were written. Equal jobs have equal ranks, so
 * that these are claimed in that order, too. What a job does not ask for counts as nothing.
 */
export function claimRanks(jobs: Iterable<Asking>, order: ClaimOrder): number[] {
  if (order === 'none') return [];
  const keys = Array.from(jobs, ({ requirement, runtimeMs }) => {
    const [runtime, memory] = [runtimeMs ?? 0, requirement.memory_bytes ?? 0];
    return [requirement.gpus, ...(order === 'gpus_runtime_memory' ? [runtime, memory] : [memory, runtime])];
  });
  const distinct = new Map(keys.map((key) => [key.join(), key]));
  const sorted = [...distinct].sort(([, a], [, b]) => compareDescending(a, b));
  const ranks = new Map(sorted.map(([text], rank) => [text, rank]));
  return keys.map((key) => ranks.get(key.join())!);
}

function compareDescending(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : b[at]! - a[at]!;
}
