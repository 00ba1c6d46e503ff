import type { WorkflowStatus } from '../../contract/records/records.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { outcomeAndReason } from '../../views/attempt.ts';
import { pausedBy } from '../../views/pause-text.ts';
import { remainingMs, type Watch } from '../../views/remaining-time.ts';
import type { Stage } from '../../views/timeline/stage-progress.ts';
import { visibleText } from '../../views/visible-text.ts';
import { endedCount, failuresWithoutRetry, jobCount } from '../../views/workflow-state.ts';
import { ellipsizeMiddle } from '../terminal/display-width.ts';
import { fitLine, type StyledLine } from '../terminal/styled-line.ts';
import { scriptText } from '../texts/status-text.ts';
import { countsLine } from '../texts/workflow-state.ts';
import { barLine } from './bar-line.ts';
import { stageLines } from './stage-lines.ts';

export interface ScreenSize {
  columns: number;
  rows: number;
}

interface FrameOptions {
  note?: string | null;
  watch?: Watch | null;
  /** Groups of jobs, in the order in which they can start. */
  stages?: readonly Stage[];
  /** false: name and bar are shown above, as those of a request. */
  hasHead?: boolean;
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
  { note = null, watch = null, stages = [], hasHead = true }: FrameOptions = {},
): StyledLine[] {
  const rows = Math.max(1, size.rows - 1);
  const head = hasHead ? [bar(status, size.columns), header(status, stages, now, watch)] : [];
  const fixed = [...head, countsLine(status.counts)].slice(0, rows);
  if (hasHead && fixed.length > 1) fixed.unshift(...fixed.splice(1, 1));
  const footer: StyledLine[] = note === null ? [] : [[{ text: visibleText(note), style: 'yellow' }]];

  const room = rows - fixed.length - footer.length;
  // Half of the screen at most: running jobs and failures are below.
  const shownStages = stageLines(stages, size.columns, Math.floor(room / 2));
  const lists = [failureLines(status), runningLines(status, size, now), waitingLines(status, size, now)];
  const shares = share(
    lists.map((list) => Math.min(list.length, LINES_PER_LIST)),
    room - shownStages.length,
  );
  const [failures, running, waiting] = lists.map((list, index) => list.slice(0, shares[index]));
  return [...fixed, ...shownStages, ...running!, ...waiting!, ...failures!, ...footer]
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

function header(
  status: WorkflowStatus,
  stages: readonly Stage[],
  now: number,
  watch: Watch | null,
): StyledLine {
  const { workflow, started_at_ms } = status;
  const paused = pausedBy(workflow);
  const left = paused === null ? remainingMs(status, now, watch) : null;
  return [
    { text: visibleText(workflow.name), style: 'bold' },
    { text: `  workflow ${workflow.id}, run ${workflow.run_id}` },
    { text: started_at_ms === null ? '' : `  ${elapsed(now - started_at_ms)}` },
    { text: paused === null ? '' : `  ${paused}`, style: 'yellow' },
    { text: left === null ? '' : `  about ${formatDuration(left)} left`, style: 'dim' },
    { text: cpusText(status, stages) },
  ];
}

/** `  3 of 8 CPUs in use`; empty before it is known, and where jobs run on machines of others. */
function cpusText({ workers }: WorkflowStatus, stages: readonly Stage[]): string {
  const total = workers.reduce((sum, { cpus }) => sum + cpus, 0);
  if (stages.length === 0 || total === 0) return '';
  const used = stages.reduce((sum, { cpus_in_use }) => sum + cpus_in_use, 0);
  return `  ${Math.round(used * 10) / 10} of ${total} CPUs in use`;
}

function bar(status: WorkflowStatus, columns: number): StyledLine {
  const total = jobCount(status.counts);
  const ended = endedCount(status.counts);
  const { completed, disabled } = status.counts;
  // Never 100 % before the end.
  const percent = total === 0 ? 100 : Math.floor((ended / total) * 100);
  const share = (count: number) => (total === 0 ? 0 : count / total);
  const shares = { good: share(completed + disabled), ended: share(ended) };
  return barLine(shares, ` ${percent}%  ${ended}/${total}`, columns);
}

/** Whole seconds: digits that change with every frame inform nobody. */
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
    const due =
      scriptText(job, now) ?? (wait > 0 ? `in ${formatDuration(Math.ceil(wait / 1000) * 1000)}` : 'now');
    return [
      { text: 'retry   ', style: 'yellow' },
      { text: `${name(job.name, size)}  ${due}: ${visibleText(outcomeAndReason(job.outcome, job.reason))}` },
    ];
  });
}

function failureLines(status: WorkflowStatus): StyledLine[] {
  return failuresWithoutRetry(status).map((job) => [
    { text: 'failure ', style: 'red' },
    { text: `${visibleText(job.name)}  ${visibleText(outcomeAndReason(job.outcome, job.reason))}` },
  ]);
}
