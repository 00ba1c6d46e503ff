import type { Hint } from '../../contract/records/hint.ts';
import type { WorkflowStatus } from '../../contract/records/records.ts';
import { workflowState } from '../../views/workflow-state.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';

export interface ShownPause {
  status: WorkflowStatus;
  /** null if workers continue by themselves. */
  hint: Hint | null;
}

/** What `pause`, `stop` and `resume` print. */
export const pauseView: View<ShownPause> = {
  json: ({ status }) => status.workflow,
  table: ({ status, hint }, style) => [pauseLine(status), ...nextLines(hint, style)],
  quiet: ({ status }) => [workflowState(status)],
};

function pauseLine({ workflow, counts }: WorkflowStatus): string {
  const { id, paused } = workflow;
  const running = counts.pending + counts.running;
  if (paused === null) return `workflow ${id} is resumed`;
  if (running === 0) return `workflow ${id} is ${paused.stopping ? 'stopped' : 'paused'}`;
  return paused.stopping
    ? `workflow ${id} is stopping: ${runningJobs(running)} will be ended and queued again`
    : `workflow ${id} is paused; ${runningJobs(running)} will finish`;
}

function runningJobs(count: number): string {
  return `${count} running ${count === 1 ? 'job' : 'jobs'}`;
}
