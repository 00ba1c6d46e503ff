import type { AttemptTimes } from '../../contract/records/attempt-times.ts';
import { type JobStatus, statusName } from '../../core/job/job-status.ts';
import {
  countOpenJobs,
  listAttemptTimes,
  listSetEnds,
} from '../../store/rows/attempts/attempt-times-rows.ts';
import type { Script } from '../../store/script.ts';
import { emptyCounts } from '../records/records.ts';

/** How long attempts waited for a worker, and how long their ends waited for a decision. */
export function* readAttemptTimes(tokens: readonly number[]): Script<AttemptTimes[]> {
  const rows = yield* listAttemptTimes(tokens);
  const sets = new Set(rows.flatMap(({ dependency_set_id }) => dependency_set_id ?? []));
  const ends = sets.size === 0 ? new Map<number, number>() : yield* listSetEnds([...sets]);
  return rows.map((row) => {
    const { token, claimed_at, finished_at, decided_at, dependency_set_id: set } = row;
    const dependencies = set === null ? 0 : (ends.get(set) ?? 0);
    // A dependency may have run once more since.
    const readyAt = Math.max(
      row.run_created_at,
      row.previous_at ?? 0,
      dependencies <= claimed_at ? dependencies : 0,
    );
    return {
      token,
      waiting_ms: Math.max(0, claimed_at - readyAt),
      deciding_ms: finished_at === null || decided_at === null ? null : Math.max(0, decided_at - finished_at),
    };
  });
}

export function* countJobsOfOpenRuns(): Script<Record<JobStatus, number>> {
  const counts = emptyCounts();
  for (const { status, count } of yield* countOpenJobs()) counts[statusName(status)] = count;
  return counts;
}
