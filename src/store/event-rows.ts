import type { EventType } from '../core/records.ts';
import { all, change, type Script, type SqlValue } from './script.ts';

export interface NewEvent {
  workflow_id: number;
  run_id: number;
  at: number;
  type: EventType;
  job_id?: number;
  attempt_id?: number;
  actor?: string | null;
  reason?: string | null;
  data?: Record<string, unknown>;
}

/** Appends to the audit trail. */
export function* appendEvent(event: NewEvent): Script<void> {
  yield* change(
    `insert into event (workflow_id, run_id, job_id, attempt_id, at, type, actor, reason, data)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    event.workflow_id,
    event.run_id,
    event.job_id ?? null,
    event.attempt_id ?? null,
    event.at,
    event.type,
    event.actor ?? null,
    event.reason ?? null,
    JSON.stringify(event.data ?? {}),
  );
}

export interface EventRow {
  id: number;
  workflow_id: number;
  run_id: number;
  job_id: number | null;
  job_name: string | null;
  attempt_id: number | null;
  at: number;
  type: string;
  actor: string | null;
  reason: string | null;
  data: string;
}

export function* listEvents(
  workflowId: number,
  filter: { after: number; limit: number; job_id: number | null },
): Script<EventRow[]> {
  const values: SqlValue[] = [workflowId, filter.after];
  if (filter.job_id !== null) values.push(filter.job_id);
  return yield* all<EventRow>(
    `select event.id, event.workflow_id, event.run_id, event.job_id, job.name as job_name, event.attempt_id, event.at,
      event.type, event.actor, event.reason, event.data
     from event left join job on job.id = event.job_id
     where event.workflow_id = ? and event.id > ?${filter.job_id === null ? '' : ' and event.job_id = ?'}
     order by event.id limit ?`,
    ...values,
    filter.limit,
  );
}
