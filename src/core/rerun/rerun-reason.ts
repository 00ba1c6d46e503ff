import type { StaleReason } from '../files/stale-reason.ts';
import { type JobStatus, UNSUCCESSFUL_STATUSES } from '../job/job-status.ts';

/** Why an update does something about a job: exactly one, the first of this list that applies. */
export type RerunReason =
  | { kind: 'new' }
  | { kind: 'removed' }
  | { kind: 'input_added'; path: string }
  | { kind: 'input_removed'; path: string }
  | { kind: 'output_added'; path: string }
  | { kind: 'output_removed'; path: string }
  | { kind: 'command_changed' }
  /** Another field of what runs, as a spec spells it. */
  | { kind: 'setting_changed'; field: string }
  | { kind: 'dependency_added'; job: string }
  | { kind: 'dependency_removed'; job: string }
  /** The job is as it was, and waits for others in another way, such as for one of several. */
  | { kind: 'dependencies_changed' }
  /** It reads a variable of the workflow when it starts. */
  | { kind: 'variable_changed'; name: string }
  | { kind: 'user_data_changed'; name: string }
  | StaleReason
  /** It did not complete. */
  | { kind: 'unsuccessful'; status: JobStatus }
  /** Its list has to be made again, since the steps of its items are others. */
  | { kind: 'items_changed' }
  | { kind: 'upstream'; job: string }
  | { kind: 'policy_changed' };

/**
 * What is done about a job. `run_again`: it has run, and starts over. `change`: it has not started, and runs as the edited
 * spec says. `policy`: only how its next attempts are treated. `started`: the run is active and the job has started, so
 * it keeps its old definition until the next update.
 */
export const UPDATE_ACTIONS = [
  'add',
  'run_again',
  'change',
  'policy',
  'remove',
  'started',
  'canceled',
] as const;

export type UpdateAction = (typeof UPDATE_ACTIONS)[number];

/** Whether a job has to run again, whatever else happens. */
export function didNotSucceed(status: JobStatus): boolean {
  return UNSUCCESSFUL_STATUSES.has(status) || status === 'pending_failed';
}
