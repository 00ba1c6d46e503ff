import { createHash } from 'node:crypto';
import { LOG_TAIL_BYTES, type LogStream } from '../../contract/records/log-access.ts';
import { HoldfastError } from '../../core/errors.ts';
import { attemptLogFiles } from '../../core/job/log-files.ts';
import {
  type ChangeMark,
  countRowsOf,
  type LoggedRow,
  listLoggedAttempts,
  readChangeMark,
  readRows,
  readWorkersOf,
} from '../../store/rows/workflows/transfer-rows.ts';
import { WORKFLOW_TABLES } from '../../store/rows/workflows/workflow-content.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Row, Script, SqlValue } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { refuseBusy } from '../housekeeping/refuse-busy.ts';
import { readFileRange } from '../read/read-file-range.ts';
import { needWorkflow } from '../records/needed-rows.ts';
import { isAlive } from '../workers/is-alive.ts';
import { type ExportHeader, FORMAT, LOGS, SECTIONS, VERSION } from './transfer-format.ts';

const ROWS_AT_ONCE = 500;
/** A log has up to 256 KB. */
const LOGS_AT_ONCE = 16;

/**
 * A workflow with its history as lines of an export, without the ends of the lines. Nothing of it may run: it is read
 * in many transactions, and a change meanwhile would make them disagree. One that happened is found at the end.
 */
export async function* exportWorkflow(
  store: Store,
  workflowId: number,
  program: string,
): AsyncGenerator<string> {
  const { workflow, header, before } = await store.read((now) => begin(workflowId, program, now));
  const hash = createHash('sha256');
  const sent = (line: string) => {
    hash.update(line).update('\n');
    return line;
  };
  let rows = 0;
  yield sent(JSON.stringify(header));
  for (const { name, columns } of SECTIONS) {
    const names = Object.keys(columns);
    yield sent(JSON.stringify({ table: name, columns: names }));
    for await (const row of rowsOf(store, workflow, name)) {
      rows += 1;
      yield sent(JSON.stringify(names.map((column) => written(row[column]!))));
    }
  }
  await store.read((now) => checkUnchanged(workflowId, before, now));
  yield JSON.stringify({ end: { rows, sha256: hash.digest('hex') } });
}

function* begin(
  workflowId: number,
  program: string,
  now: number,
): Script<{ workflow: WorkflowRow; header: ExportHeader; before: ChangeMark }> {
  const workflow = yield* needWorkflow(workflowId);
  if (workflow.request_id !== null) throw new HoldfastError('ROUND_NOT_EXPORTED', { id: workflowId });
  yield* refuseBusy(workflow, now, isAlive);
  const counts: Record<string, number> = {};
  for (const table of WORKFLOW_TABLES) {
    if (table.columns === null || table.name === LOGS) continue;
    counts[table.name] = yield* countRowsOf(table, workflowId);
  }
  counts.worker = (yield* readWorkersOf(workflowId)).length;
  const header: ExportHeader = {
    format: FORMAT,
    version: VERSION,
    program,
    exported_at_ms: now,
    workflow_id: workflowId,
    name: workflow.name,
    counts,
  };
  return { workflow, header, before: yield* readChangeMark(workflowId) };
}

function* checkUnchanged(workflowId: number, before: ChangeMark, now: number): Script<void> {
  yield* refuseBusy(yield* needWorkflow(workflowId), now, isAlive);
  const after = yield* readChangeMark(workflowId);
  if (JSON.stringify(after) !== JSON.stringify(before)) {
    throw new HoldfastError('WORKFLOW_BUSY', { id: workflowId, why: 'changed while it was exported' });
  }
}

async function* rowsOf(store: Store, workflow: WorkflowRow, name: string): AsyncGenerator<Row> {
  if (name === 'worker') yield* await store.read(() => readWorkersOf(workflow.id));
  else if (name === LOGS && workflow.shared === 0) yield* logsInFiles(store, workflow);
  else yield* storedRows(store, workflow.id, name);
}

async function* storedRows(store: Store, workflowId: number, name: string): AsyncGenerator<Row> {
  const table = WORKFLOW_TABLES.find((each) => each.name === name)!;
  const limit = name === LOGS ? LOGS_AT_ONCE : ROWS_AT_ONCE;
  let after: Row | null = null;
  for (;;) {
    const from: Row | null = after;
    const page: Row[] = await store.read(() => readRows(table, workflowId, from, limit));
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1)!;
  }
}

/** As a server would have kept them. Those that an import brought are in the store. */
async function* logsInFiles(store: Store, workflow: WorkflowRow): AsyncGenerator<Row> {
  let after = 0;
  for (;;) {
    const from = after;
    const attempts = await store.read(() => listLoggedAttempts(workflow.id, from, LOGS_AT_ONCE));
    const logs = attempts.map(async (attempt) =>
      attempt.stored.length > 0 ? attempt.stored : logFilesOf(workflow, attempt),
    );
    for (const rows of await Promise.all(logs)) yield* rows;
    if (attempts.length < LOGS_AT_ONCE) return;
    after = attempts.at(-1)!.token;
  }
}

async function logFilesOf(workflow: WorkflowRow, attempt: LoggedRow): Promise<Row[]> {
  const rows: Row[] = [];
  const files = attemptLogFiles({ workflow_id: workflow.id, ...attempt }, attempt.stdio);
  // Both streams in one file are kept as stdout.
  const streams: LogStream[] = attempt.stdio === 'combined' ? ['stdout'] : ['stderr', 'stdout'];
  for (const stream of streams) {
    const path = files[stream];
    if (path === null) continue;
    const end = await readFileRange(workflow.output_dir, path, (size) => ({
      offset: Math.max(0, size - LOG_TAIL_BYTES),
      limit: LOG_TAIL_BYTES,
    }));
    if (end !== null) rows.push({ token: attempt.token, stream, first_byte: end.offset, data: end.data });
  }
  return rows;
}

/** Bytes as base64; everything else is JSON already. */
function written(value: SqlValue): string | number | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
