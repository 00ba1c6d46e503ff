import type { ReadBy } from '../../contract/by.ts';
import type { SummaryQuery } from '../../contract/engine.ts';
import type { AttentionItem, PendingFailures, WorkflowSummary } from '../../contract/records/overview.ts';
import type { Page } from '../../contract/records/records.ts';
import { fingerprint } from '../../core/job/fingerprint.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { type Cause, describeOutcome, type Outcome } from '../../core/job/outcome.ts';
import { SUSPECT_AFTER_MS } from '../../core/worker/worker-silence.ts';
import { listPausedSchedulers } from '../../store/rows/allocations/scheduler-rows.ts';
import {
  countPendingFailures,
  findWithLastAttempt,
  type PendingFailureRow,
} from '../../store/rows/attempts/failure-rows.ts';
import { listSilentWorkers, listWorkersOf } from '../../store/rows/workers/worker-rows.ts';
import { findRun } from '../../store/rows/workflows/run-rows.ts';
import { type NamedWorkflowRow, searchWorkflows } from '../../store/rows/workflows/workflow-rows.ts';
import { type Script, together } from '../../store/script.ts';
import { readPage } from '../records/page.ts';
import { workerRecord, workflowRecord } from '../records/records.ts';
import { readRun } from '../runs/read-run.ts';
import type { IsAlive } from '../workers/adopt-run.ts';

const NEWEST = Number.MAX_SAFE_INTEGER;
/** More of them than a page shows help nobody to decide. */
const MOST_ITEMS = 200;

/** Newest first. */
export function* summariesPage(
  { name, open, archived, reader, ...query }: SummaryQuery,
  now: number,
  isAlive: IsAlive,
): Script<Page<WorkflowSummary>> {
  const filter = { name: name ?? null, archived: archived === true, isOpen: open === true };
  const { items, next } = yield* readPage(
    query,
    NEWEST,
    (before, limit) => searchWorkflows(before, limit, filter, reader),
    (row) => row,
    (row) => row.id,
  );
  return { items: yield* together(...items.map((row) => summaryOf(row, now, isAlive))), next };
}

function* summaryOf(workflow: NamedWorkflowRow, now: number, isAlive: IsAlive): Script<WorkflowSummary> {
  const { counts, complete, verdict } = yield* readRun(workflow.id);
  const { started_at, finished_at } = yield* findRun(workflow.id, workflow.run_id);
  const workers = yield* listWorkersOf(workflow.id, workflow.run_id);
  return {
    workflow: workflowRecord(workflow),
    counts,
    complete,
    exit_code: verdict.exit_code,
    started_at_ms: started_at,
    finished_at_ms: finished_at,
    workers: workers.filter((worker) => isAlive(worker, now)).map(({ id }) => id),
    request: workflow.request_name,
  };
}

/** What waits for a decision in any workflow; the largest groups of failures first. */
export function* readAttention(
  { reader }: ReadBy<unknown>,
  now: number,
  isAlive: IsAlive,
): Script<{ items: AttentionItem[] }> {
  const items: AttentionItem[] = [];
  const groups = yield* countPendingFailures(MOST_ITEMS, reader);
  items.push(...(yield* together(...groups.map(pendingFailures))));
  for (const { paused_at, pause_reason, ...scheduler } of yield* listPausedSchedulers(MOST_ITEMS, reader)) {
    items.push({ kind: 'scheduler', ...scheduler, reason: pause_reason, paused_at_ms: paused_at });
  }
  for (const row of yield* listSilentWorkers(now - SUSPECT_AFTER_MS, MOST_ITEMS)) {
    const worker = workerRecord(row, isAlive(row, now), now);
    if (worker.state === 'suspect' || worker.running > 0) items.push({ kind: 'worker', worker });
  }
  return { items };
}

function* pendingFailures(row: PendingFailureRow): Script<PendingFailures> {
  const { sample_job_id, finished_at, fingerprint: known, ...group } = row;
  const sample = (yield* findWithLastAttempt(sample_job_id))!;
  const cause = row.cause as Cause;
  return {
    kind: 'failures',
    ...group,
    cause,
    // As in the list of failures of one workflow.
    fingerprint: known ?? fingerprint(cause, row.match_code, ''),
    error: sample.outcome === null ? '' : describeOutcome(JSON.parse(sample.outcome) as Outcome),
    sample: {
      job_id: sample_job_id,
      name: jobLabel(sample),
      run_id: sample.run_id,
      attempt_id: sample.attempt_id,
    },
    finished_at_ms: finished_at,
  };
}
