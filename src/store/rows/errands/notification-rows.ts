import type { Sender } from '../../../contract/records/notification.ts';
import { JOB_STATUS, type JobStatus } from '../../../core/job/job-status.ts';
import type { EdgeFacts } from '../../../core/notify/message.ts';
import type { NotifyEntry } from '../../../core/notify/notify-model.ts';
import { NOTIFY_TIMEOUT_MS } from '../../../core/notify/retry-delays.ts';
import { all, first, insert, run, type Script } from '../../script.ts';

/** What a notification says and where it goes, as it is stored. */
export interface NotificationData {
  facts: EdgeFacts;
  entry: Omit<NotifyEntry, 'on'>;
  /** The same in every try. */
  key: string;
  /** Where commands run. */
  cwd: string;
  /** How the last try failed. */
  problem: string | null;
}

export type NotificationOwner =
  | { workflow_id: number; run_id: number; request_id: null }
  | { workflow_id: null; run_id: null; request_id: number };

/** `target`: one notification at a time is sent to it. */
export function* insertNotification(
  owner: NotificationOwner,
  target: string,
  data: NotificationData,
  now: number,
): Script<number> {
  return yield* insert(
    `insert into errand (workflow_id, run_id, request_id, kind, holder, target, data, timeout_ms, ordered_at, due_at)
     values (?, ?, ?, 'notification', 'server', ?, ?, ?, ?, ?)`,
    owner.workflow_id,
    owner.run_id,
    owner.request_id,
    target,
    JSON.stringify(data),
    NOTIFY_TIMEOUT_MS,
    now,
    now,
  );
}

/** Whether a notification is the sender's, and the values of its placeholders. */
export function ofSender(sender: Sender): { sql: string; values: (string | number)[] } {
  if (sender === 'shared') {
    return {
      sql: `(exists (select 1 from workflow where workflow.id = errand.workflow_id and workflow.shared = 1)
        or exists (select 1 from request where request.id = errand.request_id and request.shared = 1))`,
      values: [],
    };
  }
  if ('workflow_id' in sender) return { sql: 'errand.workflow_id = ?', values: [sender.workflow_id] };
  return {
    sql: `(errand.request_id in (select id from request where name = ?) or errand.workflow_id in (
        select workflow.id from workflow join request on request.id = workflow.request_id where request.name = ?))`,
    values: [sender.request, sender.request],
  };
}

export interface OpenNotificationRow {
  id: number;
  data: string;
  tries: number;
  due_at: number;
  server: string | null;
}

/** Notifications that have not been sent, oldest first. */
export function* listOpenNotifications(sender: Sender): Script<OpenNotificationRow[]> {
  const { sql, values } = ofSender(sender);
  return yield* all<OpenNotificationRow>(
    `select id, data, tries, due_at, server from errand
     where finished_at is null and holder = 'server' and kind = 'notification' and ${sql} order by id limit 100`,
    ...values,
  );
}

/** Targets of the configuration of the server that started last, in JSON. */
export function* findServerSubscribers(): Script<string> {
  const row = yield* first<{ subscribers: string }>('select subscribers from server_presence where id = 1');
  return row?.subscribers ?? '[]';
}

export function* setServerSubscribers(subscribers: string): Script<void> {
  yield* run(
    'update server_presence set subscribers = ? where id = 1 and subscribers <> ?',
    subscribers,
    subscribers,
  );
}

/** Whether these are the targets that are notified of what the sender drives. */
export function* hasSubscribers(sender: Exclude<Sender, 'shared'>, subscribers: string): Script<boolean> {
  const row =
    'workflow_id' in sender
      ? yield* first(
          'select 1 as other from workflow where id = ? and subscribers <> ?',
          sender.workflow_id,
          subscribers,
        )
      : yield* first(
          'select 1 as other from request where name = ? and subscribers <> ?',
          sender.request,
          subscribers,
        );
  return row === undefined;
}

/** Rounds of a request have those of the request. */
export function* setSubscribers(sender: Exclude<Sender, 'shared'>, subscribers: string): Script<void> {
  if ('workflow_id' in sender) {
    yield* run('update workflow set subscribers = ? where id = ?', subscribers, sender.workflow_id);
  } else yield* run('update request set subscribers = ? where name = ?', subscribers, sender.request);
}

export function* setTroubled(table: 'workflow' | 'request', id: number, troubled: boolean): Script<void> {
  yield* run(`update ${table} set troubled = ? where id = ?`, troubled ? 1 : 0, id);
}

export interface JobWithReason {
  name: string;
  scope: string;
  reason: string | null;
  /** Of its last attempt; null without one. */
  outcome: string | null;
  cause: string | null;
  evaluations: string | null;
}

/** Some jobs in these statuses, with why. */
export function* listJobsWithReason(
  workflowId: number,
  runId: number,
  statuses: readonly JobStatus[],
  limit: number,
): Script<JobWithReason[]> {
  const numbers = statuses.map((status) => JOB_STATUS[status]);
  return yield* all<JobWithReason>(
    `select job.name, job.scope, job.reason, attempt.outcome, attempt.cause, attempt.evaluations from job
     left join attempt on attempt.job_id = job.id and attempt.run_id = ? and attempt.attempt_id = job.attempt_id
     where job.workflow_id = ? and job.blueprint < 2
       and job.status in (${numbers.map(() => '?').join(', ')}) order by job.id limit ?`,
    runId,
    workflowId,
    ...numbers,
    limit,
  );
}

/** Whether more than one job waits for a decision. */
export function* severalWait(workflowId: number): Script<boolean> {
  const rows = yield* all(
    'select id from job where workflow_id = ? and status = ? and blueprint < 2 limit 2',
    workflowId,
    JOB_STATUS.pending_failed,
  );
  return rows.length > 1;
}
