import type { AttemptSpan, JobTimeline } from '../../contract/records/overview.ts';
import { formatDuration } from '../../core/text/quantity.ts';

/** How an attempt ended, as far as it matters for how it looks. `retried`: it failed, and was not the last one. */
export type SpanEnd = 'running' | 'succeeded' | 'retried' | 'failed' | 'asks' | 'preempted' | 'ended';

/** A part of the history of a job, from one time to another. */
export type Segment =
  | { kind: 'queued' | 'waiting' | 'recovering'; from_ms: number; to_ms: number }
  | { kind: 'running'; from_ms: number; to_ms: number; end: SpanEnd; attempt: AttemptSpan };

/** The attempts of one run with what is before and between them. `queued`: ready, before the first of them was claimed. */
export function timelineSegments(
  { attempts, status, ready_at_ms, retry_available_at_ms }: JobTimeline,
  now: number,
): Segment[] {
  const segments: Segment[] = [];
  const add = (segment: Segment) => {
    if (segment.to_ms > segment.from_ms || segment.kind === 'running') segments.push(segment);
  };
  if (ready_at_ms !== null) {
    add({ kind: 'queued', from_ms: ready_at_ms, to_ms: attempts[0]?.claimed_at_ms ?? now });
  }
  for (const [index, attempt] of attempts.entries()) {
    const { claimed_at_ms, started_at_ms, finished_at_ms } = attempt;
    const begin = started_at_ms ?? claimed_at_ms;
    add({ kind: 'waiting', from_ms: claimed_at_ms, to_ms: started_at_ms ?? finished_at_ms ?? now });
    if (started_at_ms !== null) {
      const to = finished_at_ms ?? now;
      add({ kind: 'running', from_ms: begin, to_ms: Math.max(begin, to), end: spanEnd(attempt), attempt });
    }
    if (finished_at_ms === null) continue;
    const next = attempts[index + 1];
    const isAwaited = next !== undefined || (status === 'ready' && retry_available_at_ms > 0);
    if (!isAwaited) continue;
    let since = finished_at_ms;
    if (attempt.recovery !== null) {
      const to = attempt.recovery.to_ms ?? now;
      add({ kind: 'waiting', from_ms: since, to_ms: attempt.recovery.from_ms });
      add({ kind: 'recovering', from_ms: attempt.recovery.from_ms, to_ms: to });
      since = to;
    }
    add({ kind: 'waiting', from_ms: since, to_ms: next?.claimed_at_ms ?? now });
  }
  return segments;
}

export function spanEnd({ state, verdict }: AttemptSpan): SpanEnd {
  switch (state) {
    case 'PENDING':
    case 'RUNNING':
      return 'running';
    case 'SUCCEEDED':
      return 'succeeded';
    case 'WORKER_FAILED':
    case 'STOPPED':
      return 'preempted';
    case 'KILLED':
    case 'SKIPPED':
      return 'ended';
    case 'FAILED':
      if (verdict === 'ask') return 'asks';
      return verdict === 'retry' || verdict === 'requeue' || verdict === 'goto' ? 'retried' : 'failed';
  }
}

const ENDS: Record<SpanEnd, string> = {
  running: 'is running',
  succeeded: 'succeeded',
  retried: 'failed and was retried',
  failed: 'failed',
  asks: 'failed and waits for a decision',
  preempted: 'was lost or stopped',
  ended: 'was ended',
};

export function spanEndText(end: SpanEnd): string {
  return ENDS[end];
}

/** `attempt 2 failed after 3s: exit 4`. */
export function segmentText(segment: Segment): string {
  const length = formatDuration(segment.to_ms - segment.from_ms);
  if (segment.kind !== 'running') {
    if (segment.kind === 'recovering') return `recovery script ran for ${length}`;
    return segment.kind === 'queued' ? `waited ${length} for a worker` : `waited ${length}`;
  }
  const { attempt, end } = segment;
  if (end === 'running') return `attempt ${attempt.attempt_id} has been running for ${length}`;
  const error = attempt.error === null ? '' : `: ${attempt.error}`;
  return `attempt ${attempt.attempt_id} ${spanEndText(end)} after ${length}${error}`;
}

const STEPS_MS = [
  100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
  7_200_000, 21_600_000, 43_200_000, 86_400_000,
];

/** Round times after the beginning, at most so many. */
export function timeMarks(lengthMs: number, most: number): number[] {
  const day = STEPS_MS.at(-1)!;
  const step = STEPS_MS.find((each) => lengthMs / each <= most) ?? Math.ceil(lengthMs / most / day) * day;
  const count = Math.floor(lengthMs / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
