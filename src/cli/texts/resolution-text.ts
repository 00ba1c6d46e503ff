import type { Hint } from '../../contract/records/hint.ts';
import type { ResolvedJob, ResolveResult } from '../../contract/records/resolution.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';
import { jobsCounted, someNames } from './parts/some-names.ts';

const JOBS_SHOWN = 20;
const CANCELED_SHOWN = 5;

export interface ShownResolution extends ResolveResult {
  workflow_id: number;
  /** null if there is none, or a process drives the run already. */
  next: Hint | null;
}

/** Quiet: the jobs that were decided about. */
export const resolutionView: View<ShownResolution> = {
  json: ({ next, ...resolution }) => resolution,
  table: resolutionText,
  quiet: ({ jobs }) => jobs.filter(({ result }) => result === 'resolved').map(({ job_id }) => job_id),
};

/** How many jobs were decided about, each of the first with its result, and the next command. */
function resolutionText({ workflow_id, dry_run, jobs, next }: ShownResolution, style: TextStyle): string[] {
  const lines = [`workflow ${workflow_id}: ${countText(jobs, dry_run)}`, ...resolvedLines(jobs, style)];
  if (dry_run) lines.push('nothing was changed; the same without --dry-run decides');
  return [...lines, ...nextLines(next, style)];
}

/** The first of the jobs, one a line, each with what the decision leads to. */
export function resolvedLines(jobs: readonly ResolvedJob[], style: Pick<TextStyle, 'paint'>): string[] {
  const lines: string[] = [];
  const shown = jobs.slice(0, JOBS_SHOWN);
  for (const job of shown) {
    const action = style.paint(job.action === 'retry' ? 'green' : 'red', job.action.padEnd(5));
    lines.push(`  ${action}  ${visibleText(job.name)}: ${fateText(job)}`);
  }
  if (jobs.length > shown.length) lines.push(`  and ${jobs.length - shown.length} more`);
  return lines;
}

function countText(jobs: readonly ResolvedJob[], dryRun: boolean): string {
  const count = (result: ResolvedJob['result']) => jobs.filter((job) => job.result === result).length;
  const already = count('already_resolved');
  const left = count('left');
  const decided = count('resolved');
  return [
    decided === 0
      ? 'nothing changes'
      : `${dryRun ? 'would decide' : 'decided'} about ${jobsCounted(decided)}`,
    ...(already > 0 ? [`${already} already resolved`] : []),
    ...(left > 0 ? [`${left} left for a person`] : []),
  ].join(', ');
}

function fateText({ action, result, attempt_id, reason, canceled, ...job }: ResolvedJob): string {
  if (result === 'already_resolved') return 'already resolved';
  if (result === 'left') return 'left for a person';
  const why = reason === null ? '' : `; ${visibleText(reason)}`;
  if (action === 'retry') return `attempt ${attempt_id + 1} comes next${resourcesText(job)}${why}`;
  const cancels = canceled.length === 0 ? '' : `, cancels ${someNames(canceled, CANCELED_SHOWN)}`;
  return `ends as failed${cancels}${why}`;
}

/** ` with 4g of memory and 2h00m`; nothing where nothing changes. */
export function resourcesText({
  memory_bytes,
  runtime_ms,
}: Pick<ResolvedJob, 'memory_bytes' | 'runtime_ms'>): string {
  const parts = [
    memory_bytes === null ? null : `${formatSize(memory_bytes)} of memory`,
    runtime_ms === null ? null : `a limit of ${formatDuration(runtime_ms)}`,
  ].filter((each) => each !== null);
  return parts.length === 0 ? '' : ` with ${parts.join(' and ')}`;
}
