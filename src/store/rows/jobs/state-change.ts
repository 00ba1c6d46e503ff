import type { FullState } from '../../../core/job/full-state.ts';
import { JOB_STATUS, type JobStatus } from '../../../core/job/job-status.ts';
import { assertTransition } from '../../../core/job/status-transitions.ts';
import { encodeState, type StateColumns } from './state-columns.ts';

/** The parts of a statement that moves many jobs: each of the transitions must be in the list that docs/statuses.md draws. */
export interface StateChange {
  /** Assignments. */
  to: string;
  /** A list for `status in`. */
  from: string;
}

const WAITING = ['waiting_for', 'waiting_until', 'waiting_token'] as const;
const AVOIDED = ['avoid_worker_id', 'avoid_site', 'avoid_until'] as const;
const ORDER = ['overtaken', 'ending', 'ending_actor', 'canceled_by'] as const;

/** Columns that can be set in a status, as the check constraints say. */
const COLUMNS_IN: Record<JobStatus, readonly (keyof StateColumns)[]> = {
  uninitialized: [],
  blocked: WAITING,
  ready: [...WAITING, ...AVOIDED],
  pending: ORDER,
  running: ORDER,
  pending_failed: [],
  completed: [],
  failed: [],
  terminated: [],
  disabled: [],
  canceled: ['canceled_by'],
};

/**
 * Assigns what can differ between the statuses and the state, and no more: each column that is named costs SQLite a look
 * at its indexes. `computed`: columns that SQL computes.
 */
export function stateChange(
  from: readonly JobStatus[],
  to: FullState,
  computed: Partial<Record<keyof StateColumns, string>> = {},
): StateChange {
  for (const status of from) if (status !== to.status) assertTransition(status, to.status);
  const columns = encodeState(to);
  const empty = encodeState({ status: 'uninitialized' });
  const set = COLUMNS_IN[to.status].filter((name) => name in computed || columns[name] !== empty[name]);
  const names = new Set([...from.flatMap((status) => COLUMNS_IN[status]), ...set]);
  const assigned = (['status', ...names] as const).map(
    (name) => `${name} = ${computed[name] ?? literal(columns[name])}`,
  );
  return { to: assigned.join(', '), from: statusList(from) };
}

export function statusList(statuses: readonly JobStatus[]): string {
  return `(${statuses.map((status) => JOB_STATUS[status]).join(', ')})`;
}

function literal(value: string | number | null): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}
