import { jobLabel } from '../../../core/job/job-label.ts';

/** The job that an attempt is about, as it is asked for. */
export function recordLabel({ job_name, scope }: { job_name: string; scope: string | null }): string {
  return jobLabel({ name: job_name, scope: scope ?? '' });
}
