import { all, insert, type Script } from './script.ts';

/** A change that belongs to no workflow. */
export interface AuditRow {
  id: number;
  at: number;
  actor: string;
  action: string;
  subject: string;
}

export function* appendAudit(entry: Omit<AuditRow, 'id'>): Script<void> {
  yield* insert(
    'insert into audit (at, actor, action, subject) values (?, ?, ?, ?)',
    entry.at,
    entry.actor,
    entry.action,
    entry.subject,
  );
}

/** Newest first, below the id `before`. */
export function* listAudit(before: number, limit: number): Script<AuditRow[]> {
  return yield* all<AuditRow>(
    'select id, at, actor, action, subject from audit where id < ? order by id desc limit ?',
    before,
    limit,
  );
}
