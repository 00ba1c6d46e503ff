import type { ColumnTypes } from './column-types.ts';

/** Workers: who they are, what they offer, their lease, and their newest exchange. */
export function workerTables({ id, real }: ColumnTypes): string[] {
  return [
    `create table worker (
      id ${id},
      -- dag: attempts that DAGMan ran at its site; no process of ours stands behind it.
      kind text not null check (kind in ('run', 'service', 'dag')),
      host text not null,
      boot_id text not null,
      pid bigint not null,
      start_time text not null,
      site text not null,
      labels text not null,
      cpus ${real} not null,
      memory_bytes bigint not null,
      gpus bigint not null,
      -- null: one machine, whatever num_nodes a job asks for.
      nodes bigint,
      max_parallel bigint,
      -- The allocation that it runs in, its node there, and how often the allocation had been requeued.
      allocation_id bigint,
      allocation_node bigint,
      allocation_restarts bigint,
      -- When it will be gone, if it has said.
      ends_at bigint,
      -- Its state directory, and who registered it: a newer worker of the same owner there shows that it is dead.
      directory text,
      registered_by text,
      registered_at bigint not null,
      lease_ms bigint not null,
      lease_expires_at bigint not null,
      draining integer not null default 0 check (draining in (0, 1)),
      retired_at bigint,
      -- The newest exchange and its answer, in case that is sent again.
      last_seq bigint not null default 0,
      last_result text,
      -- The hash of the secret that a process shows to act as the worker.
      secret_hash text not null
    )`,
    'create index worker_active on worker (id) where retired_at is null',
    `create unique index worker_of_dagman on worker (site) where kind = 'dag'`,
    'create index worker_of_allocation on worker (allocation_id) where allocation_id is not null',
    // One row: when a server was last up. Leases do not run while none is.
    `create table server_presence (
      id integer primary key check (id = 1),
      seen_at bigint not null,
      -- Targets of the configuration of the server that started last, in JSON.
      subscribers text not null default '[]'
    )`,
  ];
}
