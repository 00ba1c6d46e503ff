import { countSet } from '../flow/count-set.ts';
import type { Settled } from '../flow/flow-part.ts';

interface Member {
  set_id: number;
  job_id: number;
  kind: number;
  settled: Settled | null;
}

/**
 * Jobs that cannot start over, because nothing that starts over with them can make up for a dependency that failed or is
 * disabled; each with that dependency. `members`: of the sets that have such a dependency.
 */
export function lackingDependencies<
  J extends { id: number; dependency_set_id: number | null; cancel_on_failure: number },
  M extends Member,
>(jobs: readonly J[], members: readonly M[]): { job: J; needs: M }[] {
  const chosen = new Set(jobs.map(({ id }) => id));
  const sets = new Map<number, M[]>();
  for (const member of members) {
    const known = sets.get(member.set_id);
    if (known === undefined) sets.set(member.set_id, [member]);
    else known.push(member);
  }
  const spoilt = new Map<number, { unsuccessful: boolean; needs: M }>();
  for (const [id, of] of sets) {
    const { remaining, unsuccessful, disabled } = countSet(
      of.map(({ job_id, kind, settled }) => ({
        kind,
        settled: chosen.has(job_id) ? null : settled,
        count: 1,
      })),
    );
    const missing = unsuccessful > 0 ? 'failed' : 'disabled';
    const needs = of.find(({ job_id, settled }) => settled === missing && !chosen.has(job_id));
    if (remaining > 0 || unsuccessful + disabled === 0 || needs === undefined) continue;
    spoilt.set(id, { unsuccessful: unsuccessful > 0, needs });
  }
  return jobs.flatMap((job) => {
    const found = job.dependency_set_id === null ? undefined : spoilt.get(job.dependency_set_id);
    if (found === undefined || (found.unsuccessful && job.cancel_on_failure === 0)) return [];
    return [{ job, needs: found.needs }];
  });
}
