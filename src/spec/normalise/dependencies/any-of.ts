/** What a job waits for by itself, and the groups of which one is enough (`a|b`). */
export interface Wanted {
  members: readonly number[];
  anyOf: number[][];
}

/**
 * The same without groups that mean nothing of their own: one of a single job is that job, and a group with a job
 * that must succeed anyway is satisfied by it.
 */
export function withoutIdleGroups({ members, anyOf }: Wanted): Wanted {
  if (anyOf.length === 0) return { members, anyOf };
  const groups = new Map(
    anyOf.map((group) => {
      const jobs = [...new Set(group)].sort((a, b) => a - b);
      return [jobs.join(), jobs];
    }),
  );
  const required = new Set(members);
  for (const [key, group] of groups) {
    if (group.length > 1) continue;
    required.add(group[0]!);
    groups.delete(key);
  }
  const left = [...groups.values()].filter((group) => !group.some((job) => required.has(job)));
  return { members: [...required, ...left.flat()], anyOf: left };
}
