import { describeTarget } from '../../core/notify/describe-target.ts';
import { harmlessLine } from '../../core/text/harmless-line.ts';
import type { NotificationData } from '../../store/rows/errands/notification-rows.ts';
import type { ServerErrandRow } from '../../store/rows/errands/server-errand-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import { TRACE_TARGET, type TraceData } from '../../store/rows/traces/trace-rows.ts';
import type { Script } from '../../store/script.ts';
import { recordRequest } from '../records/record-request.ts';

const LONGEST_PROBLEM = 300;
/** Stands for the moment where spans are sent. */
const SPANS = 'spans';

/** What the audit trail has of a notification: where it went, without secrets. `problem`: it was given up. */
export function* recordNotification(
  { workflow_id, run_id, request_id, data }: ServerErrandRow,
  problem: string | null,
  now: number,
): Script<void> {
  const about = sentBy(data);
  // There is one for every few attempts.
  if (about.event === SPANS && problem === null) return;
  const type = problem === null ? 'notification_sent' : 'notification_failed';
  if (workflow_id !== null) {
    yield* appendEvent({
      workflow_id,
      run_id: run_id!,
      at: now,
      type,
      reason: `${about.event} to ${about.target}${problem === null ? '' : `: ${shortProblem(problem)}`}`,
      data: about,
    });
  } else if (request_id !== null) {
    const reason = problem === null ? null : shortProblem(problem);
    yield* recordRequest(yield* getRequestRow(request_id), type, { ...about, problem: reason }, now);
  }
}

/** What an errand of notifications sends, and where, without secrets. */
export function sentBy(data: string): { event: string; target: string } {
  const given = JSON.parse(data) as NotificationData | TraceData;
  if ('trace' in given) return { event: SPANS, target: TRACE_TARGET };
  return { event: given.facts.event, target: describeTarget(given.entry.target) };
}

export function shortProblem(problem: string): string {
  return harmlessLine(problem, LONGEST_PROBLEM);
}
