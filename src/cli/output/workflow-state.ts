import { JOB_STATUSES, type JobStatus, TERMINAL_STATUSES } from '../../core/job-status.ts';
import type { StatusCounts, WorkflowStatus } from '../../core/records.ts';
import type { Style, StyledLine } from './styled-line.ts';

export type WorkflowState = 'completed' | 'failed' | 'waiting for a decision' | 'running' | 'incomplete';

/** One word for a workflow; incomplete means that nobody is driving it now. */
export function workflowState(status: WorkflowStatus): WorkflowState {
  if (status.complete) return status.exit_code === 0 ? 'completed' : 'failed';
  if (status.exit_code === 3) return 'waiting for a decision';
  return status.workers.length > 0 ? 'running' : 'incomplete';
}

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

export function endedCount(counts: StatusCounts): number {
  return sum(counts, (status) => TERMINAL_STATUSES.has(status));
}

export function jobCount(counts: StatusCounts): number {
  return sum(counts, () => true);
}

function sum(counts: StatusCounts, include: (status: JobStatus) => boolean): number {
  return JOB_STATUSES.reduce((total, status) => total + (include(status) ? counts[status] : 0), 0);
}

/** Ended ones first, in the order people look for them. */
const SHOWN_ORDER: JobStatus[] = [
  'completed',
  'failed',
  'terminated',
  'canceled',
  'pending_failed',
  'running',
  'pending',
  'ready',
  'blocked',
  'disabled',
  'uninitialized',
];

/** `completed 5  failed 1  running 2`; statuses that no job has are left out. */
export function countsLine(counts: StatusCounts): StyledLine {
  const line: StyledLine = [];
  for (const status of SHOWN_ORDER) {
    if (counts[status] === 0) continue;
    if (line.length > 0) line.push({ text: '  ' });
    line.push({ text: `${status} ${counts[status]}`, style: statusStyle(status) });
  }
  return line;
}
