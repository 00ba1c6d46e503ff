import type { Sender } from '../../../contract/records/notification.ts';
import { all, change, changeAll, first, insert, placeholders, run, type Script } from '../../script.ts';
import { ofSender } from './notification-rows.ts';

/** An errand that one of the servers does. */
export interface ServerErrandRow {
  id: number;
  /** null: it is about a request. */
  workflow_id: number | null;
  run_id: number | null;
  request_id: number | null;
  kind: string;
  data: string;
  /** Of a notification: where it goes. */
  target: string | null;
  tries: number;
  timeout_ms: number | null;
  cancel_requested: number;
}

/** Orders an errand of the servers: the first one that has room does it. */
export function* insertServerErrand(
  errand: { workflow_id: number; run_id: number; kind: string; data: unknown; timeout_ms: number | null },
  now: number,
): Script<number> {
  return yield* insert(
    `insert into errand (workflow_id, run_id, kind, holder, data, timeout_ms, ordered_at)
     values (?, ?, ?, 'server', ?, ?, ?)`,
    errand.workflow_id,
    errand.run_id,
    errand.kind,
    JSON.stringify(errand.data),
    errand.timeout_ms,
    now,
  );
}

/** The lease of a server on errands that it does. */
export interface ServerLease {
  server: string;
  expires_at: number;
}

/** What a server takes. */
export interface Taking {
  kinds: readonly string[];
  /** Whose notifications it sends. */
  sender: Sender;
  /** Where it sends one already. */
  busy: readonly string[];
  limit: number;
}

/**
 * It is due, and no server has it. PostgreSQL checks a row again that another server has changed while this one waited for
 * it, but no subquery: the condition stands beside each.
 */
const FREE = `finished_at is null and (server is null or server_lease_expires_at <= ?) and (due_at is null or due_at <= ?)`;

/**
 * Gives the server errands that are due and that no server has a lease on, of each target the oldest one. Those that
 * another server takes at the same time are passed over, so that each is given to one.
 */
export function* takeServerErrands(
  { kinds, sender, busy, limit }: Taking,
  lease: ServerLease,
  now: number,
): Script<ServerErrandRow[]> {
  const whose = ofSender(sender);
  const notBusy =
    busy.length === 0 ? '' : `and (target is null or target not in ${placeholders(busy.length)})`;
  const { rows } = yield {
    sql: `select id, workflow_id, run_id, request_id, kind, data, target, tries, timeout_ms, cancel_requested from errand
      where id in (
        select min(errand.id) from errand
        where holder = 'server' and kind in ${placeholders(kinds.length)} and ${FREE}
          and (kind <> 'notification' or ${whose.sql}) ${notBusy}
        group by case when target is null then id end, target)
        and ${FREE}
      order by id limit ?`,
    values: [...kinds, now, now, ...whose.values, ...busy, now, now, limit],
    locking: 'for update skip locked',
  };
  const taken = rows as unknown as ServerErrandRow[];
  if (taken.length === 0) return [];
  yield* changeAll(
    taken.length,
    `update errand set server = ?, server_lease_expires_at = ?, started_at = coalesce(started_at, ?), tries = tries + 1
     where id in ${placeholders(taken.length)} and finished_at is null`,
    lease.server,
    lease.expires_at,
    now,
    ...taken.map(({ id }) => id),
  );
  return taken.map((row) => ({ ...row, tries: row.tries + 1 }));
}

/** Whether an errand of the servers may be due, whoever does it. */
export function* mayHaveDueErrands(now: number): Script<boolean> {
  const row = yield* first(
    `select 1 as due from errand where holder = 'server' and ${FREE} limit 1`,
    now,
    now,
  );
  return row !== undefined;
}

/** Its next try is due at this time. False if another server has the errand by now. */
export function* repeatServerErrand(
  id: number,
  server: string,
  data: unknown,
  dueAt: number,
): Script<boolean> {
  const changes = yield* change(
    `update errand set server = null, server_lease_expires_at = null, started_at = null, data = ?, due_at = ?
     where id = ? and server = ? and finished_at is null`,
    JSON.stringify(data),
    dueAt,
    id,
    server,
  );
  return changes === 1;
}

/** What was done of an errand so far. */
export function* keepErrandData(id: number, server: string, data: string): Script<void> {
  yield* run(
    'update errand set data = ? where id = ? and server = ? and finished_at is null',
    data,
    id,
    server,
  );
}

/** Servers that have a lease on notifications of the sender. */
export function* listSendingServers(sender: Sender): Script<string[]> {
  const { sql, values } = ofSender(sender);
  const rows = yield* all<{ server: string }>(
    `select distinct server from errand
     where finished_at is null and holder = 'server' and kind = 'notification' and server is not null and ${sql}`,
    ...values,
  );
  return rows.map(({ server }) => server);
}

/** Renews the lease on everything that the server holds. Returns what that is. */
export function* renewServerErrands(
  lease: ServerLease,
): Script<Pick<ServerErrandRow, 'id' | 'cancel_requested'>[]> {
  const { server, expires_at } = lease;
  yield* run(
    `update errand set server_lease_expires_at = ? where finished_at is null and holder = 'server' and server = ?`,
    expires_at,
    server,
  );
  return yield* all<Pick<ServerErrandRow, 'id' | 'cancel_requested'>>(
    `select id, cancel_requested from errand where finished_at is null and holder = 'server' and server = ?`,
    server,
  );
}

/** False if another server has the errand by now. */
export function* finishServerErrand(
  id: number,
  server: string,
  result: unknown,
  now: number,
): Script<boolean> {
  const changes = yield* change(
    'update errand set finished_at = ?, result = ? where id = ? and server = ? and finished_at is null',
    now,
    JSON.stringify(result ?? null),
    id,
    server,
  );
  return changes === 1;
}

/** The server stops: another one may begin at once. */
export function* releaseServerErrands(server: string): Script<void> {
  yield* run(
    `update errand set server = null, server_lease_expires_at = null, started_at = null,
       tries = case when kind = 'notification' then tries - 1 else tries end
     where finished_at is null and holder = 'server' and server = ?`,
    server,
  );
}

/** Errands of the servers for the run are to be stopped, or not to be begun. What happened is notified all the same. */
export function* cancelServerErrands(workflowId: number, runId: number): Script<void> {
  yield* run(
    `update errand set cancel_requested = 1
     where workflow_id = ? and run_id = ? and finished_at is null and holder = 'server' and kind <> 'notification'`,
    workflowId,
    runId,
  );
}
