/** The moments at which actions happen. */
export const ACTION_TRIGGERS = [
  'on_workflow_start',
  'on_workflow_complete',
  'on_jobs_ready',
  'on_jobs_complete',
  'on_worker_start',
  'on_worker_complete',
] as const;

export type ActionTrigger = (typeof ACTION_TRIGGERS)[number];

/** Commands to be run at a moment of a run, once. */
export interface ActionModel {
  trigger: ActionTrigger;
  /** Indexes of the jobs that the trigger watches; empty for triggers that watch none. */
  jobs: number[];
  commands: string[];
}
