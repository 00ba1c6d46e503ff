/** Which jobs wait for which: each waits for the members of one set. */
export interface WaitingGraph {
  jobs: Iterable<{ id: number; dependency_set_id: number | null }>;
  members: Iterable<{ set_id: number; job_id: number }>;
}

/** The jobs, and everything that waits for them, directly or not. */
export function downstreamOf(ids: Iterable<number>, { jobs, members }: WaitingGraph): Set<number> {
  const waiting = groupBy(jobs, ({ dependency_set_id }) => dependency_set_id);
  const sets = groupBy(members, ({ job_id }) => job_id);
  const reached = new Set(ids);
  // Sets are walked once, so that a barrier is not walked once per member.
  const passed = new Set<number>();
  const open = [...reached];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const { set_id } of sets.get(id) ?? []) {
      if (passed.has(set_id)) continue;
      passed.add(set_id);
      for (const dependent of waiting.get(set_id) ?? []) {
        if (reached.has(dependent.id)) continue;
        reached.add(dependent.id);
        open.push(dependent.id);
      }
    }
  }
  return reached;
}

function groupBy<T, K>(rows: Iterable<T>, keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}
