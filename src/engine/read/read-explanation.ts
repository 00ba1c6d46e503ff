import type { Reader } from '../../contract/by.ts';
import type { Explanation, JobDetails, JobWait } from '../../contract/records/records.ts';
import type { JobRef } from '../../core/job/job-ref.ts';
import type { WalkStep } from '../../core/policy/decision.ts';
import { listAttempts } from '../../store/rows/attempts/attempt-rows.ts';
import { findAwaitedErrand } from '../../store/rows/errands/errand-list-rows.ts';
import { listWorkersOf } from '../../store/rows/workers/worker-rows.ts';
import { isHeld } from '../../store/rows/workflows/until-rows.ts';
import type { Script } from '../../store/script.ts';
import { isAllocated } from '../allocations/read-allocation-waits.ts';
import { needWorkflow } from '../records/needed-rows.ts';
import { LARGEST_PAGE } from '../records/page.ts';
import { attemptRecord, workflowRecord } from '../records/records.ts';
import { isAlive } from '../workers/is-alive.ts';
import { explainJob } from './explain-job.ts';
import { jobDetails } from './list-records.ts';
import { readDagWait } from './read-dag-wait.ts';
import { readWaits } from './read-waits.ts';

/** A reader is given no names of jobs that hold what it waits for and that may not be seen. */
export function* readExplanation(
  workflowId: number,
  job: JobRef,
  now: number,
  reader?: Reader,
): Script<Explanation> {
  const workflow = yield* needWorkflow(workflowId);
  const details = yield* jobDetails(workflowId, job);
  const attempts = yield* listAttempts(workflowId, {
    after: 0,
    limit: LARGEST_PAGE,
    job_id: details.id,
    run_id: null,
  });
  const workers = yield* listWorkersOf(workflow.id, workflow.run_id);
  const alive = workers.filter((worker) => isAlive(worker, now));
  const dagWait = yield* readDagWait(workflow, now);
  // Workers of a server come and go; nobody has to start anything.
  const driven =
    workflow.shared === 1 || alive.length > 0 || dagWait !== null || (yield* isAllocated(workflow, now));
  const { paused, until } = workflowRecord(workflow);
  const waits = workflow.executor === 'htcondor' ? ofDagman(details, dagWait) : undefined;
  return explainJob({
    job: details,
    errand: (yield* findAwaitedErrand(details.id)) ?? null,
    attempts: attempts.map((row) => ({
      attempt: attemptRecord(row, workflow.output_dir),
      walk: row.walk === null ? [] : (JSON.parse(row.walk) as WalkStep[]),
    })),
    waits: waits ?? (driven && isDue(details) ? yield* readWaits(workflow, details, alive, now, reader) : []),
    driven,
    paused,
    until: until !== null && (yield* isHeld(details.id)) ? until : null,
    now,
  });
}

/** It waits for nothing but a worker. */
function isDue({ status, retry_available_at_ms }: JobDetails): boolean {
  return status === 'ready' && retry_available_at_ms === 0;
}

/** DAGMan has ready jobs also while they wait for a retry. */
function ofDagman({ status }: JobDetails, wait: JobWait | null): JobWait[] {
  return status === 'ready' && wait !== null ? [wait] : [];
}
