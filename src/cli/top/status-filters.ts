import type { JobStatus } from '../../core/job/job-status.ts';

/** What `s` chooses from, one after the other; null: all jobs. */
export const STATUS_FILTERS: readonly (readonly JobStatus[] | null)[] = [
  null,
  ['running', 'pending'],
  ['failed', 'terminated'],
  ['pending_failed'],
  ['ready'],
  ['blocked', 'uninitialized'],
  ['completed'],
  ['canceled', 'disabled'],
];

export function nextFilter(statuses: readonly JobStatus[] | null): readonly JobStatus[] | null {
  const at = STATUS_FILTERS.findIndex((each) => each?.[0] === statuses?.[0]);
  return STATUS_FILTERS[(at + 1) % STATUS_FILTERS.length]!;
}
