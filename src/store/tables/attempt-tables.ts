import type { ColumnTypes } from './column-types.ts';

/** Attempts, what they used, wrote and led to, and what people and agents decided about them. */
export function attemptTables({ id, name, bytes }: ColumnTypes): string[] {
  return [
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
      -- What its post step returned, in JSON.
      post text,
      usage text,
      output text,
      -- What failures that look alike have in common.
      fingerprint text,
      unique (job_id, run_id, attempt_id),
      check ((finished_at is null) = (verdict is null))
    )`,
    'create unique index attempt_live on attempt (job_id) where finished_at is null',
    'create index attempt_held on attempt (worker_id) where finished_at is null',
    'create index attempt_of_workflow on attempt (workflow_id, id)',
    'create index attempt_unsuccessful on attempt (workflow_id, run_id, id) where counts_as is not null',
    // What an attempt used over time, in JSON.
    `create table attempt_samples (
      token bigint primary key references attempt (id),
      sample_count bigint not null,
      samples text not null
    )`,
    // A declared file as an attempt found (input) or left it (output).
    `create table file_mark (
      workflow_id bigint not null references workflow (id),
      job_id bigint not null references job (id),
      token bigint not null references attempt (id),
      role text not null check (role in ('input', 'output')),
      path ${name} not null,
      kind text not null check (kind in ('file', 'directory', 'other', 'missing')),
      size bigint,
      mtime_ns text,
      hash text,
      problem text,
      primary key (workflow_id, job_id, token, role, path)
    )`,
    // The end of a log that a worker sent to its server.
    `create table attempt_log (
      token bigint not null references attempt (id),
      stream text not null check (stream in ('stdout', 'stderr')),
      first_byte bigint not null,
      data ${bytes} not null,
      primary key (token, stream)
    )`,
    // An attempt whose log is being followed, and until when.
    `create table log_reader (
      token bigint primary key references attempt (id),
      until bigint not null
    )`,
    `create table decision (
      id ${id},
      workflow_id bigint not null references workflow (id),
      run_id bigint not null,
      job_id bigint not null references job (id),
      attempt_id bigint not null,
      action text not null check (action in ('retry', 'fail')),
      actor text not null,
      reason text,
      confidence double precision check (confidence between 0 and 1),
      fingerprint text,
      memory_bytes bigint,
      runtime_ms bigint,
      decided_at bigint not null
    )`,
    'create index decision_of_job on decision (job_id, run_id, id)',
    'create index decision_by_actor on decision (actor, decided_at)',
    'create index decision_of_workflow on decision (workflow_id, id)',
    'create index decision_by_fingerprint on decision (fingerprint, id) where fingerprint is not null',
  ];
}
