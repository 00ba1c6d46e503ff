import type { AllocationRecord, SchedulerRecord } from '../../../contract/records/allocation.ts';
import { visibleText } from '../../../views/visible-text.ts';
import { allocationReason } from '../../../views/workers/allocation-reason.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { Style } from '../../terminal/styled-line.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from '../lists/list-table.ts';

/** An allocation, and the jobs that its workers run. */
export interface ListedAllocation extends AllocationRecord {
  worker_ids: number[];
  /** How many jobs run in it now. */
  running: number;
}

export interface AllocationList {
  allocations: ListedAllocation[];
  /** Those of which nothing is submitted now; empty where no workflow was named. */
  held: SchedulerRecord[];
}

export const allocationsView: View<AllocationList> = {
  json: ({ allocations }) => allocations,
  table: ({ allocations, held }, style) => [
    ...allocationsTable(allocations, style),
    ...held.map((scheduler) => heldLine(scheduler, style)),
  ],
  quiet: ({ allocations }) => allocations.map(({ id }) => id),
};

const STYLES: Record<AllocationRecord['state'], Style> = {
  planned: 'yellow',
  submitting: 'yellow',
  queued: 'yellow',
  running: 'green',
  ended: 'dim',
};

function allocationsTable(allocations: ListedAllocation[], style: TextStyle): string[] {
  const time = (ms: number | null) => (ms === null ? null : shortTime(ms, style.now));
  const columns: Column<ListedAllocation>[] = [
    { title: 'ID', value: ({ id }) => id, align: 'right' },
    { title: 'WORKFLOW', value: ({ workflow_id }) => workflow_id, align: 'right' },
    { title: 'SCHEDULER', value: ({ scheduler }) => scheduler, shrink: 'middle' },
    { title: 'SLURM', value: ({ cluster_id }) => cluster_id, align: 'right' },
    { title: 'STATE', value: ({ state }) => state, style: ({ state }) => STYLES[state] },
    {
      title: 'REASON',
      value: allocationReason,
      shrink: 'end',
      style: ({ never }) => (never ? 'red' : undefined),
    },
    { title: 'START', value: ({ started_at_ms, starts_at_ms }) => time(started_at_ms ?? starts_at_ms) },
    { title: 'END', value: ({ ended_at_ms, ends_at_ms }) => time(ended_at_ms ?? ends_at_ms) },
    { title: 'WORKERS', value: ({ worker_ids }) => worker_ids.join(',') || null },
    { title: 'RUNNING', value: ({ running }) => running, align: 'right' },
  ];
  return listTable(columns, allocations, style, 'no allocations');
}

function heldLine(
  { name, workflow_id, paused, refusal, next_try_at_ms }: SchedulerRecord,
  style: TextStyle,
): string {
  const resume = style.command('slurm', 'resume', workflow_id, name);
  if (paused !== null)
    return visibleText(`scheduler ${name} is paused: ${paused.reason}; ${resume} resumes it`);
  const until = next_try_at_ms === null ? '' : ` until ${shortTime(next_try_at_ms, style.now)}`;
  return visibleText(`scheduler ${name} waits${until}: ${refusal ?? 'refused'}; ${resume} tries at once`);
}

export const allocationView: View<AllocationRecord> = {
  json: (allocation) => allocation,
  table: ({ id, cluster_id, state, cancel_reason }) => [
    `allocation ${id}${cluster_id === null ? '' : ` (Slurm ${cluster_id})`} ${state === 'ended' ? 'was canceled before it was submitted' : `is being canceled: ${visibleText(cancel_reason ?? '')}`}`,
  ],
  quiet: ({ state }) => [state],
};

export const resumedSchedulerView: View<SchedulerRecord> = {
  json: (scheduler) => scheduler,
  table: ({ name, workflow_id }) => [`scheduler ${visibleText(name)} of workflow ${workflow_id} is resumed`],
  quiet: ({ name }) => [name],
};
