import type { JobRef } from '../job/job-ref.ts';
import type { JobStatus } from '../job/job-status.ts';

/** Every pattern is compared with every job. */
export const MOST_PATTERNS = 100;
export const LONGEST_PATTERN = 1000;

/**
 * Which jobs of a workflow a change is for. Names, patterns and `from` add jobs (without any of them: all jobs);
 * statuses and the fingerprint keep some of those.
 */
export interface Selection {
  /** A name means every job of that name, those of forEach items included; a label means one of them. */
  jobs?: readonly JobRef[];
  /** Of labels, as `globMatcher` reads them. */
  patterns?: readonly string[];
  statuses?: readonly JobStatus[];
  /** Jobs whose failure looks like this. */
  fingerprint?: string;
  /** These jobs, and everything downstream of them. */
  from?: readonly JobRef[];
  /** Without what is downstream. */
  only?: boolean;
}

export function isSelective({ jobs, patterns, statuses, fingerprint, from }: Selection): boolean {
  return [jobs, patterns, statuses, fingerprint, from].some((each) => each !== undefined);
}

/** Whether it keeps only some of the jobs that it names. */
export function hasFilters({ statuses, fingerprint }: Selection): boolean {
  return statuses !== undefined || fingerprint !== undefined;
}

/** A retry from jobs, without filters, starts them over; any other is one more attempt of what failed. */
export function startsOver(selection: Selection): boolean {
  return selection.from !== undefined && !hasFilters(selection);
}
