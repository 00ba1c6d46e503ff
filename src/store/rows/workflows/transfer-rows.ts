import type { StdioMode } from '../../../core/job/stdio.ts';
import { inParts, valueRows } from '../../many-rows.ts';
import { all, change, first, placeholders, type Row, type Script, type SqlValue } from '../../script.ts';
import type { ColumnKind, WorkflowTable } from './workflow-content.ts';

/** Values of some columns, in their order. */
export type Values = SqlValue[];

/** Rows of a workflow in the order of their keys, after one of them. */
export function* readRows(
  { name, key, workflow, columns }: WorkflowTable,
  workflowId: number,
  after: Row | null,
  limit: number,
): Script<Row[]> {
  const own = (column: string) => `${name}.${column}`;
  const found = Object.keys(columns!).map(own).join(', ');
  const past: SqlValue[] = after === null ? [] : key.map((column) => after[column]!);
  const isPast = past.length === 0 ? '' : `and (${key.map(own).join(', ')}) > ${placeholders(past.length)}`;
  const order = `order by ${key.map(own).join(', ')} limit ${limit}`;
  if ('column' in workflow) {
    return yield* all<Row>(
      `select ${found} from ${name} where ${own(workflow.column)} = ? ${isPast} ${order}`,
      workflowId,
      ...past,
    );
  }
  const { through, table, by } = workflow;
  // Also said of the other table, whose rows before it need not be visited again.
  const from = past.length === 0 ? '' : `and ${table}.${by} >= ?`;
  return yield* all<Row>(
    `select ${found} from ${name} join ${table} on ${table}.${by} = ${own(through)}
     where ${table}.workflow_id = ? ${from} ${isPast} ${order}`,
    workflowId,
    ...past.slice(0, 1),
    ...past,
  );
}

/** What an export has of a worker: who it was, and nothing by which a process could be taken for it. */
export const WORKER_COLUMNS: Readonly<Record<string, ColumnKind>> = {
  id: 'worker',
  kind: 'text',
  host: 'text',
  pid: 'int',
  site: 'text',
  labels: 'json',
  cpus: 'real',
  memory_bytes: 'int',
  gpus: 'int',
  nodes: 'int',
  max_parallel: 'int',
  registered_at: 'int',
  lease_ms: 'int',
};

/** Every worker that rows of the workflow name. */
export function* readWorkersOf(workflowId: number): Script<Row[]> {
  return yield* all<Row>(
    `select ${Object.keys(WORKER_COLUMNS).join(', ')} from worker where id in (
       select worker_id from attempt where workflow_id = ?
       union select driver_id from run where workflow_id = ?
       union select worker_id from errand where workflow_id = ?
       union select avoid_worker_id from job where workflow_id = ?
     ) order by id`,
    workflowId,
    workflowId,
    workflowId,
    workflowId,
  );
}

/** What changes whenever something of a workflow does. */
export interface ChangeMark {
  events: number;
  last_event: number | null;
  attempts: number;
  live: number;
  run_id: number;
}

export function* readChangeMark(workflowId: number): Script<ChangeMark> {
  const row = yield* first<ChangeMark>(
    `select (select count(*) from event where workflow_id = ?) as events,
       (select max(id) from event where workflow_id = ?) as last_event,
       (select count(*) from attempt where workflow_id = ?) as attempts,
       (select count(*) from attempt where workflow_id = ? and finished_at is null) as live,
       (select run_id from workflow where id = ?) as run_id`,
    workflowId,
    workflowId,
    workflowId,
    workflowId,
    workflowId,
  );
  return row!;
}

/** An attempt, and what the store has of its logs. */
export interface LoggedRow {
  token: number;
  job_id: number;
  run_id: number;
  attempt_id: number;
  stdio: StdioMode;
  stored: Row[];
}

/** In the order of their tokens, after one of them. */
export function* listLoggedAttempts(workflowId: number, after: number, limit: number): Script<LoggedRow[]> {
  const attempts = yield* all<Omit<LoggedRow, 'stored'>>(
    `select attempt.id as token, attempt.job_id, attempt.run_id, attempt.attempt_id, job.stdio
     from attempt join job on job.id = attempt.job_id
     where attempt.workflow_id = ? and attempt.id > ? order by attempt.id limit ${limit}`,
    workflowId,
    after,
  );
  const found: LoggedRow[] = [];
  for (const attempt of attempts) {
    const stored = yield* all<Row>(
      'select token, stream, first_byte, data from attempt_log where token = ? order by stream',
      attempt.token,
    );
    found.push({ ...attempt, stored });
  }
  return found;
}

/** How many rows of a table a workflow has. */
export function* countRowsOf({ name, workflow }: WorkflowTable, workflowId: number): Script<number> {
  const from =
    'column' in workflow
      ? `${name} where ${workflow.column} = ?`
      : `${name} join ${workflow.table} on ${workflow.table}.${workflow.by} = ${name}.${workflow.through}
         where ${workflow.table}.workflow_id = ?`;
  return (yield* first<{ count: number }>(`select count(*) as count from ${from}`, workflowId))!.count;
}

/** Writes rows. Returns their numbers in the same order, where the table has numbers of its own. */
export function* insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly Values[],
  isNumbered: boolean,
): Script<number[]> {
  const numbers: number[] = [];
  for (const part of inParts(rows)) {
    const { sql, values } = valueRows(part);
    const insert = `insert into ${table} (${columns.join(', ')}) ${sql}`;
    if (!isNumbered) {
      yield* change(insert, ...values);
      continue;
    }
    const inserted = yield* all<{ id: number }>(`${insert} returning id`, ...values);
    // Both databases number the rows of a statement in their order, and return them in any.
    numbers.push(...inserted.map(({ id }) => id).sort((a, b) => a - b));
  }
  return numbers;
}

/** What a job refers to that is stored after it. */
export interface JobLinks {
  id: number;
  waiting_token: number | null;
  canceled_by: number | null;
  serves: string | null;
}

export function* linkJobs(links: readonly JobLinks[]): Script<void> {
  for (const { id, waiting_token, canceled_by, serves } of links) {
    yield* change(
      'update job set waiting_token = ?, canceled_by = ?, serves = ? where id = ?',
      waiting_token,
      canceled_by,
      serves,
      id,
    );
  }
}

/** The worker that stands for all attempts which DAGMan ran at a site. */
export function* findDagWorker(site: string): Script<number | undefined> {
  const row = yield* first<{ id: number }>(`select id from worker where kind = 'dag' and site = ?`, site);
  return row?.id;
}

/** Imported workers have retired; those that hold something count as dead instead, so that it is closed as lost. */
export function* reviveHolders(workflowId: number): Script<void> {
  yield* change(
    `update worker set retired_at = null where kind <> 'dag' and id in (
       select worker_id from attempt where workflow_id = ? and finished_at is null
       union select worker_id from errand where workflow_id = ? and finished_at is null and started_at is not null)`,
    workflowId,
    workflowId,
  );
}

/** Workers of an import that was given up. */
export function* removeWorkers(ids: readonly number[]): Script<void> {
  for (const id of ids) yield* change('delete from worker where id = ?', id);
}
