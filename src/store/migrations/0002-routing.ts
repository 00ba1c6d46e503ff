import type { Dialect } from '../dialect.ts';

/**
 * Routes and scopes. `settled` says how a job's end was counted in the sets of its dependents: null while it is open,
 * and kept while a route merely calls it. A blueprint is a job of a forEach item that has no items yet (1) or has been
 * replaced by them (2).
 */
export function routingSchema(dialect: Dialect): string[] {
  const id =
    dialect === 'sqlite'
      ? 'integer primary key autoincrement'
      : 'bigint generated always as identity primary key';
  const name = dialect === 'sqlite' ? 'text' : 'text collate "C"';
  return [
    `alter table workflow add column routing text not null
       default '{"maxLoops":10,"env":[],"context":{"pr":null,"files":null}}'`,
    'alter table dependency_set add column disabled bigint not null default 0',
    // 0: must succeed. -1: must have ended. Above 0: one of those with the same number must succeed.
    'alter table dependency_member add column kind bigint not null default 0',
    `alter table job add column settled text check (settled in ('succeeded', 'failed', 'disabled'))`,
    'alter table job add column on_call integer not null default 0 check (on_call in (0, 1))',
    'alter table job add column blueprint integer not null default 0 check (blueprint in (0, 1, 2))',
    'alter table job add column continue_on_failure integer not null default 0 check (continue_on_failure in (0, 1))',
    // Overtaken by a goto while an attempt is live.
    'alter table job add column superseded integer not null default 0 check (superseded in (0, 1))',
    // The goal of a goto, as long as it waits for overtaken attempts.
    'alter table job add column reentry integer not null default 0 check (reentry in (0, 1))',
    // The attempt of this job whose steps to run have not ended.
    'alter table job add column route_token bigint',
    // The call that it serves, and the status it returns to.
    'alter table job add column call_id bigint',
    'alter table job add column resume_status integer check ((resume_status is null) = (call_id is null))',
    'alter table job add column resume_canceled_by bigint',
    `update job set settled = case status when 5 then 'succeeded' when 9 then 'disabled' else 'failed' end
     where status in (5, 6, 7, 8, 9)`,
    "create index job_of_scope on job (workflow_id, scope) where scope <> ''",
    'create index job_superseded on job (workflow_id) where superseded = 1',
    'create index job_reentry on job (workflow_id) where reentry = 1',
    `create table scope (
      workflow_id bigint not null references workflow (id),
      scope ${name} not null,
      item_index bigint not null default 0,
      total bigint not null default 0,
      item text,
      loops bigint not null default 0,
      primary key (workflow_id, scope)
    )`,
    `insert into scope (workflow_id, scope) select id, '' from workflow`,
    `create table route (
      token bigint primary key references attempt (id),
      workflow_id bigint not null references workflow (id),
      job_id bigint not null references job (id),
      kind text not null check (kind in ('on_fail', 'on_success', 'attempt')),
      not_before bigint,
      state text not null check (state in ('calling', 'due', 'evaluating', 'ended')),
      worker_id bigint references worker (id)
    )`,
    `create index route_due on route (workflow_id) where state = 'due'`,
    `create index route_held on route (worker_id) where state = 'evaluating'`,
    `create table call (
      id ${id},
      route_token bigint not null references route (token),
      job_id bigint not null references job (id),
      position bigint not null,
      state text not null check (state in ('queued', 'waiting', 'active', 'ended', 'dropped'))
    )`,
    'create index call_of_route on call (route_token)',
    `create index call_waiting on call (job_id) where state = 'waiting'`,
  ];
}
