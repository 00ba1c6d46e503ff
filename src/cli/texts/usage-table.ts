import { shownStatus } from '../../core/job/shown-status.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import type { JobUsage } from '../../views/job-usage.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import { type Column, textTable } from '../terminal/text-table.ts';
import type { View } from '../terminal/view.ts';
import { jobsCounted } from './parts/some-names.ts';
import { usageCurves } from './parts/usage-curves.ts';
import { statusStyle } from './workflow-state.ts';

/** A row of CSV: samples are in the JSON only, they are too long for a field. */
export type UsageRow = Omit<JobUsage, 'samples'>;

/** Quiet: the jobs that are marked. */
export const usageView: View<JobUsage[]> = {
  json: (jobs) => jobs,
  table: usageTable,
  quiet: (jobs) => jobs.filter(({ marks }) => marks.length > 0).map(({ name }) => name),
};

/** Requested against used, one job per line, and how many of them are marked. */
function usageTable(jobs: readonly JobUsage[], style: TextStyle): string[] {
  if (jobs.length === 0) return ['no attempt has ended yet'];
  const columns: Column<JobUsage>[] = [
    { title: 'JOB', value: (job) => job.name, shrink: 'middle' },
    { title: 'STATUS', value: (job) => shownStatus(job.status), style: (job) => statusStyle(job.status) },
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
    ...textTable(columns.filter(hasValue(jobs)), jobs, style.width, style.paint),
    '',
    jobs.some(isCompared)
      ? `used above 90 % of what they asked for: ${jobsCounted(count('high'))}; below 20 %: ${jobsCounted(count('low'))}`
      : 'no job asks for memory, CPUs or time, so that there is nothing to compare',
    ...usageCurves(jobs),
  ];
}

/** Whether what it used is known as a share of what it asked for. */
const isCompared = ({ memory_share, runtime_share, cpus_share }: JobUsage): boolean =>
  [memory_share, runtime_share, cpus_share].some((share) => share !== null);

/** What nobody asked for and nothing measured takes no room. */
const hasValue =
  (jobs: readonly JobUsage[]) =>
  ({ value }: Column<JobUsage>): boolean =>
    jobs.some((job) => (value(job) ?? null) !== null);

const size = (bytes: number | null) => (bytes === null ? null : formatSize(bytes));
const duration = (ms: number | null) => (ms === null ? null : formatDuration(ms));
const percent = (share: number | null) => (share === null ? null : `${Math.round(share * 100)}%`);
