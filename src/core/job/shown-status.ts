import type { JobStatus } from './job-status.ts';

/** `pending` is easily taken for `pending_failed`, and `ready` says nothing of a queue. */
const SHOWN: Partial<Record<JobStatus, string>> = { pending: 'starting', ready: 'queued' };

/** A status as people see it. JSON, CSV, quiet output and the API have its name. */
export function shownStatus(status: JobStatus): string {
  return SHOWN[status] ?? status;
}
