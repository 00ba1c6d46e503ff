import type { ColumnTypes } from './column-types.ts';

/**
 * Requests with their ledgers. A round is a workflow; its units are counted by a dependency set each, so that a unit is
 * done when nothing remains in its set. Numbers of a range are text: they exceed what JavaScript holds exactly. A
 * request is hidden while `storing_until` is set.
 */
export function requestTables({ id, name }: ColumnTypes): string[] {
  return [
    `create table request (
      id ${id},
      name ${name} not null,
      version bigint not null check (version > 0),
      state text not null,
      priority bigint not null,
      shared integer not null check (shared in (0, 1)),
      actor text not null,
      cwd text not null,
      output_dir text not null,
      -- The normalised spec, the settings in force when it was submitted, and what releases changed, in JSON.
      model text not null,
      settings text not null,
      overrides text not null default '{}',
      -- Targets of the configuration of whoever drives it, in JSON.
      subscribers text not null default '[]',
      -- It was held since its last good end.
      troubled integer not null default 0 check (troubled in (0, 1)),
      -- The next number of a range; null for an inventory.
      next_number text,
      delivered text not null default '0',
      total text not null,
      next_unit bigint not null default 1,
      -- Why it is held, in JSON.
      hold text check ((hold is not null) = (state = 'HELD')),
      -- A stopped request stays out of the queue.
      pause_after_stop integer not null default 0 check (pause_after_stop in (0, 1)),
      previous_id bigint references request (id),
      superseded_by_id bigint references request (id),
      output_state text not null default 'active' check (output_state in ('active', 'superseded', 'invalidated')),
      -- The process that plans its next round, and until when others leave that to it.
      planner text,
      planning_until bigint,
      created_at bigint not null,
      changed_at bigint not null,
      storing_until bigint,
      unique (name, version)
    )`,
    `create index request_by_state on request (state, priority desc, id)`,
    'create index request_storing on request (id) where storing_until is not null',
    `create table round (
      id ${id},
      request_id bigint not null references request (id),
      number bigint not null,
      workflow_id bigint not null unique references workflow (id),
      state text not null,
      unique (request_id, number)
    )`,
    `create table unit (
      id ${id},
      workflow_id bigint not null references workflow (id),
      number bigint not null,
      state text not null default 'open' check (state in ('open', 'done', 'failed', 'not_run')),
      set_id bigint not null references dependency_set (id),
      first_number text,
      last_number text,
      -- How many numbers or items it has.
      size bigint not null,
      outputs text not null,
      -- The run at whose end it was found to be done.
      done_in_run bigint check ((done_in_run is not null) = (state = 'done')),
      unique (workflow_id, number)
    )`,
    'create index unit_of_set on unit (set_id)',
    `create table item (
      id ${id},
      request_id bigint not null references request (id),
      path ${name} not null,
      group_key text,
      state text not null default 'fresh' check (state in ('fresh', 'attempted', 'processed', 'excluded')),
      reason text,
      unique (request_id, path)
    )`,
    'create index item_by_state on item (request_id, state, id)',
    `create table unit_item (
      unit_id bigint not null references unit (id),
      item_id bigint not null references item (id),
      primary key (unit_id, item_id)
    )`,
    'create index unit_item_of_item on unit_item (item_id)',
    `create table site_ban (
      id ${id},
      site ${name} not null,
      -- null: for all work.
      request_id bigint references request (id),
      reason text not null,
      evidence text,
      actor text not null,
      created_at bigint not null,
      expires_at bigint,
      -- Its end was recorded.
      expiry_recorded integer not null default 0 check (expiry_recorded in (0, 1)),
      removed_at bigint,
      removed_by text
    )`,
    'create index site_ban_open on site_ban (site, expires_at) where removed_at is null and expiry_recorded = 0',
    'create index site_ban_of_request on site_ban (request_id) where request_id is not null',
  ];
}
