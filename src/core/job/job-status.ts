/** Job statuses; names and numbers are part of the public contract and are stored. */
export const JOB_STATUS = {
  uninitialized: 0,
  blocked: 1,
  ready: 2,
  pending: 3,
  running: 4,
  completed: 5,
  failed: 6,
  canceled: 7,
  terminated: 8,
  disabled: 9,
  pending_failed: 10,
} as const;

export type JobStatus = keyof typeof JOB_STATUS;
export const JOB_STATUSES = Object.keys(JOB_STATUS) as JobStatus[];

/** A workflow is complete when each of its jobs is in one of these. */
export const TERMINAL_STATUSES: ReadonlySet<JobStatus> = new Set([
  'completed',
  'failed',
  'canceled',
  'terminated',
  'disabled',
]);

/** Terminal statuses that make the run exit with 1 and cancel dependents. */
export const UNSUCCESSFUL_STATUSES: ReadonlySet<JobStatus> = new Set(['failed', 'terminated', 'canceled']);

export function statusName(value: number): JobStatus {
  const name = JOB_STATUSES[value];
  if (name === undefined) throw new Error(`no job status has the value ${value}`);
  return name;
}
