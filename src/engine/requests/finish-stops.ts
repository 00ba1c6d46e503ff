import { hasOpenDagRun } from '../../store/rows/dags/dag-run-rows.ts';
import { hasLiveJobs } from '../../store/rows/jobs/job-rows.ts';
import { listJobsToReset } from '../../store/rows/jobs/reset-rows.ts';
import { getRequestRow, lockRequest } from '../../store/rows/requests/request-rows.ts';
import { moveRound, newestRound } from '../../store/rows/requests/round-rows.ts';
import { reopenUnits, settleUnits } from '../../store/rows/requests/unit-rows.ts';
import type { Script } from '../../store/script.ts';
import { beginRun } from '../flow/begin-run.ts';
import { takeWorkflow } from '../records/needed-rows.ts';
import { ENGINE } from '../records/record-request.ts';
import { creditUnits } from '../rounds/credit-units.ts';
import { leaveStopping } from '../rounds/end-round.ts';
import { orderRegistration } from '../rounds/output-errands.ts';
import { endReplacedRun } from '../runs/end-run.ts';
import { type IsAlive, reapDeadWorkers } from '../workers/adopt-run.ts';

/**
 * STOPPING → QUEUED once no attempt of the round is running. The next run of the round begins here, and nothing of it is
 * claimed before the request is admitted again. Returns whether the request has left STOPPING.
 */
export function* finishStop(
  requestId: number,
  workflowId: number,
  now: number,
  isAlive: IsAlive,
): Script<boolean> {
  const workflow = yield* takeWorkflow(workflowId);
  yield* reapDeadWorkers(workflow, now, isAlive);
  yield* lockRequest(requestId);
  const request = yield* getRequestRow(requestId);
  // The loss of the last worker may have ended the round just now.
  if (request.state !== 'STOPPING') return true;
  const round = (yield* newestRound(requestId))!;
  if (round.workflow_id !== workflowId || (yield* hasLiveJobs(workflowId))) return false;
  // DAGMan may still run something, or what it ran is not read back yet.
  if (yield* hasOpenDagRun(workflowId)) return false;
  yield* endReplacedRun(workflow, now);
  const { gained } = yield* creditUnits(request, workflow, settleUnits);
  if (gained > 0n) yield* orderRegistration(request, workflow, now);
  const jobs = yield* listJobsToReset(workflowId, 'unfinished');
  yield* beginRun(workflow, jobs, { kind: 'stop', actor: ENGINE, failed_only: true }, now);
  yield* reopenUnits(workflowId);
  yield* moveRound(round, 'STOPPED');
  yield* leaveStopping(request, now);
  return true;
}
