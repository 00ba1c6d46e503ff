import type { ColumnTypes } from './column-types.ts';

/** The audit trail of a workflow; a row is never changed. */
export function eventTables({ id }: ColumnTypes): string[] {
  return [
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
  ];
}
