import type { RestartReason, StaleReason } from '../files/stale-reason.ts';
import { jobLabel } from '../job/job-label.ts';
import type { JobStatus } from '../job/job-status.ts';
import { RerunGraph } from './rerun-graph.ts';
import { didNotSucceed } from './rerun-reason.ts';

/** A job as far as it is looked at here. */
export interface RestartableJob {
  id: number;
  name: string;
  scope: string;
  status: JobStatus;
  /** The jobs that it waits for, as a set that others may share. */
  dependency_set_id: number | null;
}

/**
 * Jobs that start over so that everything is up to date, by id: those that are out of date, those that did not succeed,
 * and all that depends on either. Each has one reason.
 */
export function planRestart(
  jobs: readonly RestartableJob[],
  members: Iterable<{ set_id: number; job_id: number }>,
  stale: ReadonlyMap<number, StaleReason>,
): Map<number, RestartReason> {
  const sets = new Map<number, number[]>();
  for (const { set_id, job_id } of members) {
    const ids = sets.get(set_id);
    if (ids === undefined) sets.set(set_id, [job_id]);
    else ids.push(job_id);
  }
  const rows = new Map<number, RestartableJob>();
  const waits: [number, number][] = [];
  const seeds = new Map<number, RestartReason>();
  for (const job of jobs) {
    const { id, status, dependency_set_id: set } = job;
    rows.set(id, job);
    if (set !== null) waits.push([id, set]);
    const reason = stale.get(id);
    if (reason !== undefined) seeds.set(id, reason);
    else if (didNotSucceed(status)) seeds.set(id, { kind: 'unsuccessful', status });
  }
  const below = new RerunGraph(waits, (set) => sets.get(set) ?? []).below(seeds);
  return new Map(
    [...below].map(([id, because]) => [
      id,
      because === null ? seeds.get(id)! : { kind: 'upstream', job: jobLabel(rows.get(because)!) },
    ]),
  );
}
