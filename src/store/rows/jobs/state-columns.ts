import {
  blocked,
  canceled,
  type EndingOrder,
  type FullState,
  type ReadyWait,
  ready,
  type ServedCall,
} from '../../../core/job/full-state.ts';
import { JOB_STATUS, statusName } from '../../../core/job/job-status.ts';
import type { Avoidance } from '../../../core/placement/eligibility.ts';
import type { SqlValue } from '../../script.ts';

/**
 * The state of a job as columns of its row. This file alone knows how the one becomes the other; check constraints of
 * the table refuse what is no state.
 */
export interface StateColumns {
  status: number;
  /** null: what the status says, which is the dependencies of a blocked job, and a worker for a ready one. */
  waiting_for: 'overtaken' | 'route' | 'retry' | 'recovery' | null;
  /** When the retry is due. Of a job that waits for a worker: when it gives up. */
  waiting_until: number | null;
  /** The attempt whose route or recovery script has to end. */
  waiting_token: number | null;
  avoid_worker_id: number | null;
  avoid_site: string | null;
  avoid_until: number | null;
  overtaken: number;
  ending: 'cancel' | 'retry' | null;
  ending_actor: string | null;
  canceled_by: number | null;
}

/** All of them, with their types. */
export const STATE_TYPES = {
  status: 'integer',
  waiting_for: 'text',
  waiting_until: 'bigint',
  waiting_token: 'bigint',
  avoid_worker_id: 'bigint',
  avoid_site: 'text',
  avoid_until: 'bigint',
  overtaken: 'integer',
  ending: 'text',
  ending_actor: 'text',
  canceled_by: 'bigint',
} as const satisfies Record<keyof StateColumns, string>;

const NAMES = Object.keys(STATE_TYPES) as (keyof StateColumns)[];

/** For a select. */
export const STATE_COLUMNS = NAMES.map((name) => `job.${name}`).join(', ');

const NOTHING: Omit<StateColumns, 'status'> = {
  waiting_for: null,
  waiting_until: null,
  waiting_token: null,
  avoid_worker_id: null,
  avoid_site: null,
  avoid_until: null,
  overtaken: 0,
  ending: null,
  ending_actor: null,
  canceled_by: null,
};

export function encodeState(state: FullState): StateColumns {
  const columns: StateColumns = { ...NOTHING, status: JOB_STATUS[state.status] };
  switch (state.status) {
    case 'blocked':
      if (state.waiting.for !== 'dependencies') columns.waiting_for = state.waiting.for;
      if (state.waiting.for === 'route') columns.waiting_token = state.waiting.token;
      break;
    case 'ready': {
      const { waiting, avoids } = state;
      if (waiting.for === 'worker') columns.waiting_until = waiting.gives_up_at;
      else {
        columns.waiting_for = waiting.for;
        columns.waiting_until = waiting.until;
        if (waiting.for !== 'retry') columns.waiting_token = waiting.token;
      }
      columns.avoid_worker_id = avoids?.worker_id ?? null;
      columns.avoid_site = avoids?.site ?? null;
      columns.avoid_until = avoids?.until ?? null;
      break;
    }
    case 'pending':
    case 'running':
      columns.overtaken = state.overtaken ? 1 : 0;
      columns.ending = state.order?.kind ?? null;
      if (state.order?.kind === 'retry') columns.ending_actor = state.order.actor;
      if (state.order?.kind === 'cancel') columns.canceled_by = state.order.because;
      break;
    case 'canceled':
      columns.canceled_by = state.because;
      break;
  }
  return columns;
}

export function decodeState(row: StateColumns): FullState {
  const status = statusName(row.status);
  switch (status) {
    case 'blocked':
      if (row.waiting_for === 'route') return blocked({ for: 'route', token: row.waiting_token! });
      return blocked({ for: row.waiting_for === 'overtaken' ? 'overtaken' : 'dependencies' });
    case 'ready':
      return ready(readyWait(row), decodeAvoidance(row));
    case 'pending':
    case 'running':
      return { status, order: decodeOrder(row), overtaken: row.overtaken === 1 };
    case 'canceled':
      return canceled(row.canceled_by);
    default:
      return { status };
  }
}

function readyWait({ waiting_for, waiting_until, waiting_token }: StateColumns): ReadyWait {
  switch (waiting_for) {
    case 'retry':
      return { for: 'retry', until: waiting_until! };
    case 'recovery':
    case 'route':
      return { for: waiting_for, token: waiting_token!, until: waiting_until! };
    default:
      return { for: 'worker', gives_up_at: waiting_until };
  }
}

export function decodeAvoidance({
  avoid_worker_id,
  avoid_site,
  avoid_until,
}: Pick<StateColumns, 'avoid_worker_id' | 'avoid_site' | 'avoid_until'>): Avoidance | null {
  if (avoid_worker_id === null) return null;
  return { worker_id: avoid_worker_id, site: avoid_site, until: avoid_until! };
}

export function decodeOrder({
  ending,
  ending_actor,
  canceled_by,
}: Pick<StateColumns, 'ending' | 'ending_actor' | 'canceled_by'>): EndingOrder | null {
  if (ending === null) return null;
  return ending === 'cancel'
    ? { kind: 'cancel', because: canceled_by }
    : { kind: 'retry', actor: ending_actor! };
}

/** The served call is read with its job and never searched for, so it is one column. */
export function encodeServes(serves: ServedCall | null): string | null {
  return serves === null ? null : JSON.stringify(serves);
}

export function decodeServes(text: string | null): ServedCall | null {
  return text === null ? null : (JSON.parse(text) as ServedCall);
}

/** The columns with their values, in the order of `STATE_TYPES`. */
export function stateValues(state: FullState): SqlValue[] {
  const columns = encodeState(state);
  return NAMES.map((name) => columns[name]);
}

/** Assignments for an update, with `?` for the values of `stateValues`. */
export const STATE_ASSIGNMENTS = NAMES.map((name) => `${name} = ?`).join(', ');

/** Conditions on rows whose status is known to be blocked. */
export const AWAITS_DEPENDENCIES = 'job.waiting_for is null';
/** A run that is to end elsewhere does not leave it out, in the words of the partial indexes. */
export const NOT_HELD = '(job.held = 0 or job.serves is not null)';
/** On ready ones, in the words of the partial indexes: to be claimed. */
export const CLAIMABLE = `job.status = 2 and job.waiting_for is null and ${NOT_HELD}`;
/** Waits for nothing but its time. */
export const WAITS_FOR_RETRY = `job.status = 2 and job.waiting_for = 'retry'`;
/** Has to be claimed by a time, or fails. */
export const HAS_TO_BE_SCHEDULED = `${CLAIMABLE} and job.waiting_until is not null`;
/** Of a job that is or becomes claimable: its dependencies are open, as in `unlessHeldBack`. */
export const HELD_BACK = `job.serves is null and exists (
  select 1 from dependency_set where dependency_set.id = job.dependency_set_id and dependency_set.remaining > 0)`;
