import type { RetryRequest } from '../../contract/engine.ts';
import { statusName } from '../../core/job/job-status.ts';
import { retryProblem } from '../../core/selection/retryable.ts';
import type { JobRow } from '../../store/rows/jobs/job-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { IsAlive } from '../workers/adopt-run.ts';
import { refuseOtherRun, retryAll, retryFacts } from './retry-jobs.ts';

/**
 * One more attempt in the same run. Dependents of a job that had ended wait for it again. The attempt of a running job
 * is ended first: the job is ready once its processes are gone.
 */
export function* retryJob(
  workflow: WorkflowRow,
  row: JobRow,
  request: RetryRequest,
  now: number,
  isAlive: IsAlive,
): Script<void> {
  refuseOtherRun(workflow, request.run_id);
  const problem = retryProblem(retryFacts(row), workflow.id, request.max_retries);
  if (problem !== null) throw problem;
  yield* retryAll(workflow, [{ id: row.id, status: statusName(row.status), row }], request, now, isAlive);
}
