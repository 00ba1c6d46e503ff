import type { Sender } from '../../../contract/records/notification.ts';
import type { TraceOrder } from '../../../contract/records/trace.ts';
import { idLists } from '../../many-rows.ts';
import { all, first, insert, placeholders, run, type Script } from '../../script.ts';
import { CLOSING_EVENTS } from '../attempts/attempt-times-rows.ts';

/** Where spans go: one order at a time is sent. */
export const TRACE_TARGET = 'traces';

/** What an errand for spans has, as it is stored. */
export interface TraceData {
  trace: TraceOrder;
  /** How the last try failed. */
  problem: string | null;
}

/** It has no time limit: each request has one, and there may be many. */
export function* insertTrace(
  { id, run_id }: { id: number; run_id: number },
  trace: TraceOrder,
  now: number,
): Script<number> {
  const data: TraceData = { trace, problem: null };
  return yield* insert(
    `insert into errand (workflow_id, run_id, kind, holder, target, data, ordered_at, due_at)
     values (?, ?, 'notification', 'server', ?, ?, ?, ?)`,
    id,
    run_id,
    TRACE_TARGET,
    JSON.stringify(data),
    now,
    now,
  );
}

/** The newest order for spans of the workflow. */
export function* findLastTrace(
  workflowId: number,
): Script<{ run_id: number; order: TraceOrder } | undefined> {
  const row = yield* first<{ run_id: number; data: string }>(
    'select run_id, data from errand where workflow_id = ? and target = ? order by id desc limit 1',
    workflowId,
    TRACE_TARGET,
  );
  return row && { run_id: row.run_id, order: (JSON.parse(row.data) as TraceData).trace };
}

/** Orders that were carried out, of which the next one has the end: a run of weeks must not leave one for every few seconds. */
export function* forgetSentTraces(workflowId: number): Script<void> {
  yield* run(
    'delete from errand where workflow_id = ? and target = ? and finished_at is not null',
    workflowId,
    TRACE_TARGET,
  );
}

/** The newest event before the run; 0: there is none. */
export function* lastEventBefore(workflowId: number, runId: number): Script<number> {
  if (runId === 1) return 0;
  const row = yield* first<{ id: number }>(
    'select id from event where workflow_id = ? and run_id < ? order by id desc limit 1',
    workflowId,
    runId,
  );
  return row?.id ?? 0;
}

export function* lastEvent(workflowId: number): Script<number> {
  const row = yield* first<{ id: number | null }>(
    'select max(id) as id from event where workflow_id = ?',
    workflowId,
  );
  return row?.id ?? 0;
}

/** Whether there is something to send after the event. */
export function* hasClosedAfter(workflowId: number, eventId: number): Script<boolean> {
  const row = yield* first(
    `select 1 as found from event where workflow_id = ? and id > ? and type in ${CLOSING_EVENTS} limit 1`,
    workflowId,
    eventId,
  );
  return row !== undefined;
}

/** Runs of the sender that have begun and not ended. */
export function* listOpenRuns(sender: Sender): Script<{ id: number; run_id: number }[]> {
  const [whose, values] =
    sender === 'shared'
      ? ['workflow.shared = 1', []]
      : 'workflow_id' in sender
        ? ['workflow.id = ?', [sender.workflow_id]]
        : ['workflow.request_id in (select id from request where name = ?)', [sender.request]];
  return yield* all<{ id: number; run_id: number }>(
    `select workflow.id, workflow.run_id from workflow
     join run on run.workflow_id = workflow.id and run.run_id = workflow.run_id
     where run.finished_at is null and run.started_at is not null and workflow.storing_until is null and ${whose}`,
    ...values,
  );
}

/** An attempt that was closed, or whose recovery script has ended. */
export interface TracedRow {
  event_id: number;
  type: string;
  token: number;
  job_id: number;
  job_name: string;
  scope: string;
  run_id: number;
  visit: number;
  attempt_id: number;
  worker_id: number;
  host: string;
  site: string;
  claimed_at: number;
  started_at: number | null;
  finished_at: number;
  outcome: string | null;
  cause: string | null;
  category: string | null;
  verdict: string | null;
  rule: string | null;
  reason: string | null;
  fingerprint: string | null;
  usage: string | null;
}

/** By the events that closed attempts first: what is recorded of an attempt later does not make another span of it. */
export function* listTraced(
  workflowId: number,
  { after_event, to_event }: TraceOrder,
  limit: number,
): Script<TracedRow[]> {
  return yield* all<TracedRow>(
    `select event.id as event_id, event.type, attempt.id as token, attempt.job_id, job.name as job_name, job.scope,
       attempt.run_id, attempt.visit, attempt.attempt_id, attempt.worker_id, worker.host, worker.site,
       attempt.claimed_at, attempt.started_at, attempt.finished_at, attempt.outcome, attempt.cause, attempt.category,
       attempt.verdict, attempt.rule, attempt.reason, attempt.fingerprint, attempt.usage
     from event
     join attempt on attempt.job_id = event.job_id and attempt.run_id = event.run_id
       and attempt.attempt_id = event.attempt_id
     join job on job.id = attempt.job_id join worker on worker.id = attempt.worker_id
     where event.workflow_id = ? and event.id > ? and event.id <= ? and attempt.finished_at is not null
       and (event.type = 'recovery' or (event.type in ${CLOSING_EVENTS} and not exists (
         select 1 from event as earlier where earlier.job_id = event.job_id and earlier.run_id = event.run_id
           and earlier.attempt_id = event.attempt_id and earlier.id < event.id
           and earlier.type in ${CLOSING_EVENTS})))
     order by event.id limit ?`,
    workflowId,
    after_event,
    to_event,
    limit,
  );
}

/** A script or code beside an attempt, which has ended. */
export interface TracedErrandRow {
  id: number;
  kind: 'post' | 'recovery' | 'evaluation';
  token: number;
  started_at: number;
  finished_at: number;
  result: string;
}

export function* listTracedErrands(tokens: readonly number[]): Script<TracedErrandRow[]> {
  const found: TracedErrandRow[] = [];
  for (const list of idLists(tokens)) {
    const rows = yield* all<TracedErrandRow>(
      `select id, kind, token, started_at, finished_at, result from errand
       where token in ${placeholders(list.length)} and kind in ('post', 'recovery', 'evaluation')
         and started_at is not null and finished_at is not null order by id`,
      ...list,
    );
    found.push(...rows);
  }
  return found;
}
