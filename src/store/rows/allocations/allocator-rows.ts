import { EXCLUSIVE } from '../../lock-rows.ts';
import { all, first, lock, run, type Script } from '../../script.ts';

/** The process that drives allocations of all shared workflows (0), or of one. */
export interface AllocatorRow {
  server: string;
  lease_expires_at: number;
  next_look_at: number;
  absent_since: number | null;
  problem: string | null;
}

/** Gives the lease to the server, unless another one has it. Returns the row as it is then. */
export function* takeAllocatorLease(
  scope: number,
  server: string,
  leaseMs: number,
  now: number,
): Script<AllocatorRow> {
  yield* run(
    `insert into allocator (workflow_id, server, lease_expires_at) values (?, ?, 0)
     on conflict (workflow_id) do nothing`,
    scope,
    server,
  );
  yield* lock(`select workflow_id from allocator where workflow_id = ? ${EXCLUSIVE}`, scope);
  yield* run(
    `update allocator set server = ?, lease_expires_at = ?
     where workflow_id = ? and (server = ? or lease_expires_at <= ?)`,
    server,
    now + leaseMs,
    scope,
    server,
    now,
  );
  return (yield* findAllocator(scope))!;
}

/** The server drives nothing any more: another one may at once. */
export function* releaseAllocatorLease(server: string): Script<void> {
  yield* run('update allocator set lease_expires_at = 0 where server = ?', server);
}

export function* findAllocator(scope: number): Script<AllocatorRow | undefined> {
  return yield* first<AllocatorRow>(
    `select server, lease_expires_at, next_look_at, absent_since, problem from allocator where workflow_id = ?`,
    scope,
  );
}

/** When the cluster is looked at next. `problem`: it did not answer; null: it did. */
export function* noteLook(
  scope: number,
  nextLookAt: number,
  problem: string | null,
  now: number,
): Script<void> {
  yield* run(
    `update allocator set next_look_at = ?, problem = ?,
       absent_since = case when cast(? as text) is null then null else coalesce(absent_since, ?) end
     where workflow_id = ?`,
    nextLookAt,
    problem,
    problem,
    now,
    scope,
  );
}

/** Something is under way at the cluster: it is looked at by then. */
export function* lookBy(scope: number, at: number): Script<void> {
  yield* run(
    `update allocator set next_look_at = ? where workflow_id = ? and next_look_at > ? and absent_since is null`,
    at,
    scope,
    at,
  );
}

/** Workflows whose schedulers are used, and that have work or allocations left. `only`: one of them, shared or not. */
export function* listAllocating(only: number | null): Script<number[]> {
  const rows = yield* all<{ id: number }>(
    `select workflow.id from workflow join run on run.workflow_id = workflow.id and run.run_id = workflow.run_id
     where workflow.storing_until is null and workflow.executor = 'slurm'
       and ${only === null ? 'workflow.shared = 1' : 'workflow.id = ?'} and (run.finished_at is null or exists (
         select 1 from allocation where allocation.workflow_id = workflow.id and allocation.state <> 'ended'))
     order by workflow.id`,
    ...(only === null ? [] : [only]),
  );
  return rows.map(({ id }) => id);
}
