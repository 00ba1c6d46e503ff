import type { Dialect } from '../dialect.ts';

/**
 * Times are milliseconds since the epoch, flags 0 or 1, structured values JSON in text.
 * `job` has a row per (workflow, name, scope). Jobs that wait for the same others share one
 * `dependency_set` with a countdown, so that a barrier of 1,000 × 1,000 is one set, not a million edges.
 */
export function initialSchema(dialect: Dialect): string[] {
  // SQLite reuses the highest id after a delete unless told otherwise; tokens must only rise.
  const id =
    dialect === 'sqlite'
      ? 'integer primary key autoincrement'
      : 'bigint generated always as identity primary key';
  // Names are compared byte by byte, as SQLite does, whatever language the database was made for.
  const name = dialect === 'sqlite' ? 'text' : 'text collate "C"';
  return [
    `create table workflow (
      id ${id},
      name text not null,
      description text,
      owner text,
      project text,
      metadata text not null,
      variables text not null,
      limits text not null,
      max_parallel bigint check (max_parallel > 0),
      use_pending_failed integer not null,
      cwd text not null,
      output_dir text not null,
      run_id bigint not null default 1,
      job_count bigint not null,
      created_at bigint not null
    )`,
    `create table worker (
      id ${id},
      host text not null,
      boot_id text not null,
      pid bigint not null,
      start_time text not null,
      site text not null,
      labels text not null,
      registered_at bigint not null,
      lease_expires_at bigint not null,
      retired_at bigint
    )`,
    'create index worker_active on worker (id) where retired_at is null',
    `create table run (
      workflow_id bigint not null references workflow (id),
      run_id bigint not null,
      driver_id bigint references worker (id),
      created_at bigint not null,
      started_at bigint,
      finished_at bigint,
      attempts_finished bigint not null default 0,
      successes bigint not null default 0,
      success_ms bigint not null default 0,
      primary key (workflow_id, run_id)
    )`,
    `create table requirement (
      id ${id},
      workflow_id bigint not null references workflow (id),
      name text,
      cpus double precision,
      memory_bytes bigint,
      gpus bigint not null,
      nodes bigint not null,
      resources text not null
    )`,
    'create index requirement_of_workflow on requirement (workflow_id)',
    `create table failure_handler (
      id ${id},
      workflow_id bigint not null references workflow (id),
      name ${name} not null,
      rules text not null,
      unique (workflow_id, name)
    )`,
    `create table user_data (
      workflow_id bigint not null references workflow (id),
      name ${name} not null,
      initial text,
      data text,
      is_ephemeral integer not null check (is_ephemeral in (0, 1)),
      primary key (workflow_id, name)
    )`,
    `create table dependency_set (
      id ${id},
      workflow_id bigint not null references workflow (id),
      size bigint not null,
      remaining bigint not null check (remaining between 0 and size),
      unsuccessful bigint not null default 0 check (unsuccessful between 0 and size)
    )`,
    `create table job (
      id ${id},
      workflow_id bigint not null references workflow (id),
      name ${name} not null,
      scope ${name} not null default '',
      status integer not null check (status between 0 and 10),
      priority bigint not null,
      requirement_id bigint not null references requirement (id),
      dependency_set_id bigint references dependency_set (id),
      failure_handler_id bigint references failure_handler (id) on delete set null,
      cancel_on_failure integer not null check (cancel_on_failure in (0, 1)),
      visit bigint not null default 1,
      attempt_id bigint not null default 0,
      not_before bigint check (not_before is null or status = 2),
      recovery_token bigint check (recovery_token is null or (status = 2 and not_before is not null)),
      canceled_by bigint check (canceled_by is null or status = 7),
      scheduling_timeout bigint,
      schedule_by bigint,
      cancel_requested integer not null default 0 check (cancel_requested in (0, 1)),
      reason text,
      config text not null,
      unique (workflow_id, name, scope)
    )`,
    'create index job_by_status on job (workflow_id, status)',
    'create index job_of_set on job (dependency_set_id) where dependency_set_id is not null',
    'create index job_claimable on job (workflow_id, requirement_id, priority desc, id) where status = 2 and not_before is null',
    'create index job_waiting on job (workflow_id, not_before) where status = 2 and not_before is not null and recovery_token is null',
    'create index job_unscheduled on job (workflow_id, schedule_by) where status = 2 and schedule_by is not null',
    'create index job_cancel_requested on job (workflow_id) where cancel_requested = 1',
    `create table dependency_member (
      job_id bigint not null references job (id),
      set_id bigint not null references dependency_set (id),
      primary key (job_id, set_id)
    )`,
    'create index dependency_member_of_set on dependency_member (set_id)',
    `create table attempt (
      id ${id},
      workflow_id bigint not null references workflow (id),
      job_id bigint not null references job (id),
      run_id bigint not null,
      visit bigint not null,
      attempt_id bigint not null check (attempt_id > 0),
      caller text,
      worker_id bigint not null references worker (id),
      claimed_at bigint not null,
      started_at bigint,
      finished_at bigint,
      outcome text,
      cause text,
      match_code bigint,
      category text,
      verdict text,
      counts_as text check (counts_as in ('failure', 'preemption')),
      rule text,
      handler_outcome text,
      route text,
      reason text,
      actor text,
      walk text,
      evaluations text,
      observed text,
      usage text,
      output text,
      unique (job_id, run_id, attempt_id),
      check ((finished_at is null) = (verdict is null))
    )`,
    'create unique index attempt_live on attempt (job_id) where finished_at is null',
    'create index attempt_held on attempt (worker_id) where finished_at is null',
    'create index attempt_of_workflow on attempt (workflow_id, id)',
    'create index attempt_unsuccessful on attempt (workflow_id, run_id, id) where counts_as is not null',
    `create table recovery (
      token bigint primary key references attempt (id),
      job_id bigint not null references job (id),
      worker_id bigint not null references worker (id),
      ordered_at bigint not null,
      finished_at bigint,
      outcome text,
      check ((finished_at is null) = (outcome is null))
    )`,
    'create index recovery_held on recovery (worker_id) where finished_at is null',
    `create table action (
      id ${id},
      workflow_id bigint not null references workflow (id),
      trigger_type text not null,
      commands text not null
    )`,
    'create index action_of_workflow on action (workflow_id)',
    `create table action_job (
      action_id bigint not null references action (id),
      job_id bigint not null references job (id),
      primary key (action_id, job_id)
    )`,
    `create table action_run (
      action_id bigint not null references action (id),
      run_id bigint not null,
      worker_id bigint not null references worker (id),
      claimed_at bigint not null,
      finished_at bigint,
      outcome text,
      primary key (action_id, run_id, worker_id)
    )`,
    `create table event (
      id ${id},
      workflow_id bigint not null references workflow (id),
      run_id bigint not null,
      job_id bigint references job (id),
      attempt_id bigint,
      at bigint not null,
      type text not null,
      actor text,
      reason text,
      data text not null
    )`,
    'create index event_of_workflow on event (workflow_id, id)',
    'create index event_of_job on event (job_id, id) where job_id is not null',
    ...guards(dialect),
  ];
}

/** Attempts and events are history: nothing that has ended is ever changed or removed by an update. */
function guards(dialect: Dialect): string[] {
  if (dialect === 'sqlite') {
    return [
      `create trigger attempt_is_final before update on attempt when old.finished_at is not null
       begin select raise(abort, 'a finished attempt never changes'); end`,
      `create trigger event_is_final before update on event
       begin select raise(abort, 'an event never changes'); end`,
    ];
  }
  return [
    `create function refuse_change() returns trigger language plpgsql as
     $$ begin raise exception '% is final', tg_table_name; end $$`,
    `create trigger attempt_is_final before update on attempt
     for each row when (old.finished_at is not null) execute function refuse_change()`,
    'create trigger event_is_final before update on event for each row execute function refuse_change()',
  ];
}
