import { useCallback } from 'react';
import type { JobTimeline } from '../../../src/contract/records/overview.ts';
import type { WorkflowStatus } from '../../../src/contract/records/records.ts';
import { formatDuration } from '../../../src/core/text/quantity.ts';
import {
  type Segment,
  type SpanEnd,
  segmentText,
  spanEndText,
  timelineSegments,
  timeMarks,
} from '../../../src/views/timeline/timeline-segments.ts';
import { visibleText } from '../../../src/views/visible-text.ts';
import { Empty } from '../../parts/section.tsx';
import { fullTime, useNow } from '../../parts/times.ts';
import { SegmentShape, SPAN_FILLS, SpanPatterns } from './segment-look.tsx';
import { TimelineRows } from './timeline-rows.tsx';

const MOST_MARKS = 6;

/** Attempts of the current run over time, with what is between them. */
export function TimelineView({ status }: { status: WorkflowStatus }) {
  const { started_at_ms: began, finished_at_ms: ended } = status;
  const clock = useNow(status.complete ? 60_000 : 1_000);
  const end = ended ?? Math.max(clock, began ?? 0);
  const cells = useCallback(
    (timeline: JobTimeline) => <Course timeline={timeline} from={began!} to={Math.max(end, began! + 1)} />,
    [began, end],
  );
  if (began === null) return <Empty>The run has not started yet.</Empty>;
  const length = Math.max(1, end - began);
  return (
    <>
      <SpanPatterns />
      <TimelineRows
        status={status}
        runs={1}
        label={`Timeline of run ${status.workflow.run_id}`}
        head={<Axis lengthMs={length} began={began} />}
        legend={<Legend />}
        width="min-w-[34rem]"
        cells={cells}
      />
    </>
  );
}

/** Times since the beginning of the run. */
function Axis({ lengthMs, began }: { lengthMs: number; began: number }) {
  return (
    // biome-ignore lint/a11y: rows of a virtual table are placed by themselves
    <span role="columnheader" title={`from ${fullTime(began)}`} className="relative mr-4 grow">
      <span className="sr-only">Attempts over time</span>
      {timeMarks(lengthMs, MOST_MARKS).map((mark) => (
        <span
          key={mark}
          aria-hidden="true"
          className="absolute inset-y-0 flex items-center border-l border-line pl-1 whitespace-nowrap tabular-nums"
          style={{ left: `${(mark / lengthMs) * 100}%` }}
        >
          {mark / lengthMs > 0.94 ? '' : mark === 0 ? '0' : formatDuration(mark)}
        </span>
      ))}
    </span>
  );
}

function Course({ timeline, from, to }: { timeline: JobTimeline; from: number; to: number }) {
  const segments = timelineSegments(timeline, to);
  const place = (ms: number) => (Math.min(Math.max(ms - from, 0), to - from) / (to - from)) * 100;
  const text = segments.map(segmentText).join('; ');
  return (
    // biome-ignore lint/a11y: as above
    <span role="cell" className="relative mr-4 grow">
      {segments.length > 0 && (
        <svg role="img" aria-label={visibleText(text)} className="absolute inset-0 h-full w-full">
          {segments.map((segment) => (
            <g key={`${segment.kind} ${segment.from_ms}`}>
              <title>{visibleText(segmentText(segment))}</title>
              <SegmentShape
                segment={segment}
                left={place(segment.from_ms)}
                width={place(segment.to_ms) - place(segment.from_ms)}
              />
            </g>
          ))}
        </svg>
      )}
    </span>
  );
}

const SHOWN_ENDS: SpanEnd[] = ['succeeded', 'retried', 'failed', 'asks', 'preempted', 'running'];
const BETWEEN: { kind: 'waiting' | 'recovering'; text: string }[] = [
  { kind: 'waiting', text: 'waited' },
  { kind: 'recovering', text: 'recovery script ran' },
];

function Legend() {
  return (
    <ul aria-label="What the bars mean" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-quiet">
      {SHOWN_ENDS.map((end) => (
        <li key={end} className="flex items-center gap-1.5">
          <svg aria-hidden="true" className="h-3.5 w-5">
            <rect width="100%" height="100%" rx="2" className={SPAN_FILLS[end]} />
          </svg>
          {spanEndText(end)}
        </li>
      ))}
      {BETWEEN.map(({ kind, text }) => (
        <li key={kind} className="flex items-center gap-1.5">
          <svg aria-hidden="true" viewBox="0 8 20 18" preserveAspectRatio="none" className="h-3.5 w-5">
            <SegmentShape segment={{ kind, from_ms: 0, to_ms: 1 } satisfies Segment} left={0} width={100} />
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}
