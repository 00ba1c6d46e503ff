import type { ColumnTypes } from './column-types.ts';

/**
 * What workflows ask a cluster for. A row of `allocation` is written before the cluster is asked, and carries the tag by
 * which the allocation is found there after a crash. `allocator` has a row for each process that drives allocations: of
 * all shared workflows (0), or of one.
 */
export function allocationTables({ id, name }: ColumnTypes): string[] {
  return [
    `create table scheduler (
      id ${id},
      workflow_id bigint not null references workflow (id),
      name ${name} not null,
      -- In JSON.
      model text not null,
      -- Submissions that were refused in a row, why, and when the next one may be made.
      refusals bigint not null default 0,
      refusal text,
      next_try_at bigint,
      -- Allocations in a row that ended without their worker.
      misses bigint not null default 0,
      paused_at bigint,
      pause_reason text,
      -- What workers in its allocations had at most, in JSON.
      seen text,
      unique (workflow_id, name),
      check ((paused_at is null) = (pause_reason is null)),
      check ((refusals = 0) = (refusal is null))
    )`,
    `create table allocation (
      id ${id},
      workflow_id bigint not null references workflow (id),
      run_id bigint not null,
      scheduler_id bigint not null references scheduler (id),
      -- The action that ordered it; null: ordered because of the scheduler alone, or by a person.
      action_id bigint references action (id),
      actor text,
      tag text not null unique,
      -- The transitions are in core/allocation/allocation-transitions.ts.
      state text not null check (state in ('planned', 'submitting', 'queued', 'running', 'ended')),
      one_worker_per_node integer not null check (one_worker_per_node in (0, 1)),
      max_parallel bigint,
      -- The allocation that has to end before it begins.
      after_id bigint references allocation (id),
      -- What the cluster calls it, and what the cluster last said about it.
      cluster_id text,
      word text,
      why text,
      never integer not null default 0 check (never in (0, 1)),
      starts_at bigint,
      ends_at bigint,
      restarts bigint not null default 0,
      -- Since when the cluster does not list it.
      missing_since bigint,
      -- How many workers came; they are counted anew after a requeue.
      workers_came bigint not null default 0,
      ever_came integer not null default 0 check (ever_came in (0, 1)),
      ordered_at bigint not null,
      submitting_at bigint,
      submitted_at bigint,
      started_at bigint,
      ended_at bigint,
      ending text,
      -- When it is to be canceled at the latest, why, and when the cluster was last asked to.
      cancel_at bigint,
      cancel_reason text,
      cancel_sent_at bigint,
      -- It was canceled because no job needed it: the order stands, should one need it again.
      unneeded integer not null default 0 check (unneeded in (0, 1)),
      check ((state = 'ended') = (ended_at is not null)),
      check ((state = 'ended') = (ending is not null)),
      check (state <> 'submitting' or submitting_at is not null),
      check (state <> 'queued' or cluster_id is not null),
      check (state <> 'running' or started_at is not null),
      check ((cancel_at is null) = (cancel_reason is null))
    )`,
    `create index allocation_alive on allocation (workflow_id, id) where state <> 'ended'`,
    'create index allocation_of_workflow on allocation (workflow_id, id)',
    'create index allocation_of_action on allocation (action_id, run_id) where action_id is not null',
    `create table allocator (
      workflow_id bigint primary key,
      server text not null,
      lease_expires_at bigint not null,
      -- When the cluster is asked again how its allocations are.
      next_look_at bigint not null default 0,
      -- Since when the cluster does not answer, and what was seen of that.
      absent_since bigint,
      problem text,
      check ((absent_since is null) = (problem is null))
    )`,
    // At most one row. It names the files of this database in a directory that several databases share.
    `create table database_identity (
      slot integer primary key check (slot = 1),
      id text not null
    )`,
  ];
}
