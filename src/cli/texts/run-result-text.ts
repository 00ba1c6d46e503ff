import { relative } from 'node:path';
import type { Hint } from '../../contract/records/hint.ts';
import type { WorkflowStatus } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { attemptOutcome } from '../../views/attempt.ts';
import { hasRoutes } from '../../views/route-trace.ts';
import { failureCount, type RunResult, type ShownFailure, unshownFailures } from '../../views/run-result.ts';
import { visibleText } from '../../views/visible-text.ts';
import { paintLine } from '../terminal/styled-line.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { hintCommand, hintPurpose } from './parts/hint-command.ts';
import { routeTraceText } from './parts/route-trace-text.ts';
import { jobsCounted, someNames } from './parts/some-names.ts';
import { untilText } from './parts/until-text.ts';
import { headline } from './status-text.ts';
import { countsLine, statusStyle } from './workflow-state.ts';

const NAMES_SHOWN = 10;

/** JSON has the status and the trace; only the table has more. */
export const runResultView: View<RunResult> = {
  json: ({ status, trace }) => ({ ...status, trace }),
  table: runResultText,
  quiet: ({ status }) => [status.workflow.id],
};

function runResultText(result: RunResult, style: TextStyle): string[] {
  const { status, trace, debug, failed, recovered } = result;
  const { paint } = style;
  const lines = [
    paintLine(headline(status, style.now), paint),
    paintLine([{ text: '  ' }, ...countsLine(status.counts)], paint),
  ];
  const { held, workflow } = status;
  if (workflow.until !== null && held.jobs > 0) lines.push(`  ${untilText(workflow.until, held.jobs)}`);
  if (hasRoutes(trace) || (debug && trace.length > 0)) lines.push('', ...routeTraceText(trace, debug, style));
  const unshown = unshownFailures(result);
  lines.push(...kindsLine(result, unshown.count));
  for (const job of failed) lines.push('', ...failedJobText(job, style));

  if (unshown.count > 0) lines.push(`and ${unshown.count} more: ${hintCommand(unshown.hint, style)}`);

  if (recovered.length > 0) {
    const names = someNames(recovered.map(jobLabel), NAMES_SHOWN);
    lines.push('', `${paint('green', `${jobsCounted(recovered.length)} recovered`)}: ${names}`);
  }
  const next = nextText(result, style);
  return next.length === 0 ? lines : [...lines, '', ...next];
}

/** How many jobs failed, and in how many ways, where there are several. */
function kindsLine({ status: { counts }, failed }: RunResult, unshown: number): string[] {
  if (failed.length < 2) return [];
  const jobs = `${jobsCounted(failureCount(counts))} failed${counts.pending_failed > 0 ? ' or wait for a decision' : ''}`;
  return ['', `${jobs}, in ${unshown === 0 ? `${failed.length} ways` : 'these ways and others'}:`];
}

/** Commands with their purposes, in two columns; above them how many decisions are waited for. */
function nextText({ status, hints }: RunResult, style: TextStyle): string[] {
  if (hints.length === 0) return [];
  const offers = hints.map((hint) => [hintCommand(hint, style), purposeOf(hint, status)] as const);
  if (offers.length === 1) return offers.map(([command, purpose]) => `next: ${command}  (${purpose})`);
  const width = Math.max(...offers.map(([command]) => command.length)) + 2;
  const lines = offers.map(([command, purpose]) => `${command.padEnd(width)}${purpose}`);
  const waiting = status.counts.pending_failed;
  return waiting > 0
    ? [
        `next: ${jobsCounted(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a decision`,
        ...lines.map((line) => `  ${line}`),
      ]
    : lines.map((line, index) => `${index === 0 ? 'next: ' : '      '}${line}`);
}

/** The purpose of a command, as far as it depends on how the run ended. */
function purposeOf(hint: Hint, { complete, counts, held, exit_code }: WorkflowStatus): string {
  switch (hint.kind) {
    case 'run':
      if (held.jobs > 0 && exit_code !== null) return `runs the ${jobsCounted(held.jobs)} left`;
      return counts.pending_failed > 0 ? 'resume after that' : 'resumes where it stopped';
    case 'wait':
      return counts.pending_failed > 0 ? 'follow it after that' : 'follows it';
    case 'failures':
      return complete ? hintPurpose(hint)! : 'what failed, and how';
    case 'explain':
      return `why ${failureCount(counts) === 1 ? 'it' : visibleText(hint.job)} failed`;
    default:
      return hintPurpose(hint)!;
  }
}

function failedJobText(
  { job, attempt, stderr, jobs: count, alike }: ShownFailure,
  { paint, cwd }: TextStyle,
): string[] {
  const label = visibleText(jobLabel(job));
  const isOne = count === 1;
  const name = paint('bold', isOne ? label : jobsCounted(count));
  const jobs = isOne ? [] : [`  jobs: ${someNames([jobLabel(job), ...alike], NAMES_SHOWN, count)}`];
  const status = paint(statusStyle(job.status) ?? 'red', job.status);
  if (attempt === null) {
    return [`${status} ${name}: ${visibleText(job.reason ?? 'no reason was recorded')}`, ...jobs];
  }
  // The end of the job can be worse than what was decided about its attempt: a remediation may fail.
  const facts = [attemptOutcome(attempt), job.reason ?? attempt.reason].filter((each) => each !== null);
  const headline = `${status} ${name}: ${visibleText([...new Set(facts)].join(' - '))}`;
  if (attempt.started_at_ms === null) return [headline, ...jobs];
  return [
    headline,
    ...jobs,
    `  stderr${isOne ? '' : ` of ${label}`}: ${visibleText(shortPath(attempt.stderr_path, cwd))}${stderr.length === 0 ? ' (empty)' : ''}`,
    ...stderr.map((line) => `  ${paint('dim', '|')} ${visibleText(line)}`),
  ];
}

export function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short !== '' && !short.startsWith('..') ? short : path;
}
