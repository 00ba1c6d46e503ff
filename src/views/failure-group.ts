import type { FailedJob, FailureGroup } from '../contract/records/resolution.ts';

/** Failures that look alike, with the end of what the newest of them wrote to stderr. */
export interface SampledFailureGroup extends FailureGroup {
  stderr_tail: string;
}

/** The job of a group that failed last. */
export function newestJob({ jobs }: Pick<FailureGroup, 'jobs'>): FailedJob {
  return jobs.reduce((newest, job) =>
    job.finished_at_ms > newest.finished_at_ms ||
    (job.finished_at_ms === newest.finished_at_ms && job.job_id > newest.job_id)
      ? job
      : newest,
  );
}

/** How many jobs of the groups wait for a decision. */
export function waitingJobs(groups: readonly Pick<FailureGroup, 'jobs'>[]): number {
  return groups.flatMap(({ jobs }) => jobs).filter(({ status }) => status === 'pending_failed').length;
}
