import type { ColumnTypes } from './column-types.ts';

/**
 * Workflows with what their jobs share, and their runs. A workflow is hidden while `storing_until` is set: all of it is
 * not stored yet, or it is being removed. Columns of tables with rows of workflows are also named in
 * rows/workflows/workflow-content.ts.
 */
export function workflowTables({ id, name }: ColumnTypes): string[] {
  return [
    `create table workflow (
      id ${id},
      name text not null,
      description text,
      owner text,
      project text,
      metadata text not null,
      variables text not null,
      routing text not null,
      limits text not null,
      -- Entries of \`notify\` of its spec, and targets of the configuration of whoever drives it, in JSON.
      notify text not null default '[]',
      subscribers text not null default '[]',
      -- A failure or a wait for a decision came since its last good end.
      troubled integer not null default 0 check (troubled in (0, 1)),
      max_parallel bigint check (max_parallel > 0),
      use_pending_failed integer not null check (use_pending_failed in (0, 1)),
      shared integer not null check (shared in (0, 1)),
      executor text not null default 'workers' check (executor in ('workers', 'slurm', 'htcondor')),
      cwd text not null,
      output_dir text not null,
      run_id bigint not null default 1,
      job_count bigint not null,
      created_at bigint not null,
      storing_until bigint,
      -- Lists leave it out since then.
      archived_at bigint,
      -- The request of which it is a round, and the only sites at which its jobs may run, in JSON.
      request_id bigint,
      sites text,
      -- Jobs and files at which its run is to end, in JSON; \`job.held\` has what follows.
      until text,
      -- Options of the process that ran it last, in JSON.
      run_settings text,
      -- Nothing is claimed while it is set; \`stopping\`: what runs is ended as well.
      paused_at bigint,
      paused_by text,
      pause_reason text,
      stopping integer not null default 0 check (stopping in (0, 1)),
      check ((paused_at is null) = (paused_by is null)),
      check (stopping = 0 or paused_at is not null)
    )`,
    'create index workflow_storing on workflow (id) where storing_until is not null',
    `create index workflow_allocating on workflow (id) where executor = 'slurm'`,
    `create index workflow_on_dagman on workflow (id) where executor = 'htcondor'`,
    'create index workflow_stopping on workflow (id) where stopping = 1',
    `create table run (
      workflow_id bigint not null references workflow (id),
      run_id bigint not null,
      -- The transitions are in core/run/run-transitions.ts.
      state text not null check (state in ('created', 'running', 'completed', 'failed', 'canceled', 'replaced')),
      driver_id bigint references worker (id),
      created_at bigint not null,
      -- Why it began: first, after failures, after a stop, for a reset, or for an update.
      kind text not null default 'first' check (kind in ('first', 'failure', 'stop', 'reset', 'update')),
      started_at bigint,
      finished_at bigint,
      attempts_finished bigint not null default 0,
      successes bigint not null default 0,
      success_ms bigint not null default 0,
      -- Of a run of a round: how its units stood at its end, what was decided and which sites were banned, in JSON.
      round_end text,
      primary key (workflow_id, run_id),
      check (state <> 'created' or started_at is null),
      check (state <> 'running' or started_at is not null),
      check ((state in ('created', 'running')) = (finished_at is null))
    )`,
    'create index run_open on run (workflow_id) where finished_at is null',
    // A workflow that was submitted under an idempotency key.
    `create table submission (
      idempotency_key text primary key,
      digest text not null,
      workflow_id bigint not null references workflow (id)
    )`,
    'create index submission_of_workflow on submission (workflow_id)',
    `create table requirement (
      id ${id},
      workflow_id bigint not null references workflow (id),
      name text,
      cpus double precision,
      memory_bytes bigint,
      gpus bigint not null,
      nodes bigint not null,
      resources text not null,
      -- Sorted, in JSON.
      labels text not null,
      runtime_ms bigint
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
      id ${id},
      workflow_id bigint not null references workflow (id),
      name ${name} not null,
      initial text,
      data text,
      is_ephemeral integer not null check (is_ephemeral in (0, 1)),
      unique (workflow_id, name)
    )`,
    // The root, or one item of a forEach: its value, and how many loops were taken in it.
    `create table scope (
      workflow_id bigint not null references workflow (id),
      scope ${name} not null,
      item_index bigint not null default 0,
      total bigint not null default 0,
      item text,
      loops bigint not null default 0,
      primary key (workflow_id, scope)
    )`,
  ];
}
