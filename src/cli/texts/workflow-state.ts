import type { StatusCounts } from '../../contract/records/records.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { presentStatuses, type WorkflowState } from '../../views/workflow-state.ts';
import type { Style, StyledLine } from '../terminal/styled-line.ts';

export function stateStyle(state: WorkflowState): Style {
  if (state === 'completed') return 'green';
  return state === 'failed' ? 'red' : state === 'running' ? 'cyan' : 'yellow';
}

export function statusStyle(status: JobStatus): Style | undefined {
  switch (status) {
    case 'completed':
      return 'green';
    case 'failed':
    case 'terminated':
      return 'red';
    case 'canceled':
    case 'pending_failed':
      return 'yellow';
    case 'running':
      return 'cyan';
    default:
      return 'dim';
  }
}

/** `completed 5  failed 1  queued 2`; statuses that no job has are left out. */
export function countsLine(counts: StatusCounts): StyledLine {
  const line: StyledLine = [];
  for (const status of presentStatuses(counts)) {
    if (line.length > 0) line.push({ text: '  ' });
    line.push({ text: `${shownStatus(status)} ${counts[status]}`, style: statusStyle(status) });
  }
  return line;
}
