import { all, change, changeAll, insert, placeholders, run, type Script } from '../../script.ts';

/** An errand that one of the servers does. */
export interface ServerErrandRow {
  id: number;
  workflow_id: number;
  run_id: number;
  kind: string;
  data: string;
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

/**
 * Gives the server errands that no server has a lease on. Those that another server takes at the same time are passed
 * over, so that each is given to one.
 */
export function* takeServerErrands(
  kinds: readonly string[],
  lease: ServerLease,
  limit: number,
  now: number,
): Script<ServerErrandRow[]> {
  const { rows } = yield {
    sql: `select id, workflow_id, run_id, kind, data, timeout_ms, cancel_requested from errand
      where finished_at is null and holder = 'server' and kind in ${placeholders(kinds.length)}
        and (server is null or server_lease_expires_at <= ?) order by id limit ?`,
    values: [...kinds, now, limit],
    locking: 'for update skip locked',
  };
  const taken = rows as unknown as ServerErrandRow[];
  if (taken.length === 0) return [];
  yield* changeAll(
    taken.length,
    `update errand set server = ?, server_lease_expires_at = ?, started_at = coalesce(started_at, ?)
     where id in ${placeholders(taken.length)} and finished_at is null`,
    lease.server,
    lease.expires_at,
    now,
    ...taken.map(({ id }) => id),
  );
  return taken;
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
    `update errand set server = null, server_lease_expires_at = null
     where finished_at is null and holder = 'server' and server = ?`,
    server,
  );
}

/** Errands of the servers for the run are to be stopped, or not to be begun. */
export function* cancelServerErrands(workflowId: number, runId: number): Script<void> {
  yield* run(
    `update errand set cancel_requested = 1
     where workflow_id = ? and run_id = ? and finished_at is null and holder = 'server'`,
    workflowId,
    runId,
  );
}
