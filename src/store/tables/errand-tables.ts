import type { ColumnTypes } from './column-types.ts';

/**
 * Errands: work beside an attempt or a run. A row without `started_at` waits for its holder; one with it has begun, and
 * does not begin again. The holder `attempt` is the worker of the attempt, `worker` is any worker, or the one in
 * `worker_id` if that is set before the start; `server` is one server process, which renews its lease on the errand.
 */
export function errandTables({ id }: ColumnTypes): string[] {
  return [
    `create table action (
      id ${id},
      workflow_id bigint not null references workflow (id),
      trigger_type text not null,
      persistent integer not null check (persistent in (0, 1)),
      commands text not null,
      -- Allocations that it orders, in JSON; null: it runs commands.
      schedule text,
      -- An update removed it; errands of earlier runs still refer to it.
      removed integer not null default 0 check (removed in (0, 1))
    )`,
    'create index action_of_workflow on action (workflow_id)',
    `create table action_job (
      action_id bigint not null references action (id),
      job_id bigint not null references job (id),
      primary key (action_id, job_id)
    )`,
    'create index action_of_job on action_job (job_id)',
    `create table errand (
      id ${id},
      -- null: a notification about a request.
      workflow_id bigint references workflow (id),
      run_id bigint,
      kind text not null,
      holder text not null check (holder in ('attempt', 'worker', 'server')),
      -- The attempt and the job, or the action, that it is about.
      token bigint references attempt (id),
      -- No foreign key: the attempt has it.
      job_id bigint,
      action_id bigint references action (id),
      worker_id bigint references worker (id),
      server text,
      server_lease_expires_at bigint,
      ordered_at bigint not null,
      started_at bigint,
      timeout_ms bigint,
      cancel_requested integer not null default 0 check (cancel_requested in (0, 1)),
      finished_at bigint,
      -- How it ended, and for outputs and the server's errands what they are about, in JSON.
      result text,
      data text,
      -- Of outputs and notifications: the request, when the errand may be begun, and how often it was.
      request_id bigint,
      due_at bigint,
      tries bigint not null default 0,
      -- Of a notification: where it goes. One at a time is sent there.
      target text,
      check (holder = 'server' or kind in ('post', 'recovery', 'evaluation', 'action', 'outputs')),
      check (kind <> 'outputs' or request_id is not null),
      check (request_id is null or kind in ('outputs', 'notification')),
      check ((kind in ('outputs', 'notification')) = (due_at is not null)),
      check ((workflow_id is null) = (run_id is null)),
      check (workflow_id is not null or (kind = 'notification' and request_id is not null)),
      check ((token is null) = (job_id is null)),
      check ((kind = 'action') = (action_id is not null)),
      check ((server is null) = (server_lease_expires_at is null)),
      check (server is null or holder = 'server'),
      check (holder = 'server' or started_at is null or worker_id is not null),
      check ((finished_at is null) = (result is null))
    )`,
    // An action runs once for a worker in a run.
    'create unique index errand_of_action on errand (action_id, run_id, worker_id) where action_id is not null',
    // A recovery script runs once for an attempt.
    `create unique index errand_of_retry on errand (token) where kind = 'recovery'`,
    'create index errand_of_attempt on errand (token) where token is not null',
    'create index errand_held on errand (worker_id) where finished_at is null',
    'create index errand_of_workflow on errand (workflow_id, id)',
    'create index errand_open on errand (workflow_id, id) where finished_at is null',
    `create index errand_of_outputs on errand (request_id, id) where kind = 'outputs' and finished_at is null`,
    `create index errand_of_server on errand (id) where finished_at is null and holder = 'server'`,
  ];
}
