import type { Exchange } from '../../contract/records/exchange.ts';

/** What the network may take: smaller differences are none of the clocks. */
const TOLERATED_MS = 2_000;

/** The exchange with its times by the engine's clock. */
export function withoutSkew(sent: Exchange, now: number): Exchange {
  const shift = now - (sent.sent_at_ms ?? now);
  if (Math.abs(shift) <= TOLERATED_MS) return sent;
  const moved = (time: number | null) => (time === null ? null : time + shift);
  return {
    ...sent,
    started: sent.started.map((report) => ({ ...report, started_at_ms: report.started_at_ms + shift })),
    finished: sent.finished.map((report) => ({
      ...report,
      started_at_ms: moved(report.started_at_ms),
      finished_at_ms: report.finished_at_ms + shift,
    })),
  };
}
