import { relative } from 'node:path';
import { jobLabel } from '../../core/job-label.ts';
import type { JobStatus } from '../../core/job-status.ts';
import { hasRoutes } from '../run/route-trace.ts';
import { attemptOutcome } from './list-tables.ts';
import type { FailedJob, RunResult } from './renderer.ts';
import { routeTraceText } from './route-trace-text.ts';
import { headline } from './status-text.ts';
import { paintLine } from './styled-line.ts';
import type { TextStyle } from './text-style.ts';
import { visibleText } from './visible-text.ts';
import { countsLine, statusStyle } from './workflow-state.ts';

/** Jobs of which the end of a run tells how they failed; those that somebody has to look at first. */
export const TOLD_STATUSES: readonly JobStatus[] = ['pending_failed', 'failed', 'terminated'];

const NAMES_SHOWN = 10;

export function runResultText(result: RunResult, style: TextStyle): string[] {
  const { status, trace, debug, failed, recovered, next } = result;
  const { paint } = style;
  const lines = [
    paintLine(headline(status, style.now), paint),
    paintLine([{ text: '  ' }, ...countsLine(status.counts)], paint),
  ];
  if (hasRoutes(trace) || (debug && trace.length > 0)) lines.push('', ...routeTraceText(trace, debug, style));
  for (const job of failed) lines.push('', ...failedJobText(job, style));

  const present = TOLD_STATUSES.filter((each) => status.counts[each] > 0);
  const unshown = present.reduce((sum, each) => sum + status.counts[each], -failed.length);
  if (unshown > 0)
    lines.push(`and ${unshown} more: holdfast jobs ${status.workflow.id} --status ${present.join(',')}`);

  if (recovered.length > 0) {
    const names = recovered.slice(0, NAMES_SHOWN).map((job) => visibleText(jobLabel(job)));
    const rest = recovered.length - names.length;
    lines.push(
      '',
      `${paint('green', `${recovered.length} ${recovered.length === 1 ? 'job' : 'jobs'} recovered`)}: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    );
  }
  if (next !== null) lines.push('', `next: ${next}`);
  return lines;
}

function failedJobText({ job, attempt, stderr }: FailedJob, { paint, cwd }: TextStyle): string[] {
  const name = paint('bold', visibleText(jobLabel(job)));
  const status = paint(statusStyle(job.status) ?? 'red', job.status);
  if (attempt === null) return [`${status} ${name}: ${visibleText(job.reason ?? 'no reason was recorded')}`];
  // What became of the job can be worse than what was decided about its attempt: a remediation may fail.
  const told = [attemptOutcome(attempt), job.reason ?? attempt.reason].filter((each) => each !== null);
  const headline = `${status} ${name}: ${visibleText([...new Set(told)].join(' - '))}`;
  if (attempt.started_at_ms === null) return [headline];
  return [
    headline,
    `  stderr: ${visibleText(shortPath(attempt.stderr_path, cwd))}${stderr.length === 0 ? ' (empty)' : ''}`,
    ...stderr.map((line) => `  ${paint('dim', '|')} ${visibleText(line)}`),
  ];
}

export function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short !== '' && !short.startsWith('..') ? short : path;
}
