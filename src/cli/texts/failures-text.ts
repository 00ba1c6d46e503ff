import type { Hint } from '../../contract/records/hint.ts';
import type { FailureGroup, PastDecisions } from '../../contract/records/resolution.ts';
import { newestJob, type SampledFailureGroup, waitingJobs } from '../../views/failure-group.ts';
import { visibleText } from '../../views/visible-text.ts';
import { ellipsizeEnd } from '../terminal/display-width.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';
import { jobsCounted, someNames } from './parts/some-names.ts';
import { shortPath } from './run-result-text.ts';

/** Of a line of stderr no more than this is shown where there is no terminal to fit it to. */
const LINE_SHOWN = 300;

/** Groups of failures, the largest first, and what helps; null if no job waits for a decision. */
export interface ShownFailures {
  groups: SampledFailureGroup[];
  next: Hint | null;
}

export const failuresView: View<ShownFailures> = {
  json: ({ groups }) => groups,
  table: failuresText,
  quiet: ({ groups }) => groups.map(({ fingerprint }) => fingerprint),
};

function failuresText({ groups, next }: ShownFailures, style: TextStyle): string[] {
  if (groups.length === 0) return ['no failures'];
  const lines = groups.flatMap((group, index) => [...(index === 0 ? [] : ['']), ...groupText(group, style)]);
  return next === null ? lines : [...lines, '', ...nextLines(next, style)];
}

export function groupText(group: SampledFailureGroup, style: TextStyle): string[] {
  const { fingerprint, jobs, past, stderr_tail } = group;
  const { paint, cwd, width } = style;
  const newest = newestJob(group);
  const waiting = waitingJobs([group]);
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
export function endText({
  error,
  cause,
  match_code,
}: Pick<FailureGroup, 'error' | 'cause' | 'match_code'>): string {
  const words = visibleText(error);
  const more = [
    words.includes(cause.replaceAll('_', ' ')) ? null : cause,
    match_code === null || words.includes(String(match_code)) ? null : `code ${match_code}`,
  ].filter((each) => each !== null);
  return more.length === 0 ? words : `${words === '' ? 'ended' : words} (${more.join(', ')})`;
}

/** `retried 12, 10 succeeded, 1 failed again; failed 2`: the results of earlier decisions about failures like this. */
export function pastText({ retried, succeeded, failed_again, failed }: PastDecisions): string {
  const became = [
    succeeded > 0 || retried > 0 ? `${succeeded} succeeded` : null,
    failed_again > 0 ? `${failed_again} failed again` : null,
  ].filter((each) => each !== null);
  const parts = [
    retried > 0 ? [`retried ${retried}`, ...became].join(', ') : null,
    failed > 0 ? `failed ${failed}` : null,
  ].filter((each) => each !== null);
  return parts.join('; ') || 'no decision about a failure like this';
}
