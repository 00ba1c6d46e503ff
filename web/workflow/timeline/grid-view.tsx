import { useCallback } from 'react';
import type { AttemptSpan, JobTimeline } from '../../../src/contract/records/overview.ts';
import type { WorkflowStatus } from '../../../src/contract/records/records.ts';
import { type SpanEnd, spanEnd, spanEndText } from '../../../src/views/timeline/timeline-segments.ts';
import { visibleText } from '../../../src/views/visible-text.ts';
import { type Tone, ToneIcon } from '../../parts/status-icon.tsx';
import { counted } from '../../parts/words.ts';
import { TimelineRows } from './timeline-rows.tsx';

const MOST_RUNS = 20;
const CELL = 'flex w-12 shrink-0 items-center justify-center gap-0.5 tabular-nums';

const TONES: Record<SpanEnd, Tone> = {
  running: 'runs',
  succeeded: 'good',
  retried: 'bad',
  failed: 'bad',
  asks: 'asks',
  preempted: 'blocked',
  ended: 'off',
};

/** Jobs by runs: how each ended in each, and with how many attempts. */
export function GridView({ status }: { status: WorkflowStatus }) {
  const newest = status.workflow.run_id;
  const count = Math.min(newest, MOST_RUNS);
  const cells = useCallback(
    (timeline: JobTimeline) =>
      runsOf(newest, count).map((run) => (
        <Cell key={run} run={run} attempts={timeline.attempts.filter(({ run_id }) => run_id === run)} />
      )),
    [newest, count],
  );
  return (
    <TimelineRows
      status={status}
      runs={count}
      label="Jobs by runs"
      width="w-max min-w-full"
      head={runsOf(newest, count).map((run) => (
        // biome-ignore lint/a11y: rows of a virtual table are placed by themselves
        <span key={run} role="columnheader" className={`${CELL} py-2`}>
          run {run}
        </span>
      ))}
      legend={
        <p className="text-xs text-quiet">
          {newest === 1 ? 'There has been one run.' : `Each column is a run, the newest first.`} A number
          counts attempts, if there were several; an empty place is a job that kept its result or was not
          reached.
        </p>
      }
      cells={cells}
    />
  );
}

function runsOf(newest: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => newest - index);
}

function Cell({ run, attempts }: { run: number; attempts: AttemptSpan[] }) {
  const last = attempts.at(-1);
  if (last === undefined) {
    return (
      // biome-ignore lint/a11y: as above
      <span role="cell" className={CELL}>
        <span aria-hidden="true" className="text-quiet">
          ·
        </span>
      </span>
    );
  }
  const end = spanEnd(last);
  const error = last.error === null ? '' : `: ${last.error}`;
  const text = visibleText(`run ${run}: ${spanEndText(end)}, ${counted(attempts.length, 'attempt')}${error}`);
  return (
    // biome-ignore lint/a11y: as above
    <span role="cell" title={text} className={CELL}>
      <ToneIcon tone={TONES[end]} />
      {attempts.length > 1 && (
        <span aria-hidden="true" className="text-xs text-quiet">
          {attempts.length}
        </span>
      )}
      <span className="sr-only">{text}</span>
    </span>
  );
}
