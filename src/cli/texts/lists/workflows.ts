import type { WorkflowStatus } from '../../../contract/records/records.ts';
import { JOB_STATUSES } from '../../../core/job/job-status.ts';
import { endedCount, workflowState } from '../../../views/workflow-state.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { stateStyle } from '../workflow-state.ts';
import { listTable } from './list-table.ts';

/** The newest workflows; `more`: older ones that are not in the list. */
export interface ListedWorkflows {
  statuses: WorkflowStatus[];
  more: number;
}

export const workflowsView: View<ListedWorkflows> = {
  json: ({ statuses }) => statuses,
  rows: ({ statuses }) => statuses.map(workflowRow),
  table: workflowsTable,
  quiet: ({ statuses }) => statuses.map(({ workflow }) => workflow.id),
};

/** For CSV: the workflow with what its table shows of its state, and how many jobs are in each status. */
function workflowRow(status: WorkflowStatus): object {
  const { workflow, complete, exit_code, started_at_ms, finished_at_ms, counts } = status;
  const jobs = Object.fromEntries(JOB_STATUSES.map((each) => [`jobs_${each}`, counts[each]]));
  return {
    ...workflow,
    state: workflowState(status),
    complete,
    exit_code,
    started_at_ms,
    finished_at_ms,
    ...jobs,
  };
}

function workflowsTable({ statuses, more }: ListedWorkflows, style: TextStyle): string[] {
  const columns: Column<WorkflowStatus>[] = [
    { title: 'ID', value: ({ workflow }) => workflow.id, align: 'right' },
    { title: 'NAME', value: ({ workflow }) => workflow.name, shrink: 'middle' },
    { title: 'STATE', value: workflowState, style: (row) => stateStyle(workflowState(row)) },
    { title: 'RUN', value: ({ workflow }) => workflow.run_id, align: 'right' },
    { title: 'JOBS', value: ({ workflow }) => workflow.job_count, align: 'right' },
    { title: 'ENDED', value: ({ counts }) => endedCount(counts), align: 'right' },
    {
      title: 'FAILED',
      value: ({ counts }) => counts.failed + counts.terminated,
      align: 'right',
      style: ({ counts }) => (counts.failed + counts.terminated > 0 ? 'red' : undefined),
    },
    { title: 'CREATED', value: ({ workflow }) => shortTime(workflow.created_at_ms, style.now) },
  ];
  const lines = listTable(columns, statuses, style, 'no workflows yet');
  return more > 0 ? [...lines, style.paint('dim', `and ${more} older ones; --limit shows more`)] : lines;
}
