import type { ScheduleOrder } from '../allocation/scheduler.ts';

/** The moments at which actions run. */
export const ACTION_TRIGGERS = [
  'on_workflow_start',
  'on_workflow_complete',
  'on_workflow_failure',
  'on_jobs_ready',
  'on_jobs_complete',
  'on_worker_start',
  'on_worker_complete',
] as const;

/** How long the commands of an action may run. */
export const ACTION_TIMEOUT_MS = 60 * 60_000;

export type ActionTrigger = (typeof ACTION_TRIGGERS)[number];

/** What is done at a moment of a run: commands, or allocations of a cluster. */
export interface ActionModel {
  trigger: ActionTrigger;
  /** true: once for each worker of the run. false: once in the run. */
  persistent: boolean;
  /** Indexes of the jobs that the trigger watches; empty for triggers that watch none. */
  jobs: number[];
  /** Empty for one that schedules. */
  commands: string[];
  /** Allocations that it asks for; absent: it runs commands. */
  schedule?: ScheduleOrder;
}

/** Actions with these triggers run on the workers that take part in the run, and on no others. */
export function isAboutWorkers(trigger: ActionTrigger): boolean {
  return trigger === 'on_worker_start' || trigger === 'on_worker_complete';
}
