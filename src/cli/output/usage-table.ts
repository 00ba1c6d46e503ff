import { formatDuration, formatSize } from '../../core/quantity.ts';
import type { JobUsage } from './job-usage.ts';
import { jobsCounted } from './some-names.ts';
import type { TextStyle } from './text-style.ts';
import { type Column, textTable } from './text-table.ts';
import { statusStyle } from './workflow-state.ts';

/** Requested against used, one job a line, and how many of them are marked. */
export function usageTable(jobs: readonly JobUsage[], style: TextStyle): string[] {
  if (jobs.length === 0) return ['no attempt has ended yet'];
  const columns: Column<JobUsage>[] = [
    { title: 'JOB', value: (job) => job.name, shrink: 'middle' },
    { title: 'STATUS', value: (job) => job.status, style: (job) => statusStyle(job.status) },
    { title: 'MEMORY', value: (job) => size(job.memory_requested_bytes), align: 'right' },
    { title: 'PEAK', value: (job) => size(job.peak_rss_bytes), align: 'right' },
    { title: 'SHARE', value: (job) => percent(job.memory_share), align: 'right' },
    { title: 'LIMIT', value: (job) => duration(job.runtime_limit_ms), align: 'right' },
    { title: 'RAN', value: (job) => duration(job.ran_ms), align: 'right' },
    { title: 'SHARE', value: (job) => percent(job.runtime_share), align: 'right' },
    { title: 'CPUS', value: (job) => job.cpus_requested, align: 'right' },
    { title: 'USED', value: (job) => job.cpus_used?.toFixed(2) ?? null, align: 'right' },
    { title: 'SHARE', value: (job) => percent(job.cpus_share), align: 'right' },
    {
      title: 'MARK',
      value: ({ marks }) => marks.map((mark) => mark.replace('_', ' ')).join(', ') || null,
      style: ({ marks }) => (marks.some((mark) => mark.endsWith('high')) ? 'red' : 'yellow'),
    },
  ];
  const count = (level: string) =>
    jobs.filter(({ marks }) => marks.some((mark) => mark.endsWith(level))).length;
  return [
    ...textTable(columns, jobs, style.width, style.paint),
    '',
    `above 90 %: ${jobsCounted(count('high'))}; below 20 %: ${jobsCounted(count('low'))}`,
  ];
}

const size = (bytes: number | null) => (bytes === null ? null : formatSize(bytes));
const duration = (ms: number | null) => (ms === null ? null : formatDuration(ms));
const percent = (share: number | null) => (share === null ? null : `${Math.round(share * 100)}%`);
