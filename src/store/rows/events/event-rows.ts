import type { EventType, RouteTaken } from '../../../contract/records/records.ts';
import { inParts, valueTable } from '../../many-rows.ts';
import { all, changeAll, placeholders, type Script, type SqlValue } from '../../script.ts';
import { boundedData, boundedReason } from './event-data.ts';

export interface NewEvent {
  workflow_id: number;
  run_id: number;
  at: number;
  type: EventType;
  job_id?: number;
  attempt_id?: number;
  actor?: string | null;
  reason?: string | null;
  data?: Record<string, unknown>;
}

/** Appends to the audit trail, in this order. Those in a row that are alike share statements, in which most values are given once. */
export function* appendEvents(events: readonly NewEvent[]): Script<void> {
  for (const { common, rows } of alike(events)) {
    for (const part of inParts(rows)) {
      const table = valueTable(OWN_TYPES, part);
      yield* changeAll(
        part.length,
        `insert into event (workflow_id, run_id, at, type, actor, reason, job_id, attempt_id, data)
         select ${COMMON_VALUES}, own.column1, own.column2, own.column3 from ${table.sql} as own`,
        ...common,
        ...table.values,
      );
    }
  }
}

/** PostgreSQL does not see the types of what is selected by the columns that it is inserted into. */
const COMMON_VALUES = ['bigint', 'bigint', 'bigint', 'text', 'text', 'text']
  .map((type) => `cast(? as ${type})`)
  .join(', ');
const OWN_TYPES = ['bigint', 'bigint', 'text'];

export function* appendEvent(event: NewEvent): Script<void> {
  yield* appendEvents([event]);
}

interface AlikeEvents {
  key: string;
  common: SqlValue[];
  rows: SqlValue[][];
}

function alike(events: readonly NewEvent[]): AlikeEvents[] {
  const groups: AlikeEvents[] = [];
  for (const event of events) {
    const { workflow_id, run_id, at, type, actor = null, reason = null } = event;
    const common = [workflow_id, run_id, at, type, actor, boundedReason(reason)];
    const key = JSON.stringify(common);
    let group = groups.at(-1);
    if (group?.key !== key) {
      group = { key, common, rows: [] };
      groups.push(group);
    }
    group.rows.push([event.job_id ?? null, event.attempt_id ?? null, boundedData(event.data ?? {})]);
  }
  return groups;
}

export interface EventRow {
  id: number;
  workflow_id: number;
  run_id: number;
  job_id: number | null;
  job_name: string | null;
  scope: string | null;
  attempt_id: number | null;
  at: number;
  type: string;
  actor: string | null;
  reason: string | null;
  data: string;
}

export function* listEvents(
  workflowId: number,
  filter: {
    after: number;
    limit: number;
    job_id: number | null;
    types?: readonly EventType[] | null;
    descends?: boolean;
  },
): Script<EventRow[]> {
  const [compare, order] = filter.descends === true ? ['<', 'event.id desc'] : ['>', 'event.id'];
  const values: SqlValue[] = [workflowId, filter.after];
  const conditions = ['event.workflow_id = ?', `event.id ${compare} ?`];
  if (filter.job_id !== null) {
    conditions.push('event.job_id = ?');
    values.push(filter.job_id);
  }
  if (filter.types) {
    conditions.push(`event.type in ${placeholders(filter.types.length)}`);
    values.push(...filter.types);
  }
  return yield* all<EventRow>(
    `select event.id, event.workflow_id, event.run_id, event.job_id, job.name as job_name, job.scope, event.attempt_id, event.at,
      event.type, event.actor, event.reason, event.data
     from event left join job on job.id = event.job_id
     where ${conditions.join(' and ')}
     order by ${order} limit ?`,
    ...values,
    filter.limit,
  );
}

/** The re-attempts and jumps of a scope in words, oldest first; the middle of a long list is left out. */
export function* listRoutesTaken(workflowId: number, runId: number, scope: string): Script<string[]> {
  const rows = yield* all<{ name: string; data: string }>(
    `select job.name, event.data from event join job on job.id = event.job_id
     where event.workflow_id = ? and event.run_id = ? and job.scope = ? and event.type in ('retry', 'goto')
     order by event.id`,
    workflowId,
    runId,
    scope,
  );
  const taken = rows.flatMap(({ name, data }) => {
    const { route } = JSON.parse(data) as { route?: RouteTaken };
    if (route === undefined) return [];
    return route.kind === 'goto' ? `${name} → ${route.target}` : `${name} again`;
  });
  return taken.length <= SHOWN_ROUTES
    ? taken
    : [...taken.slice(0, SHOWN_ROUTES / 2), '…', ...taken.slice(-SHOWN_ROUTES / 2)];
}

const SHOWN_ROUTES = 20;
