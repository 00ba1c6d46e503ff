import type { FinishReport, StartReport } from '../../contract/records/exchange.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';

/**
 * A worker's times are not trusted: an attempt starts no earlier than it was claimed, ends no earlier than it started,
 * and does neither in the future.
 */
type Known = Pick<LiveAttempt, 'claimed_at' | 'started_at'>;

export function possibleStart<R extends StartReport>(report: R, live: Known, now: number): R {
  return { ...report, started_at_ms: between(live.claimed_at, report.started_at_ms, now) };
}

export function possibleEnd<R extends Omit<FinishReport, 'token'>>(report: R, live: Known, now: number): R {
  const { started_at_ms: reported, finished_at_ms } = report;
  const started = live.started_at ?? (reported === null ? null : between(live.claimed_at, reported, now));
  return {
    ...report,
    started_at_ms: reported === null ? null : started,
    finished_at_ms: between(started ?? live.claimed_at, finished_at_ms, now),
  };
}

function between(earliest: number, time: number, latest: number): number {
  return Math.max(earliest, Math.min(time, latest));
}
