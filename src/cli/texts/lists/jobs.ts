import type { JobRecord } from '../../../contract/records/records.ts';
import { jobLabel } from '../../../core/job/job-label.ts';
import { shownStatus } from '../../../core/job/shown-status.ts';
import { formatDuration } from '../../../core/text/quantity.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { statusStyle } from '../workflow-state.ts';
import { listTable } from './list-table.ts';

export const jobsView: View<JobRecord[]> = {
  json: (jobs) => jobs,
  table: jobsTable,
  quiet: (jobs) => jobs.map(jobLabel),
};

function jobsTable(jobs: JobRecord[], style: TextStyle): string[] {
  const columns: Column<JobRecord>[] = [
    { title: 'ID', value: (job) => job.id, align: 'right' },
    { title: 'NAME', value: jobLabel, shrink: 'middle' },
    { title: 'STATUS', value: (job) => shownStatus(job.status), style: (job) => statusStyle(job.status) },
    { title: 'ATTEMPT', value: (job) => job.attempt_id, align: 'right' },
    { title: 'FAILURES', value: (job) => job.failure_count, align: 'right' },
    { title: 'LOST', value: (job) => job.preemption_count, align: 'right' },
    { title: 'REASON', value: (job) => jobReason(job, style.now), shrink: 'end' },
  ];
  return listTable(columns, jobs, style, 'no jobs match');
}

function jobReason(job: JobRecord, now: number): string {
  const wait = job.retry_available_at_ms - now;
  const due = job.status === 'ready' && wait > 0 ? ` (due in ${formatDuration(wait)})` : '';
  return `${job.reason ?? '-'}${due}`;
}
