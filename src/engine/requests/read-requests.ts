import type { ItemQuery, PageQuery, RequestQuery, UnitQuery } from '../../contract/engine.ts';
import type { AuditRecord, Page } from '../../contract/records/records.ts';
import type {
  HoldRecord,
  ItemRecord,
  RequestRecord,
  RequestSummary,
  RoundRecord,
  UnitRecord,
} from '../../contract/records/request.ts';
import type { RoundRunEnd } from '../../core/request/decide-round.ts';
import type { RequestState } from '../../core/request/request-states.ts';
import { listAuditOf } from '../../store/rows/access/audit-rows.ts';
import {
  listOpenOutputs,
  type OpenOutputErrand,
  type OutputErrandData,
} from '../../store/rows/errands/output-errand-rows.ts';
import { countItems, type ItemRow, listItemRows } from '../../store/rows/requests/inventory-rows.ts';
import {
  decodeModel,
  getRequestRow,
  listRequestRows,
  type RequestRow,
} from '../../store/rows/requests/request-rows.ts';
import {
  countRounds,
  listRoundRows,
  listRoundRuns,
  type RoundRow,
} from '../../store/rows/requests/round-rows.ts';
import {
  countSettledUnits,
  countUnits,
  listUnitRows,
  type UnitRow,
} from '../../store/rows/requests/unit-rows.ts';
import type { Script } from '../../store/script.ts';
import { pageLimit, readPage } from '../records/page.ts';
import { requestLabel } from '../records/record-request.ts';
import { auditRecord } from '../records/records.ts';
import { settingsOf } from '../rounds/request-settings.ts';
import { needRequest } from './needed-request.ts';

const SHOWN_ROUNDS = 100;
const NEWEST = Number.MAX_SAFE_INTEGER;

export function* requestsPage(query: RequestQuery): Script<Page<RequestSummary>> {
  const limit = pageLimit(query);
  const rows = yield* listRequestRows(query.state ?? null, query.after ?? NEWEST, limit, query.reader);
  const items: RequestSummary[] = [];
  for (const row of rows) items.push(yield* requestSummary(row));
  return { items, next: rows.length < limit ? null : rows.at(-1)!.id };
}

function* requestSummary(row: RequestRow): Script<RequestSummary> {
  const model = decodeModel(row.model);
  return {
    request_name: row.name,
    version: row.version,
    status: row.state,
    priority: row.priority,
    executor: model.executor,
    actor: row.actor,
    owner: row.owned_by,
    access_groups: JSON.parse(row.access_groups) as string[],
    work: model.work.kind,
    cursor: row.next_number,
    delivered: row.delivered,
    total: row.total,
    hold: row.hold === null ? null : (JSON.parse(row.hold) as HoldRecord),
    previous_version_request: yield* labelOf(row.previous_id),
    superseded_by_request: yield* labelOf(row.superseded_by_id),
    output_state: row.output_state,
    created_at_ms: row.created_at,
    changed_at_ms: row.changed_at,
  };
}

function* labelOf(id: number | null): Script<string | null> {
  return id === null ? null : requestLabel(yield* getRequestRow(id));
}

export function* requestNamed(ref: string): Script<RequestRecord> {
  return yield* recordOf(yield* needRequest(ref));
}

export function* recordOf(row: RequestRow): Script<RequestRecord> {
  const model = decodeModel(row.model);
  const rounds: RoundRecord[] = [];
  for (const round of yield* listRoundRows(row.id, NEWEST, SHOWN_ROUNDS))
    rounds.push(yield* roundRecord(round));
  return {
    ...(yield* requestSummary(row)),
    shared: row.shared === 1,
    cwd: row.cwd,
    output_dir: row.output_dir,
    description: model.description,
    sites: model.sites,
    items: model.work.kind === 'range' ? null : yield* countItems(row.id),
    settings: { ...settingsOf(row) },
    rounds: rounds.reverse(),
    round_count: yield* countRounds(row.id),
    output_errands: (yield* listOpenOutputs(row.id)).map(outputErrand),
    next: [
      ...(row.shared === 0 && RUNNABLE.includes(row.state) ? (['run'] as const) : []),
      ...NEXT[row.state],
    ],
  };
}

function outputErrand(row: OpenOutputErrand): RequestRecord['output_errands'][number] {
  const { event, problem } = JSON.parse(row.data) as OutputErrandData;
  return {
    id: row.id,
    version: row.version,
    event,
    workflow_id: row.workflow_id,
    run_id: row.run_id,
    tries: row.tries,
    due_at_ms: row.due_at,
    started_at_ms: row.started_at,
    worker_id: row.worker_id,
    timeout_ms: row.timeout_ms,
    problem,
  };
}

/** States in which `requests run` moves a request on that no server works on. */
const RUNNABLE: readonly RequestState[] = ['QUEUED', 'PLANNING', 'ACTIVE', 'STOPPING', 'RESUBMITTING'];

/** What people can do in each state; what helps most comes first. */
const NEXT: Record<RequestState, RequestRecord['next']> = {
  SUBMITTED: ['pause', 'fail'],
  QUEUED: ['pause', 'fail', 'restart'],
  PLANNING: ['pause', 'fail', 'restart'],
  ACTIVE: ['stop', 'errors', 'fail', 'restart'],
  STOPPING: ['fail', 'restart'],
  RESUBMITTING: ['fail', 'restart'],
  PAUSED: ['resume', 'fail', 'restart'],
  HELD: ['errors', 'release', 'restart', 'fail'],
  COMPLETED: [],
  FAILED: ['errors'],
};

export function* roundsPage(ref: string, query: PageQuery): Script<Page<RoundRecord>> {
  const { id } = yield* needRequest(ref);
  const limit = pageLimit(query);
  const rows = yield* listRoundRows(id, query.after ?? NEWEST, limit);
  const items: RoundRecord[] = [];
  for (const row of rows) items.push(yield* roundRecord(row));
  return { items, next: rows.length < limit ? null : rows.at(-1)!.number };
}

/** While a run is open its units are looked at; after it they are as they were recorded. */
function* roundRecord(row: RoundRow): Script<RoundRecord> {
  const isOpen = row.state === 'SUBMITTED' || row.state === 'RUNNING' || row.state === 'STOPPED';
  const runs = (yield* listRoundRuns(row.workflow_id)).map(({ round_end, ...run }) => ({
    ...run,
    end: round_end === null ? null : (JSON.parse(round_end) as RoundRunEnd),
  }));
  const last = runs.findLast(({ end }) => end !== null)?.end ?? null;
  return {
    number: row.number,
    state: row.state,
    workflow_id: row.workflow_id,
    units: yield* (isOpen ? countUnits : countSettledUnits)(row.workflow_id),
    runs: runs.map((run) => ({
      run_id: run.run_id,
      kind: run.kind,
      parent: run.run_id === 1 ? null : run.run_id - 1,
      started_at_ms: run.started_at,
      finished_at_ms: run.finished_at,
      units: run.end?.units ?? null,
      decision: run.end?.decision ?? null,
      bans: run.end?.bans ?? [],
    })),
    decision: last?.decision ?? null,
  };
}

export function* unitsPage(ref: string, query: UnitQuery): Script<Page<UnitRecord>> {
  const { id } = yield* needRequest(ref);
  const { round = null, state: states = null } = query;
  return yield* readPage(
    query,
    0,
    (after, limit) => listUnitRows(id, { round, states, after, limit }),
    unitRecord,
    ({ number }) => number,
  );
}

function unitRecord(row: UnitRow): UnitRecord {
  return {
    id: row.id,
    number: row.number,
    round: row.round,
    workflow_id: row.workflow_id,
    state: row.state,
    first: row.first_number,
    last: row.last_number,
    size: row.size,
    outputs: JSON.parse(row.outputs) as string[],
  };
}

export function* itemsPage(ref: string, query: ItemQuery): Script<Page<ItemRecord>> {
  const { id } = yield* needRequest(ref);
  const { state: states = null, unit = null } = query;
  return yield* readPage(
    query,
    0,
    (after, limit) => listItemRows(id, { states, unit, after, limit }),
    itemRecord,
    (row) => row.id,
  );
}

function itemRecord({ id, path, group_key, state, reason, unit }: ItemRow): ItemRecord {
  return { id, path, group: group_key, state, reason, unit };
}

export function* historyPage(ref: string, query: PageQuery): Script<Page<AuditRecord>> {
  const { id } = yield* needRequest(ref);
  return yield* readPage(
    query,
    NEWEST,
    (before, limit) => listAuditOf(id, before, limit),
    auditRecord,
    (row) => row.id,
  );
}
