import type { ColumnTypes } from './column-types.ts';

/**
 * `job` has a row per (workflow, name, scope). Jobs that wait for the same others share one `dependency_set` with a
 * countdown: a barrier of 1,000 × 1,000 is one set, not a million edges. `settled` is how the end of a job was counted in
 * the sets of its dependents: null while it is open, and kept while a route merely calls it. A blueprint is a job of a
 * forEach item that has no items yet (1) or has been replaced by them (2); 3 is a job that an update removed, which is
 * disabled and in no list. From `waiting_for` on, the columns hold the
 * state of core/job/full-state.ts, as rows/jobs/state-columns.ts writes and reads it.
 */
export function jobTables({ id, name }: ColumnTypes): string[] {
  return [
    `create table dependency_set (
      id ${id},
      workflow_id bigint not null references workflow (id),
      size bigint not null,
      remaining bigint not null check (remaining between 0 and size),
      unsuccessful bigint not null default 0 check (unsuccessful between 0 and size),
      disabled bigint not null default 0
    )`,
    'create index dependency_set_of_workflow on dependency_set (workflow_id)',
    `create table job (
      id ${id},
      workflow_id bigint not null references workflow (id),
      name ${name} not null,
      scope ${name} not null default '',
      status integer not null check (status between 0 and 10),
      priority bigint not null,
      claim_rank bigint not null default 0,
      -- Of a row in \`requirement\`, which is removed after all jobs. No foreign key: it would need an index, for every job.
      requirement_id bigint not null,
      dependency_set_id bigint references dependency_set (id),
      failure_handler_id bigint references failure_handler (id) on delete set null,
      cancel_on_failure integer not null check (cancel_on_failure in (0, 1)),
      continue_on_failure integer not null default 0 check (continue_on_failure in (0, 1)),
      -- Its sweep, if the rest of that is canceled when one of its jobs fails.
      fail_fast text,
      -- A run that is to end elsewhere does not need it: it is claimed for calls only.
      held integer not null default 0 check (held in (0, 1)),
      on_call integer not null default 0 check (on_call in (0, 1)),
      blueprint integer not null default 0 check (blueprint in (0, 1, 2, 3)),
      settled text check (settled in ('succeeded', 'failed', 'disabled')),
      visit bigint not null default 1,
      attempt_id bigint not null default 0,
      -- What a blocked or ready job waits for, if it is not its dependencies or a worker.
      waiting_for text,
      -- When the retry is due; of a job that waits for a worker, when it gives up.
      waiting_until bigint,
      -- The attempt whose route or recovery script has to end.
      waiting_token bigint,
      -- Where its last attempt failed, and until when another worker, or one at another site, is waited for.
      avoid_worker_id bigint,
      avoid_site text,
      avoid_until bigint,
      -- A goto overtook the live attempt.
      overtaken integer not null default 0 check (overtaken = 0 or (overtaken = 1 and status in (3, 4))),
      -- The live attempt is to be ended, and the job to be canceled, or retried in the name of the actor.
      ending text check (ending is null or (ending in ('cancel', 'retry') and status in (3, 4))),
      ending_actor text check ((ending_actor is not null) = (ending is not null and ending = 'retry')),
      -- The job because of which it is canceled, or is to be.
      canceled_by bigint
        check (canceled_by is null or status = 7 or (ending is not null and ending = 'cancel')),
      -- The call that it serves, and the state that it returns to, in JSON.
      serves text check (serves is null or status <> 0),
      scheduling_timeout bigint,
      -- Name of the scheduler whose allocations are ordered because of it; null: of any that fits.
      scheduler text,
      reason text,
      stdio text not null default 'separate',
      config text not null,
      -- What the spec asked for, where recovery or a user changed it since.
      specified_requirement_id bigint,
      specified_timeout_ms bigint check (specified_timeout_ms is null or specified_requirement_id is not null),
      unique (workflow_id, name, scope),
      check (case
        when waiting_for is null then waiting_token is null and (waiting_until is null or status = 2)
        when waiting_for = 'overtaken' then status = 1 and waiting_until is null and waiting_token is null
        when waiting_for = 'retry' then status = 2 and waiting_until is not null and waiting_token is null
        when waiting_for = 'recovery' then status = 2 and waiting_until is not null and waiting_token is not null
        when waiting_for = 'route' then waiting_token is not null
          and (status = 1 and waiting_until is null or status = 2 and waiting_until is not null)
        else false
      end),
      check (case
        when avoid_worker_id is null then avoid_site is null and avoid_until is null
        else avoid_until is not null and status = 2
      end)
    )`,
    'create index job_by_status on job (workflow_id, status)',
    // Pages of jobs; without it each would sort all jobs of the workflow.
    'create index job_of_workflow on job (workflow_id, id)',
    'create index job_of_set on job (dependency_set_id) where dependency_set_id is not null',
    'create index job_held on job (workflow_id) where held = 1',
    'create index job_of_sweep on job (workflow_id, fail_fast) where fail_fast is not null',
    'create index job_of_handler on job (failure_handler_id) where failure_handler_id is not null',
    'create index job_claimable on job (workflow_id, requirement_id, priority desc, claim_rank, id) where status = 2 and waiting_for is null and (held = 0 or serves is not null)',
    "create index job_retrying on job (workflow_id, waiting_until) where status = 2 and waiting_for = 'retry'",
    'create index job_unscheduled on job (workflow_id, waiting_until) where status = 2 and waiting_for is null and (held = 0 or serves is not null) and waiting_until is not null',
    'create index job_ending on job (ending) where ending is not null',
    "create index job_of_scope on job (workflow_id, scope) where scope <> ''",
    'create index job_overtaken on job (workflow_id) where overtaken = 1',
    "create index job_awaiting_overtaken on job (workflow_id) where waiting_for = 'overtaken'",
    'create index job_avoiding on job (avoid_worker_id) where avoid_worker_id is not null',
    'create index job_avoiding_site on job (avoid_site) where avoid_site is not null',
    // kind 0: must succeed. -1: must have ended. Above 0: one of those with the same number must succeed.
    `create table dependency_member (
      job_id bigint not null references job (id),
      set_id bigint not null references dependency_set (id),
      kind bigint not null default 0,
      primary key (job_id, set_id)
    )`,
    'create index dependency_member_of_set on dependency_member (set_id)',
  ];
}
