import type { ReadBy } from '../../contract/by.ts';
import type { PageQuery } from '../../contract/engine.ts';
import type { HeldJob, Page } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { type HeldJobRow, listHeldJobs } from '../../store/rows/workers/holding-rows.ts';
import { findWorker } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';
import { readPage } from '../records/page.ts';

/** Oldest first. */
export function* heldJobsPage(workerId: number, query: ReadBy<PageQuery>): Script<Page<HeldJob>> {
  if ((yield* findWorker(workerId)) === undefined) {
    throw new HoldfastError('WORKER_NOT_FOUND', { id: workerId });
  }
  return yield* readPage(
    query,
    0,
    (after, limit) => listHeldJobs(workerId, after, limit, query.reader),
    heldJobRecord,
    ({ token }) => token,
  );
}

function heldJobRecord(row: HeldJobRow): HeldJob {
  return {
    workflow_id: row.workflow_id,
    workflow_name: row.workflow_name,
    job_id: row.job_id,
    name: jobLabel(row),
    run_id: row.run_id,
    attempt_id: row.attempt_id,
    claimed_at_ms: row.claimed_at,
    started_at_ms: row.started_at,
  };
}
