import type { Reader } from '../../../contract/by.ts';
import type { ErrorSettings } from '../../../core/request/error-settings.ts';
import type { RequestModel } from '../../../core/request/request-model.ts';
import {
  assertRequestTransition,
  type OutputState,
  type RequestState,
} from '../../../core/request/request-states.ts';
import { EXCLUSIVE } from '../../lock-rows.ts';
import {
  all,
  change,
  changeOne,
  first,
  insert,
  lock,
  placeholders,
  run,
  type Script,
  type SqlValue,
} from '../../script.ts';
import { readable } from '../access/readable.ts';

/** What releases changed. */
export interface RequestOverrides {
  memory_bytes?: number;
  retries?: number;
  settings?: Partial<ErrorSettings>;
}

/** A request as it is stored. */
export interface RequestRow {
  id: number;
  name: string;
  version: number;
  state: RequestState;
  priority: number;
  shared: number;
  actor: string;
  cwd: string;
  output_dir: string;
  model: string;
  settings: string;
  overrides: string;
  /** Targets of the configuration of the process that drives it, in JSON. */
  subscribers: string;
  /** It was held since its last good end. */
  troubled: number;
  next_number: string | null;
  delivered: string;
  total: string;
  next_unit: number;
  hold: string | null;
  pause_after_stop: number;
  previous_id: number | null;
  superseded_by_id: number | null;
  output_state: OutputState;
  created_at: number;
  changed_at: number;
  /** Who may change it: the token that created its first version, and these groups, in JSON. */
  owned_by: string;
  access_groups: string;
}

const COLUMNS = `id, name, version, state, priority, shared, actor, cwd, output_dir, model, settings, overrides, subscribers, troubled,
  next_number, delivered, total, next_unit, hold, pause_after_stop, previous_id, superseded_by_id, output_state, created_at, changed_at,
  owned_by, access_groups`;

const VISIBLE = 'storing_until is null';

type NewRequestRow = Pick<
  RequestRow,
  | 'name'
  | 'version'
  | 'priority'
  | 'actor'
  | 'cwd'
  | 'output_dir'
  | 'model'
  | 'settings'
  | 'next_number'
  | 'total'
  | 'previous_id'
  | 'created_at'
  | 'owned_by'
  | 'access_groups'
> & { shared: boolean; storing_until: number };

/** SUBMITTED, and hidden until all of it is stored. */
export function* insertRequest(row: NewRequestRow): Script<number> {
  return yield* insert(
    `insert into request (name, version, state, priority, shared, actor, cwd, output_dir, model, settings, next_number,
       total, previous_id, created_at, changed_at, storing_until, owned_by, access_groups)
     values (?, ?, 'SUBMITTED', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.name,
    row.version,
    row.priority,
    row.shared ? 1 : 0,
    row.actor,
    row.cwd,
    row.output_dir,
    row.model,
    row.settings,
    row.next_number,
    row.total,
    row.previous_id,
    row.created_at,
    row.created_at,
    row.storing_until,
    row.owned_by,
    row.access_groups,
  );
}

/** The next version of a request: its spec and its settings, without what happened to it. */
export function* copyRequest(from: number, version: number, actor: string, now: number): Script<number> {
  const { model, ...row } = yield* getRequestRow(from);
  const { work } = decodeModel(model);
  return yield* insertRequest({
    ...row,
    model,
    version,
    actor,
    next_number: work.kind === 'range' ? String(work.first) : null,
    previous_id: from,
    shared: row.shared === 1,
    created_at: now,
    storing_until: now,
  });
}

export function* keepStoringRequest(id: number, until: number): Script<boolean> {
  const changes = yield* change(
    'update request set storing_until = ? where id = ? and storing_until > 1',
    until,
    id,
  );
  return changes === 1;
}

export function* showRequest(id: number): Script<void> {
  yield* changeOne('update request set storing_until = null where id = ? and storing_until > 1', id);
}

/** One whose storing was abandoned. */
export function* findAbandonedRequest(now: number): Script<number | undefined> {
  const row = yield* first<{ id: number }>(
    'select id from request where storing_until is not null and storing_until <= ? order by id limit 1',
    now,
  );
  return row?.id;
}

/** Nothing more of it can be stored. False if it is there: whoever stored it has finished meanwhile. */
export function* giveUpStoringRequest(id: number): Script<boolean> {
  return (
    (yield* change('update request set storing_until = 1 where id = ? and storing_until >= 1', id)) === 1
  );
}

const ITEMS_AT_ONCE = 500;

/** Removes some of a request that was given up; false once nothing is left. */
export function* removeSomeOfRequest(id: number): Script<boolean> {
  const items = `delete from item where id in (select item.id from item join request on request.id = item.request_id
    where request.id = ? and request.storing_until = 1 limit ${ITEMS_AT_ONCE})`;
  if ((yield* change(items, id)) > 0) return true;
  return (yield* change('delete from request where id = ? and storing_until = 1', id)) > 0;
}

export function* getRequestRow(id: number): Script<RequestRow> {
  return (yield* first<RequestRow>(`select ${COLUMNS} from request where id = ?`, id))!;
}

/** The newest version, or the one that is asked for. */
export function* findRequest(name: string, version: number | null): Script<RequestRow | undefined> {
  const which = version === null ? '' : ' and version = ?';
  return yield* first<RequestRow>(
    `select ${COLUMNS} from request where name = ?${which} and ${VISIBLE} order by version desc limit 1`,
    name,
    ...(version === null ? [] : [version]),
  );
}

/** Also one that is being stored. */
export function* newestVersion(name: string): Script<number | null> {
  const row = yield* first<{ version: number | null }>(
    'select max(version) as version from request where name = ?',
    name,
  );
  return row?.version ?? null;
}

/** Until the end of the transaction, nobody else changes the request. Workflows are locked before requests. */
export function* lockRequest(id: number): Script<void> {
  yield* lock(`select id from request where id = ? ${EXCLUSIVE}`, id);
}

/** Newest first, below the id `before`. */
export function* listRequestRows(
  states: readonly RequestState[] | null,
  before: number,
  limit: number,
  reader?: Reader,
): Script<RequestRow[]> {
  const visible = readable('request', reader);
  const some = states === null ? '' : ` and state in ${placeholders(states.length)}`;
  return yield* all<RequestRow>(
    `select ${COLUMNS} from request where id < ? and ${VISIBLE}${some}${visible.sql} order by id desc limit ?`,
    before,
    ...(states ?? []),
    ...visible.values,
    limit,
  );
}

/** Requests of a server in one of the states, in the order in which they are admitted. */
export function* listSharedRequests(states: readonly RequestState[], limit: number): Script<RequestRow[]> {
  return yield* all<RequestRow>(
    `select ${COLUMNS} from request where shared = 1 and ${VISIBLE} and state in ${placeholders(states.length)}
     order by priority desc, id limit ?`,
    ...states,
    limit,
  );
}

export function* countSharedRequests(states: readonly RequestState[]): Script<number> {
  const row = yield* first<{ count: number }>(
    `select count(*) as count from request where shared = 1 and ${VISIBLE} and state in ${placeholders(states.length)}`,
    ...states,
  );
  return row!.count;
}

/** What a move changes besides the state. */
export interface RequestFacts {
  hold?: string;
  delivered?: string;
  next_number?: string | null;
  next_unit?: number;
  overrides?: string;
  pause_after_stop?: boolean;
}

/** A named transition: compare-and-set on the state. */
export function* moveRequest(
  { id, state }: Pick<RequestRow, 'id' | 'state'>,
  to: RequestState,
  now: number,
  facts: RequestFacts = {},
): Script<void> {
  assertRequestTransition(state, to);
  const assignments: [string, SqlValue][] = [
    ['hold', facts.hold ?? null],
    ['planner', null],
    ['planning_until', null],
  ];
  if (facts.delivered !== undefined) assignments.push(['delivered', facts.delivered]);
  if (facts.next_number !== undefined) assignments.push(['next_number', facts.next_number]);
  if (facts.next_unit !== undefined) assignments.push(['next_unit', facts.next_unit]);
  if (facts.overrides !== undefined) assignments.push(['overrides', facts.overrides]);
  if (facts.pause_after_stop !== undefined) {
    assignments.push(['pause_after_stop', facts.pause_after_stop ? 1 : 0]);
  }
  yield* changeOne(
    `update request set state = ?, changed_at = ?, ${assignments.map(([column]) => `${column} = ?`).join(', ')}
     where id = ? and state = ?`,
    to,
    now,
    ...assignments.map(([, value]) => value),
    id,
    state,
  );
}

export function* setDelivered(id: number, delivered: string): Script<void> {
  yield* changeOne('update request set delivered = ? where id = ?', delivered, id);
}

export function* setOutputState(id: number, state: OutputState): Script<void> {
  yield* changeOne('update request set output_state = ? where id = ?', state, id);
}

export function* setSuccessor(id: number, successor: number): Script<void> {
  yield* changeOne('update request set superseded_by_id = ? where id = ?', successor, id);
}

/** The process that plans its next round, and until when others leave that to it. */
export function* findPlanner(id: number): Script<{ planner: string; until: number } | null> {
  const row = yield* first<{ planner: string | null; until: number | null }>(
    'select planner, planning_until as until from request where id = ?',
    id,
  );
  return row?.planner == null ? null : { planner: row.planner, until: row.until! };
}

/** Takes the planning of its next round, or keeps it. False if it is not to be planned. */
export function* takePlanning(id: number, planner: string, until: number): Script<boolean> {
  const changes = yield* change(
    `update request set planner = ?, planning_until = ? where id = ? and state = 'PLANNING'`,
    planner,
    until,
    id,
  );
  return changes === 1;
}

/** Renews the lease of `takePlanning`; false once another process has taken it, or the request is not to be planned any more. */
export function* keepPlanning(id: number, planner: string, until: number): Script<boolean> {
  const changes = yield* change(
    `update request set planning_until = ? where id = ? and state = 'PLANNING' and planner = ?`,
    until,
    id,
    planner,
  );
  return changes === 1;
}

/** False once another process plans it, or it is not to be planned any more. */
export function* isPlanning(id: number, planner: string): Script<boolean> {
  const row = yield* first(
    `select 1 as found from request where id = ? and state = 'PLANNING' and planner = ?`,
    id,
    planner,
  );
  return row !== undefined;
}

export function* dropPlanning(id: number, planner: string): Script<void> {
  yield* run(
    'update request set planner = null, planning_until = null where id = ? and planner = ?',
    id,
    planner,
  );
}

export function decodeModel(text: string): RequestModel {
  const model = JSON.parse(text) as RequestModel;
  const { work } = model;
  // Whole numbers of a range are text in JSON.
  return work.kind === 'range'
    ? { ...model, work: { ...work, total: BigInt(work.total), first: BigInt(work.first) } }
    : model;
}

export function encodeModel(model: RequestModel): string {
  return JSON.stringify(model, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
