import type { Dialect } from '../dialect.ts';

/** What people and agents decided about failures, and what tells failures that look alike. */
export function decisionSchema(dialect: Dialect): string[] {
  const id =
    dialect === 'sqlite'
      ? 'integer primary key autoincrement'
      : 'bigint generated always as identity primary key';
  return [
    'alter table attempt add column fingerprint text',
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
    'create index decision_of_workflow on decision (workflow_id, id)',
    'create index decision_by_fingerprint on decision (fingerprint, id) where fingerprint is not null',
  ];
}
