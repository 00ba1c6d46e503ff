import { describeTarget } from '../../core/notify/describe-target.ts';
import { harmlessLine } from '../../core/text/harmless-line.ts';
import type { NotificationData } from '../../store/rows/errands/notification-rows.ts';
import type { ServerErrandRow } from '../../store/rows/errands/server-errand-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { getRequestRow } from '../../store/rows/requests/request-rows.ts';
import type { Script } from '../../store/script.ts';
import { recordRequest } from '../records/record-request.ts';

const LONGEST_PROBLEM = 300;

/** What the audit trail has of a notification: where it went, without secrets. `problem`: it was given up. */
export function* recordNotification(
  { workflow_id, run_id, request_id, data }: ServerErrandRow,
  problem: string | null,
  now: number,
): Script<void> {
  const { facts, entry } = JSON.parse(data) as NotificationData;
  const about = { event: facts.event, target: describeTarget(entry.target) };
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

export function shortProblem(problem: string): string {
  return harmlessLine(problem, LONGEST_PROBLEM);
}
