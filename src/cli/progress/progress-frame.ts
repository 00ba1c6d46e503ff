import { formatDuration } from '../../core/quantity.ts';
import type { WorkflowStatus } from '../../core/records.ts';
import { displayWidth, ellipsizeMiddle } from '../output/display-width.ts';
import { fitLine, type StyledLine } from '../output/styled-line.ts';
import { visibleText } from '../output/visible-text.ts';
import { countsLine, endedCount, jobCount } from '../output/workflow-state.ts';

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** What the one who draws the frames has seen: how many jobs had ended when it began. */
export interface Watch {
  since: number;
  ended: number;
}

const LINES_PER_LIST = 8;
const NAME_SHARE = 0.5;

/**
 * The progress screen: at most one row less than the screen has, so that drawing it never scrolls,
 * and no line wider than the screen. What matters most is kept on small screens: bar, failures, running.
 */
export function progressFrame(
  status: WorkflowStatus,
  size: ScreenSize,
  now: number,
  { note = null, watch = null }: { note?: string | null; watch?: Watch | null } = {},
): StyledLine[] {
  const rows = Math.max(1, size.rows - 1);
  const fixed = [bar(status, size.columns), header(status, now, watch), countsLine(status.counts)].slice(
    0,
    rows,
  );
  if (fixed.length > 1) fixed.unshift(...fixed.splice(1, 1));
  const footer: StyledLine[] = note === null ? [] : [[{ text: visibleText(note), style: 'yellow' }]];

  const lists = [failureLines(status), runningLines(status, size, now), waitingLines(status, size, now)];
  const shares = share(
    lists.map((list) => Math.min(list.length, LINES_PER_LIST)),
    rows - fixed.length - footer.length,
  );
  const [failures, running, waiting] = lists.map((list, index) => list.slice(0, shares[index]));
  return [...fixed, ...running!, ...waiting!, ...failures!, ...footer]
    .slice(-rows)
    .map((line) => fitLine(line, size.columns));
}

/** Hands out `room` one line at a time, the first list first, until nobody wants more. */
function share(wanted: number[], room: number): number[] {
  const given = wanted.map(() => 0);
  let left = Math.max(0, room);
  for (let round = 0; left > 0 && round < LINES_PER_LIST; round += 1) {
    for (const [index, most] of wanted.entries()) {
      if (left > 0 && given[index]! < most) {
        given[index]! += 1;
        left -= 1;
      }
    }
  }
  return given;
}

function header(status: WorkflowStatus, now: number, watch: Watch | null): StyledLine {
  const { workflow, started_at_ms } = status;
  const left = remainingMs(status, now, watch);
  return [
    { text: visibleText(workflow.name), style: 'bold' },
    { text: `  workflow ${workflow.id}, run ${workflow.run_id}` },
    { text: started_at_ms === null ? '' : `  ${elapsed(now - started_at_ms)}` },
    { text: left === null ? '' : `  about ${formatDuration(left)} left`, style: 'dim' },
  ];
}

/** Enough to tell the pace from. */
const WATCHED_ENDS = 20;

/**
 * From the mean of the successful attempts and how many are under way, and from the pace since somebody
 * watches: a pause between two processes that drove the run does not count. null until something has succeeded.
 */
export function remainingMs(status: WorkflowStatus, now: number, watch: Watch | null): number | null {
  const mean = status.attempts.mean_success_ms;
  const open = jobCount(status.counts) - endedCount(status.counts);
  if (mean === null || open === 0) return null;
  const work = (mean * open) / Math.max(1, status.counts.running + status.counts.pending);
  const watched = watch === null ? 0 : endedCount(status.counts) - watch.ended;
  const pace = watch !== null && watched >= WATCHED_ENDS ? ((now - watch.since) / watched) * open : 0;
  const lastRetry = Math.max(0, ...status.waiting.map((job) => job.retry_available_at_ms - now + mean));
  return Math.max(1, Math.round(Math.max(work, pace, lastRetry) / 1000)) * 1000;
}

function bar(status: WorkflowStatus, columns: number): StyledLine {
  const total = jobCount(status.counts);
  const ended = endedCount(status.counts);
  const { completed, disabled } = status.counts;
  // Never 100 % before the end.
  const percent = total === 0 ? 100 : Math.floor((ended / total) * 100);
  const label = ` ${percent}%  ${ended}/${total}`;
  const width = Math.max(0, Math.min(60, columns - displayWidth(label)));
  const cells = (count: number) => (total === 0 ? 0 : Math.round((count / total) * width));
  const good = cells(completed + disabled);
  const bad = Math.max(0, cells(ended) - good);
  return [
    { text: '█'.repeat(good), style: 'green' },
    { text: '█'.repeat(bad), style: 'red' },
    { text: '░'.repeat(width - good - bad), style: 'dim' },
    { text: label },
  ];
}

/** Whole seconds: digits that change with every frame tell nothing. */
function elapsed(ms: number): string {
  return ms < 1000 ? '<1s' : formatDuration(Math.floor(ms / 1000) * 1000);
}

function name(text: string, size: ScreenSize): string {
  return ellipsizeMiddle(visibleText(text), Math.max(8, Math.floor(size.columns * NAME_SHARE)));
}

function runningLines(status: WorkflowStatus, size: ScreenSize, now: number): StyledLine[] {
  const lines = status.running.map((job): StyledLine => {
    const attempt = job.attempt_id > 1 ? `  attempt ${job.attempt_id}` : '';
    return [
      { text: 'running ', style: 'cyan' },
      { text: `${name(job.name, size)}  ${elapsed(now - job.started_at_ms)}${attempt}` },
    ];
  });
  const unshown = status.counts.running - Math.min(lines.length, LINES_PER_LIST);
  if (unshown > 0 && lines.length >= LINES_PER_LIST) {
    lines[LINES_PER_LIST - 1] = [{ text: `running and ${unshown + 1} more`, style: 'cyan' }];
  }
  return lines;
}

function waitingLines(status: WorkflowStatus, size: ScreenSize, now: number): StyledLine[] {
  return status.waiting.map((job) => {
    const wait = job.retry_available_at_ms - now;
    const due = wait > 0 ? `in ${formatDuration(Math.ceil(wait / 1000) * 1000)}` : 'now';
    return [
      { text: 'retry   ', style: 'yellow' },
      { text: `${name(job.name, size)}  ${due}: ${visibleText(`${job.outcome} - ${job.reason}`)}` },
    ];
  });
}

function failureLines(status: WorkflowStatus): StyledLine[] {
  return status.failures.map((job) => [
    { text: 'failure ', style: 'red' },
    { text: `${visibleText(job.name)}  ${visibleText(`${job.outcome} - ${job.reason}`)}` },
  ]);
}
