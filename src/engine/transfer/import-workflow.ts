import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportRequest } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { countNewJobs } from '../../store/rows/jobs/new-job-rows.ts';
import { findRun } from '../../store/rows/workflows/run-rows.ts';
import { keepStoring, showWorkflow } from '../../store/rows/workflows/storing-rows.ts';
import { linkJobs, removeWorkers, reviveHolders } from '../../store/rows/workflows/transfer-rows.ts';
import type { Script } from '../../store/script.ts';
import type { Store } from '../../store/store.ts';
import { pauseWorkflow } from '../operate/pause-workflow.ts';
import { needWorkflow } from '../records/needed-rows.ts';
import { discard, STORING_MS } from '../submit/store-workflow.ts';
import { reapDeadWorkers } from '../workers/adopt-run.ts';
import { ImportedRows } from './imported-rows.ts';
import { type ExportPiece, readExport } from './read-export.ts';
import { type ExportHeader, unfit } from './transfer-format.ts';

const ROWS_AT_ONCE = 300;

type RowPiece = Extract<ExportPiece, { kind: 'row' }>;

/**
 * Stores a workflow from an export under a new number, and returns that. All of the export is read and checked first.
 * Then it is stored as a large workflow is: hidden, in short transactions, and shown by the last of them. Nothing of
 * it can be claimed before a `run`: it is driven by nobody, or paused if workers of a server are to run it.
 * `open` is called twice.
 */
export async function importWorkflow(
  store: Store,
  open: () => AsyncIterable<string>,
  request: ImportRequest,
): Promise<number> {
  for await (const _ of readExport(open()));
  const rows = new ImportedRows(request);
  try {
    await storeAll(store, readExport(open()), rows, request);
    return rows.workflowId!;
  } catch (error) {
    if (rows.workflowId !== null) await discard(store, rows.workflowId).catch(() => {});
    await store.write(() => removeWorkers(rows.workers)).catch(() => {});
    throw refusal(error);
  }
}

async function storeAll(
  store: Store,
  pieces: AsyncIterable<ExportPiece>,
  rows: ImportedRows,
  request: ImportRequest,
): Promise<void> {
  let header: ExportHeader | null = null;
  let some: RowPiece[] = [];
  const flush = async () => {
    const batch = some;
    some = [];
    if (batch.length === 0) return;
    await nextTurn();
    const stored = await store.write(function* (now) {
      yield* renew(rows.workflowId, now);
      return yield* rows.insert(
        batch[0]!.section,
        batch.map(({ values }) => values),
        now + STORING_MS,
        now,
      );
    });
    rows.note(
      batch[0]!.section,
      batch.map(({ values }) => values),
      stored,
    );
  };
  for await (const piece of pieces) {
    if (piece.kind === 'header') header = piece.header;
    else {
      if (some.length >= ROWS_AT_ONCE || (some.length > 0 && some[0]!.section !== piece.section))
        await flush();
      some.push(piece);
    }
  }
  await flush();
  const { workflowId } = rows;
  if (workflowId === null || header === null) throw unfit('it has no workflow');
  const links = rows.links();
  for (let from = 0; from < links.length; from += ROWS_AT_ONCE) {
    await store.write(function* (now) {
      yield* renew(workflowId, now);
      yield* linkJobs(links.slice(from, from + ROWS_AT_ONCE));
    });
  }
  await store.write((now) => complete(workflowId, header, rows, request, now));
}

function* renew(workflowId: number | null, now: number): Script<void> {
  if (workflowId === null || (yield* keepStoring(workflowId, now + STORING_MS))) return;
  throw new HoldfastError('STORE_FAILED', { problem: 'storing the workflow was interrupted for too long' });
}

/** All of it is there. What ran when the export was made is lost, as after a crash. */
function* complete(
  workflowId: number,
  header: ExportHeader,
  { source }: ImportedRows,
  { actor, shared }: ImportRequest,
  now: number,
): Script<void> {
  yield* showWorkflow(workflowId);
  yield* countNewJobs(header.counts.job ?? 0);
  const workflow = yield* needWorkflow(workflowId);
  // Throws where the run that the workflow is in is missing.
  yield* findRun(workflowId, workflow.run_id);
  yield* appendEvent({
    workflow_id: workflowId,
    run_id: workflow.run_id,
    at: now,
    type: 'workflow_imported',
    actor,
    data: {
      workflow_id: header.workflow_id,
      exported_at_ms: header.exported_at_ms,
      program: header.program,
      ...source,
    },
  });
  yield* reviveHolders(workflowId);
  yield* reapDeadWorkers(workflow, now, () => false);
  if (!shared || workflow.paused_at !== null || !(yield* hasOpenJobs(workflowId))) return;
  yield* pauseWorkflow(workflow, { actor, reason: 'imported' }, now);
}

/** What the database refuses is a mistake of the export: nobody else wrote these rows. */
function refusal(error: unknown): unknown {
  if (error instanceof HoldfastError) return error;
  const { message, code } = error as Error & { code?: unknown };
  const isData = /constraint|no run|datatype/i.test(message) || /^2[23]/.test(String(code));
  return isData ? unfit(`its rows contradict each other: ${message}`) : error;
}
