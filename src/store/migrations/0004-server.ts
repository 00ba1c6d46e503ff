import type { Dialect } from '../dialect.ts';

/** Workers of a server, tokens, what was submitted under which key, and the logs that reach a server. */
export function serverSchema(dialect: Dialect): string[] {
  const id =
    dialect === 'sqlite'
      ? 'integer primary key autoincrement'
      : 'bigint generated always as identity primary key';
  const bytes = dialect === 'sqlite' ? 'blob' : 'bytea';
  const real = dialect === 'sqlite' ? 'real' : 'double precision';
  return [
    'alter table workflow add column shared integer not null default 0 check (shared in (0, 1))',
    'create index run_open on run (workflow_id) where finished_at is null',
    `alter table worker add column kind text not null default 'run' check (kind in ('run', 'service'))`,
    'alter table worker add column draining integer not null default 0 check (draining in (0, 1))',
    `alter table worker add column cpus ${real} not null default 0`,
    'alter table worker add column memory_bytes bigint not null default 0',
    'alter table worker add column gpus bigint not null default 0',
    // The newest exchange and its answer, in case that is asked for again.
    'alter table worker add column last_seq bigint not null default 0',
    'alter table worker add column last_result text',
    // Where it failed last, and until when another worker is waited for.
    'alter table job add column avoid_worker_id bigint',
    'alter table job add column avoid_until bigint',
    'create index job_avoiding on job (avoid_worker_id) where avoid_worker_id is not null and status = 2',
    // Pages of jobs; without it each would sort all jobs of the workflow.
    'create index job_of_workflow on job (workflow_id, id)',
    `create table token (
      id ${id},
      name text not null,
      role text not null check (role in ('viewer', 'operator', 'admin')),
      hash text not null unique,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint
    )`,
    // Changes that belong to no workflow.
    `create table audit (
      id ${id},
      at bigint not null,
      actor text not null,
      action text not null,
      subject text not null
    )`,
    `create table submission (
      idempotency_key text primary key,
      digest text not null,
      workflow_id bigint not null references workflow (id)
    )`,
    `create table attempt_log (
      token bigint not null references attempt (id),
      stream text not null check (stream in ('stdout', 'stderr')),
      first_byte bigint not null,
      data ${bytes} not null,
      primary key (token, stream)
    )`,
    // Attempts whose logs somebody reads, and until when that is believed.
    `create table log_reader (
      token bigint primary key references attempt (id),
      until bigint not null
    )`,
  ];
}
