import type { ErrandReport } from '../../contract/records/errand.ts';
import type { FinishReport } from '../../contract/records/exchange.ts';
import { type Outcome, outcome } from '../../core/job/outcome.ts';

/** The allocation was ended before its time. */
export const TAKEN: Partial<Outcome> = { lost: true, allocation_ended: true };

/**
 * The report of an attempt whose end may be due to the machine being taken away. Whatever the process did then says
 * nothing, be it a failure or a success; only an end that its worker had begun before is what it was.
 */
export function unbelieved(report: FinishReport, facts: Partial<Outcome>): FinishReport {
  const { output: _, user_data: __, fingerprint: ___, files: ____, ...rest } = report;
  const { canceled, stopped, timed_out } = report.outcome;
  if (canceled || stopped || timed_out) return rest;
  // The time of what was never started is not over.
  return { ...rest, outcome: outcome(report.started_at_ms === null ? TAKEN : facts) };
}

/** The report of a script whose end is not believed. */
export function cutOff(report: ErrandReport): ErrandReport {
  switch (report.kind) {
    case 'evaluation':
      return report;
    case 'post':
      return { kind: 'post', id: report.id, post: null, lost: true };
    default:
      return { ...report, outcome: outcome(TAKEN) };
  }
}

/** A post script that was not begun any more is lost where the machine is. */
export function lostIfStopped(report: ErrandReport): ErrandReport {
  return report.kind === 'post' && report.post === null ? cutOff(report) : report;
}
