import { all, insert, type Script } from '../../script.ts';
import { boundedData } from '../events/event-data.ts';

/** A change that belongs to no workflow. */
export interface AuditRow {
  id: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
  /** What else is known of it, in JSON. */
  data: string | null;
}

interface NewAudit {
  at: number;
  actor: string;
  action: string;
  subject: string;
  request_id?: number | null;
  data?: Record<string, unknown>;
}

export function* appendAudit(entry: NewAudit): Script<void> {
  yield* insert(
    'insert into audit (at, actor, action, subject, request_id, data) values (?, ?, ?, ?, ?, ?)',
    entry.at,
    entry.actor,
    entry.action,
    entry.subject,
    entry.request_id ?? null,
    entry.data === undefined ? null : boundedData(entry.data),
  );
}

/** Newest first, below the id `before`. */
export function* listAudit(before: number, limit: number): Script<AuditRow[]> {
  return yield* all<AuditRow>(
    'select id, at, actor, action, subject, data from audit where id < ? order by id desc limit ?',
    before,
    limit,
  );
}

/** The history of one request, newest first, below the id `before`. */
export function* listAuditOf(requestId: number, before: number, limit: number): Script<AuditRow[]> {
  return yield* all<AuditRow>(
    `select id, at, actor, action, subject, data from audit where request_id = ? and id < ? order by id desc limit ?`,
    requestId,
    before,
    limit,
  );
}
