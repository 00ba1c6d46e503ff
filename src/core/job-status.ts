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

export interface StatusTransition {
  from: JobStatus;
  to: JobStatus;
  /** What makes it happen, in the words of the diagram in docs/statuses.md. */
  when: string;
}

/** Every transition the engine makes. docs/statuses.md draws this list; a test keeps the two equal. */
export const STATUS_TRANSITIONS: readonly StatusTransition[] = [
  { from: 'uninitialized', to: 'blocked', when: 'initialize' },
  { from: 'uninitialized', to: 'ready', when: 'no dependencies' },
  { from: 'uninitialized', to: 'disabled', when: 'on call' },
  { from: 'blocked', to: 'ready', when: 'dependencies met' },
  { from: 'blocked', to: 'canceled', when: 'dependency failed or user cancels' },
  { from: 'blocked', to: 'disabled', when: 'dependency disabled or no item for it' },
  { from: 'blocked', to: 'completed', when: 'what it called has ended' },
  { from: 'blocked', to: 'failed', when: 'too many loops' },
  { from: 'ready', to: 'pending', when: 'claimed' },
  { from: 'ready', to: 'canceled', when: 'user cancels' },
  { from: 'ready', to: 'failed', when: 'scheduling timeout or remediation failed' },
  { from: 'ready', to: 'blocked', when: 'goto overtakes it' },
  { from: 'pending', to: 'running', when: 'started' },
  { from: 'pending', to: 'ready', when: 'never started' },
  { from: 'pending', to: 'failed', when: 'could not be started' },
  { from: 'pending', to: 'canceled', when: 'user cancels' },
  { from: 'pending', to: 'disabled', when: 'its if is false' },
  { from: 'running', to: 'completed', when: 'success' },
  { from: 'running', to: 'ready', when: 'retry, lost or stopped' },
  { from: 'running', to: 'blocked', when: 'goto, or it calls steps first' },
  { from: 'running', to: 'failed', when: 'no retry left' },
  { from: 'running', to: 'terminated', when: 'no retry left after signal or timeout' },
  { from: 'running', to: 'pending_failed', when: 'somebody has to decide' },
  { from: 'running', to: 'canceled', when: 'user cancels or workflow is aborted' },
  { from: 'pending_failed', to: 'ready', when: 'somebody decides to retry' },
  { from: 'pending_failed', to: 'failed', when: 'somebody decides to fail' },
  { from: 'pending_failed', to: 'canceled', when: 'user cancels or workflow is aborted' },
  { from: 'pending_failed', to: 'uninitialized', when: 'reset-status' },
  { from: 'completed', to: 'uninitialized', when: 'reset-status' },
  { from: 'failed', to: 'uninitialized', when: 'reset-status' },
  { from: 'terminated', to: 'uninitialized', when: 'reset-status' },
  { from: 'canceled', to: 'uninitialized', when: 'reset-status' },
  { from: 'disabled', to: 'uninitialized', when: 'reset-status' },
  { from: 'disabled', to: 'ready', when: 'called by a route' },
  { from: 'completed', to: 'ready', when: 'called by a route' },
  { from: 'completed', to: 'blocked', when: 'goto' },
  { from: 'failed', to: 'blocked', when: 'goto' },
  { from: 'terminated', to: 'blocked', when: 'goto' },
  { from: 'disabled', to: 'blocked', when: 'goto' },
  { from: 'pending_failed', to: 'blocked', when: 'goto' },
  { from: 'failed', to: 'ready', when: 'manual retry' },
  { from: 'terminated', to: 'ready', when: 'manual retry' },
  { from: 'canceled', to: 'blocked', when: 'its dependency is retried, or goto' },
];
