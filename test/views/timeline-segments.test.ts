import { expect, test } from 'vitest';
import type { AttemptSpan, JobTimeline } from '../../src/contract/records/overview.ts';
import { segmentText, timelineSegments, timeMarks } from '../../src/views/timeline/timeline-segments.ts';

const span = (part: Partial<AttemptSpan>): AttemptSpan => ({
  run_id: 1,
  attempt_id: 1,
  state: 'SUCCEEDED',
  category: null,
  verdict: 'complete',
  error: null,
  claimed_at_ms: 0,
  started_at_ms: 0,
  finished_at_ms: 1_000,
  recovery: null,
  ...part,
});
const job = (attempts: AttemptSpan[], part: Partial<JobTimeline> = {}): JobTimeline => ({
  job_id: 1,
  name: 'a',
  scope: '',
  status: 'completed',
  ready_at_ms: null,
  retry_available_at_ms: 0,
  attempts,
  ...part,
});
const shown = (timeline: JobTimeline, now = 60_000) =>
  timelineSegments(timeline, now).map(
    (segment) =>
      `${segment.kind} ${segment.from_ms}-${segment.to_ms}${segment.kind === 'running' ? ` ${segment.end}` : ''}`,
  );

const FAILED = { state: 'FAILED', verdict: 'retry', error: 'exit 4' } as const;

test('attempts are segments, with waits and recovery scripts between them', () => {
  const first = span({ ...FAILED, started_at_ms: 500, recovery: { from_ms: 2_000, to_ms: 3_000 } });
  const second = span({ attempt_id: 2, claimed_at_ms: 4_000, started_at_ms: 4_000, finished_at_ms: 5_000 });
  expect(shown(job([first, second]))).toEqual([
    'waiting 0-500',
    'running 500-1000 retried',
    'waiting 1000-2000',
    'recovering 2000-3000',
    'waiting 3000-4000',
    'running 4000-5000 succeeded',
  ]);
  expect(timelineSegments(job([first, second]), 0).map(segmentText)).toContain(
    'attempt 1 failed and was retried after 500ms: exit 4',
  );
});

test('the time from ready to the first claim is a segment of its own, also before there is an attempt', () => {
  const attempt = span({ claimed_at_ms: 3_000, started_at_ms: 3_500, finished_at_ms: 4_000 });
  expect(shown(job([attempt], { ready_at_ms: 1_000 }))).toEqual([
    'queued 1000-3000',
    'waiting 3000-3500',
    'running 3500-4000 succeeded',
  ]);
  expect(shown(job([], { status: 'ready', ready_at_ms: 1_000 }))).toEqual(['queued 1000-60000']);
  expect(shown(job([attempt], { ready_at_ms: 3_000 }))[0]).toBe('waiting 3000-3500');
  expect(timelineSegments(job([attempt], { ready_at_ms: 1_000 }), 0).map(segmentText)[0]).toBe(
    'waited 2s for a worker',
  );
});

test('what is under way reaches until now', () => {
  expect(shown(job([span({ state: 'RUNNING', verdict: null, finished_at_ms: null })]))).toEqual([
    'running 0-60000 running',
  ]);
  expect(shown(job([span(FAILED)], { status: 'ready', retry_available_at_ms: 90_000 }))).toEqual([
    'running 0-1000 retried',
    'waiting 1000-60000',
  ]);
  const recovering = span({ ...FAILED, recovery: { from_ms: 1_000, to_ms: null } });
  expect(shown(job([recovering], { status: 'ready', retry_available_at_ms: 1 }))).toEqual([
    'running 0-1000 retried',
    'recovering 1000-60000',
  ]);
  expect(shown(job([span({ state: 'FAILED', verdict: 'ask' })], { status: 'pending_failed' }))).toEqual([
    'running 0-1000 asks',
  ]);
});

test('marks of an axis are round, and few however long it is', () => {
  expect(timeMarks(0, 6)).toEqual([0]);
  expect(timeMarks(2_500, 6)).toEqual([0, 500, 1_000, 1_500, 2_000, 2_500]);
  for (const length of [1, 999, 61_000, 5 * 3_600_000, 400 * 86_400_000]) {
    const marks = timeMarks(length, 6);
    expect(marks.length).toBeLessThanOrEqual(7);
    expect(marks.at(-1)!).toBeLessThanOrEqual(length);
  }
});
