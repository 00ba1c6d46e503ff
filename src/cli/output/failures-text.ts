import type { FailureGroup, PastDecisions } from '../../core/resolution.ts';
import type { DecisionStats } from '../triage/decision-stats.ts';
import { newestJob, type ToldGroup } from '../triage/told-group.ts';
import { ellipsizeEnd } from './display-width.ts';
import { shortTime } from './local-time.ts';
import { shortPath } from './run-result-text.ts';
import { jobsCounted, someNames } from './some-names.ts';
import type { TextStyle } from './text-style.ts';
import { type Column, textTable } from './text-table.ts';
import { visibleText } from './visible-text.ts';

/** Of a line of stderr no more than this is shown where there is no terminal to fit it to. */
const LINE_SHOWN = 300;

/** Every group, the largest first, then what helps. */
export function failuresText(groups: readonly ToldGroup[], next: string | null, style: TextStyle): string[] {
  if (groups.length === 0) return ['no failures'];
  const lines = groups.flatMap((group, index) => [...(index === 0 ? [] : ['']), ...groupText(group, style)]);
  return next === null ? lines : [...lines, '', `next: ${next}`];
}

export function groupText(group: ToldGroup, style: TextStyle): string[] {
  const { fingerprint, jobs, past, stderr_tail } = group;
  const { paint, cwd, width } = style;
  const newest = newestJob(group);
  const waiting = jobs.filter(({ status }) => status === 'pending_failed').length;
  const waits =
    waiting === 0 ? '' : paint('yellow', `, ${waiting === jobs.length ? '' : `${waiting} `}waiting`);
  const tail = stderr_tail === '' ? [] : stderr_tail.split('\n');
  return [
    `${paint('bold', fingerprint)}  ${jobsCounted(jobs.length)}${waits}: ${endText(group)}`,
    `  jobs: ${someNames(jobs.map(({ name }) => name))}`,
    `  before: ${pastText(past)}`,
    `  stderr of ${visibleText(newest.name)}: ${visibleText(shortPath(newest.stderr_path, cwd))}${tail.length === 0 ? ' (empty)' : ''}`,
    ...tail.map(
      (line) =>
        `  ${paint('dim', '|')} ${ellipsizeEnd(visibleText(line), Math.min(LINE_SHOWN, Math.max(20, width - 4)))}`,
    ),
  ];
}

/** `exit 1`, with the cause and the code that rules see where the words do not say them. */
export function endText({ error, cause, match_code }: FailureGroup): string {
  const words = visibleText(error);
  const more = [
    words.includes(cause.replaceAll('_', ' ')) ? null : cause,
    match_code === null || words.includes(String(match_code)) ? null : `code ${match_code}`,
  ].filter((each) => each !== null);
  return more.length === 0 ? words : `${words === '' ? 'ended' : words} (${more.join(', ')})`;
}

/** `retried 12, 10 succeeded, 1 failed again; failed 2`: what became of earlier decisions about failures like this. */
export function pastText({ retried, succeeded, failed_again, failed }: PastDecisions): string {
  const became = [
    succeeded > 0 || retried > 0 ? `${succeeded} succeeded` : null,
    failed_again > 0 ? `${failed_again} failed again` : null,
  ].filter((each) => each !== null);
  const parts = [
    retried > 0 ? [`retried ${retried}`, ...became].join(', ') : null,
    failed > 0 ? `failed ${failed}` : null,
  ].filter((each) => each !== null);
  return parts.join('; ') || 'nobody has decided about a failure like this';
}

export function decisionStatsTable(stats: readonly DecisionStats[], style: TextStyle): string[] {
  const rows = stats.flatMap(({ fingerprint, by }) => by.map((each) => ({ fingerprint, ...each })));
  if (rows.length === 0) return ['no decisions yet'];
  const ofRetry = (row: (typeof rows)[number], value: number) => (row.action === 'retry' ? value : null);
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'FINGERPRINT', value: (row) => row.fingerprint },
    { title: 'DECISION', value: (row) => row.action },
    { title: 'ACTOR', value: (row) => row.actor },
    { title: 'JOBS', value: (row) => row.decisions, align: 'right' },
    { title: 'SUCCEEDED', value: (row) => ofRetry(row, row.succeeded), align: 'right' },
    { title: 'FAILED AGAIN', value: (row) => ofRetry(row, row.failed_again), align: 'right' },
    { title: 'OPEN', value: (row) => ofRetry(row, row.open), align: 'right' },
    { title: 'LATEST', value: (row) => shortTime(row.latest_at_ms, style.now) },
    { title: 'REASON', value: (row) => row.latest_reason, shrink: 'end' },
  ];
  return textTable(columns, rows, style.width, style.paint);
}
