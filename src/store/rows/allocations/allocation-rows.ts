import type { Reader } from '../../../contract/by.ts';
import {
  type AllocationState,
  assertAllocationTransition,
} from '../../../core/allocation/allocation-transitions.ts';
import { all, change, first, insert, placeholders, run, type Script, type SqlValue } from '../../script.ts';
import { inReadable } from '../access/readable.ts';

export interface AllocationRow {
  id: number;
  workflow_id: number;
  run_id: number;
  scheduler_id: number;
  scheduler: string;
  action_id: number | null;
  actor: string | null;
  tag: string;
  state: AllocationState;
  one_worker_per_node: number;
  max_parallel: number | null;
  after_id: number | null;
  cluster_id: string | null;
  word: string | null;
  why: string | null;
  never: number;
  starts_at: number | null;
  ends_at: number | null;
  restarts: number;
  missing_since: number | null;
  workers_came: number;
  ever_came: number;
  ordered_at: number;
  submitting_at: number | null;
  submitted_at: number | null;
  started_at: number | null;
  ended_at: number | null;
  ending: string | null;
  cancel_at: number | null;
  cancel_reason: string | null;
  cancel_sent_at: number | null;
  unneeded: number;
}

const NAMES = [
  ...[
    'id',
    'workflow_id',
    'run_id',
    'scheduler_id',
    'action_id',
    'actor',
    'tag',
    'state',
    'one_worker_per_node',
  ],
  ...['max_parallel', 'after_id', 'cluster_id', 'word', 'why', 'never', 'starts_at', 'ends_at', 'restarts'],
  ...[
    'missing_since',
    'workers_came',
    'ever_came',
    'ordered_at',
    'submitting_at',
    'submitted_at',
    'started_at',
  ],
  ...['ended_at', 'ending', 'cancel_at', 'cancel_reason', 'cancel_sent_at', 'unneeded'],
];
const SELECT = `select ${NAMES.map((name) => `allocation.${name}`).join(', ')}, scheduler.name as scheduler
  from allocation join scheduler on scheduler.id = allocation.scheduler_id`;

export interface NewAllocation {
  workflow_id: number;
  run_id: number;
  scheduler_id: number;
  action_id: number | null;
  actor: string | null;
  tag: string;
  one_worker_per_node: boolean;
  max_parallel: number | null;
}

export function* insertAllocation(order: NewAllocation, now: number): Script<number> {
  return yield* insert(
    `insert into allocation (workflow_id, run_id, scheduler_id, action_id, actor, tag, state, one_worker_per_node,
       max_parallel, ordered_at) values (?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?)`,
    order.workflow_id,
    order.run_id,
    order.scheduler_id,
    order.action_id,
    order.actor,
    order.tag,
    order.one_worker_per_node ? 1 : 0,
    order.max_parallel,
    now,
  );
}

export function* findAllocation(id: number): Script<AllocationRow | undefined> {
  return yield* first<AllocationRow>(`${SELECT} where allocation.id = ?`, id);
}

export function* findTagged(tag: string): Script<AllocationRow | undefined> {
  return yield* first<AllocationRow>(`${SELECT} where allocation.tag = ?`, tag);
}

/** Newest first, below the id `before`. */
export function* listAllocations(
  filter: {
    before: number;
    limit: number;
    workflow_id: number | null;
    states: readonly AllocationState[] | null;
  },
  reader?: Reader,
): Script<AllocationRow[]> {
  const visible = inReadable('allocation.workflow_id', reader);
  const { before, limit, workflow_id, states } = filter;
  return yield* all<AllocationRow>(
    `${SELECT} where allocation.id < ?${workflow_id === null ? '' : ' and allocation.workflow_id = ?'}${
      states === null ? '' : ` and allocation.state in ${placeholders(states.length)}`
    }${visible.sql} order by allocation.id desc limit ?`,
    before,
    ...(workflow_id === null ? [] : [workflow_id]),
    ...(states ?? []),
    ...visible.values,
    limit,
  );
}

/** Those that have not ended, oldest first. */
export function* listAlive(workflowId: number): Script<AllocationRow[]> {
  return yield* all<AllocationRow>(
    `${SELECT} where allocation.workflow_id = ? and allocation.state <> 'ended' order by allocation.id`,
    workflowId,
  );
}

export function* countAlive(workflowId: number): Script<{ queued: number; running: number }> {
  const row = yield* first<{ alive: number; running: number }>(
    `select count(*) as alive, coalesce(sum(case when state = 'running' then 1 else 0 end), 0) as running
     from allocation where workflow_id = ? and state <> 'ended'`,
    workflowId,
  );
  const running = Number(row!.running);
  return { queued: row!.alive - running, running };
}

/** Those in the queue of the cluster that wait for something that cannot come. */
export function* listStuck(
  workflowId: number,
): Script<{ cluster_id: string; scheduler: string; why: string }[]> {
  return yield* all<{ cluster_id: string; scheduler: string; why: string }>(
    `select allocation.cluster_id, scheduler.name as scheduler, coalesce(allocation.why, '') as why
     from allocation join scheduler on scheduler.id = allocation.scheduler_id
     where allocation.workflow_id = ? and allocation.state <> 'ended' and allocation.state = 'queued'
       and allocation.never = 1 order by allocation.id`,
    workflowId,
  );
}

/** What actions of the run have ordered: how many, and how many of these no job needed. */
export function* countOrdered(
  workflowId: number,
  runId: number,
): Script<{ action_id: number; ordered: number; unneeded: number }[]> {
  const rows = yield* all<{ action_id: number; ordered: number; unneeded: number }>(
    `select action_id, count(*) as ordered, sum(unneeded) as unneeded from allocation
     where workflow_id = ? and run_id = ? and action_id is not null group by action_id`,
    workflowId,
    runId,
  );
  return rows.map((row) => ({ ...row, unneeded: Number(row.unneeded) }));
}

/** Columns that a move sets besides the state. */
export type AllocationChange = Partial<
  Pick<
    AllocationRow,
    | 'cluster_id'
    | 'word'
    | 'why'
    | 'never'
    | 'starts_at'
    | 'ends_at'
    | 'restarts'
    | 'missing_since'
    | 'workers_came'
    | 'ever_came'
    | 'submitting_at'
    | 'submitted_at'
    | 'started_at'
    | 'ended_at'
    | 'ending'
    | 'after_id'
    | 'cancel_at'
    | 'cancel_reason'
    | 'cancel_sent_at'
    | 'unneeded'
  >
>;

/** False if the allocation has moved meanwhile. */
export function* moveAllocation(
  { id, state }: Pick<AllocationRow, 'id' | 'state'>,
  to: AllocationState,
  changes: AllocationChange = {},
): Script<boolean> {
  if (to !== state) assertAllocationTransition(state, to);
  const entries = Object.entries(changes) as [string, SqlValue][];
  const assignments = ['state = ?', ...entries.map(([name]) => `${name} = ?`)].join(', ');
  const changed = yield* change(
    `update allocation set ${assignments} where id = ? and state = ?`,
    to,
    ...entries.map(([, value]) => value),
    id,
    state,
  );
  return changed === 1;
}

/** It is to be canceled: at this time at the latest. An earlier order stands. */
export function* orderCancel(
  id: number,
  order: { at: number; reason: string; unneeded: boolean },
): Script<void> {
  yield* run(
    `update allocation set cancel_at = ?, cancel_reason = ?, unneeded = ?
     where id = ? and state <> 'ended' and (cancel_at is null or cancel_at > ?)`,
    order.at,
    order.reason,
    order.unneeded ? 1 : 0,
    id,
    order.at,
  );
}

/** Workers of allocations that take jobs of the workflow cannot take those of others. */
export const TAKES_JOBS_OF = `(worker.allocation_id is null or worker.allocation_id in (
  select allocation.id from allocation where allocation.workflow_id = ?))`;

/** How many workers that have not retired came from each of the allocations of a workflow. */
export function* countWorkersOf(workflowId: number): Script<Map<number, number>> {
  const rows = yield* all<{ id: number; workers: number }>(
    `select allocation.id, count(*) as workers from allocation join worker on worker.allocation_id = allocation.id
     where allocation.workflow_id = ? and allocation.state <> 'ended' and worker.retired_at is null
     group by allocation.id`,
    workflowId,
  );
  return new Map(rows.map(({ id, workers }) => [id, workers]));
}

/** A worker whose allocation has ended, or was requeued since. */
export interface StrandedWorker {
  worker_id: number;
  cluster_id: string | null;
  tag: string;
  scheduler: string;
  /** null: it was requeued. */
  ending: string | null;
}

/** Those that have not been heard of since a time, and those that have. */
export function* listStranded(
  only: number | null,
  silentSince: number,
): Script<(StrandedWorker & { is_silent: number })[]> {
  return yield* all<StrandedWorker & { is_silent: number }>(
    `select worker.id as worker_id, allocation.cluster_id, allocation.tag, allocation.ending,
       scheduler.name as scheduler,
       case when worker.lease_expires_at - worker.lease_ms <= ? then 1 else 0 end as is_silent
     from worker join allocation on allocation.id = worker.allocation_id
       join scheduler on scheduler.id = allocation.scheduler_id
     where worker.retired_at is null and (allocation.state in ('ended', 'queued')
       or allocation.restarts > worker.allocation_restarts)${only === null ? '' : ' and allocation.workflow_id = ?'}
     order by worker.id`,
    silentSince,
    ...(only === null ? [] : [only]),
  );
}
