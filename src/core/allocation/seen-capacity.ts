/** What workers in the allocations of a scheduler had, each at most. */
export interface SeenCapacity {
  cpus: number;
  memory_bytes: number;
  gpus: number;
  labels: string[];
  /** Of the last one. */
  site: string;
  /** How long they had when they came; null: not known. */
  time_left_ms: number | null;
}

/** Nodes of one partition differ, so that the largest counts. */
export function addSeen(before: SeenCapacity | null, now: SeenCapacity): SeenCapacity {
  if (before === null) return now;
  const times = [before.time_left_ms, now.time_left_ms].filter((time) => time !== null);
  return {
    cpus: Math.max(before.cpus, now.cpus),
    memory_bytes: Math.max(before.memory_bytes, now.memory_bytes),
    gpus: Math.max(before.gpus, now.gpus),
    labels: now.labels,
    site: now.site,
    time_left_ms: times.length === 0 ? null : Math.max(...times),
  };
}
