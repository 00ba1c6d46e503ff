import type { ColumnTypes } from './column-types.ts';

/** What follows an attempt once the steps that it called have ended, or once code was evaluated; and each such call. */
export function flowTables({ id }: ColumnTypes): string[] {
  return [
    `create table route (
      token bigint primary key references attempt (id),
      workflow_id bigint not null references workflow (id),
      job_id bigint not null references job (id),
      kind text not null check (kind in ('on_fail', 'on_success')),
      not_before bigint,
      state text not null check (state in ('calling', 'evaluating', 'ended'))
    )`,
    'create index route_of_job on route (job_id)',
    'create index route_of_workflow on route (workflow_id)',
    `create index route_open on route (workflow_id) where state <> 'ended'`,
    `create table call (
      id ${id},
      route_token bigint not null references route (token),
      job_id bigint not null references job (id),
      position bigint not null,
      state text not null check (state in ('queued', 'waiting', 'active', 'ended', 'dropped'))
    )`,
    'create index call_of_route on call (route_token)',
    'create index call_of_job on call (job_id)',
    `create index call_waiting on call (job_id) where state = 'waiting'`,
  ];
}
