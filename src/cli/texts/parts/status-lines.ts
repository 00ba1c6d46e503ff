import type { JobStatus } from '../../../core/job/job-status.ts';
import { shownStatus } from '../../../core/job/shown-status.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import { statusStyle } from '../workflow-state.ts';

const JOBS_SHOWN = 20;

/** The first of the jobs, one a line, each after the status that it had. */
export function statusLines(
  jobs: readonly { name: string; status: JobStatus }[],
  { paint }: Pick<TextStyle, 'paint'>,
): string[] {
  const shown = jobs.slice(0, JOBS_SHOWN);
  const width = Math.max(...shown.map(({ status }) => shownStatus(status).length));
  const lines = shown.map(
    ({ name, status }) =>
      `  ${paint(statusStyle(status) ?? 'dim', shownStatus(status).padEnd(width))}  ${visibleText(name)}`,
  );
  return jobs.length > shown.length ? [...lines, `  and ${jobs.length - shown.length} more`] : lines;
}
