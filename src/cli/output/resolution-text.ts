import { formatDuration, formatSize } from '../../core/quantity.ts';
import type { ResolvedJob, ResolveResult } from '../../core/resolution.ts';
import type { ResolutionFacts } from './renderer.ts';
import { jobsCounted, someNames } from './some-names.ts';
import type { TextStyle } from './text-style.ts';
import { visibleText } from './visible-text.ts';

const JOBS_SHOWN = 20;
const CANCELED_SHOWN = 5;

/** How many jobs were decided about, each of the first with what becomes of it, and the next command. */
export function resolutionText(
  { dry_run, jobs }: ResolveResult,
  { workflowId, next }: ResolutionFacts,
  { paint }: TextStyle,
): string[] {
  const lines = [`workflow ${workflowId}: ${countText(jobs, dry_run)}`];
  const shown = jobs.slice(0, JOBS_SHOWN);
  for (const job of shown) {
    const action = paint(job.action === 'retry' ? 'green' : 'red', job.action.padEnd(5));
    lines.push(`  ${action}  ${visibleText(job.name)}: ${fateText(job)}`);
  }
  if (jobs.length > shown.length) lines.push(`  and ${jobs.length - shown.length} more`);
  if (dry_run) lines.push('nothing was changed; the same without --dry-run decides');
  if (next !== null) lines.push(`next: ${next}`);
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
