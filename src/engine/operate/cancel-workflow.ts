import type { CancelRequest, CancelResult } from '../../contract/engine.ts';
import { TERMINAL_STATUSES } from '../../core/job/job-status.ts';
import { isSelective } from '../../core/selection/selection.ts';
import { listStartedActions, requestStops } from '../../store/rows/errands/errand-rows.ts';
import { cancelServerErrands } from '../../store/rows/errands/server-errand-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { cancelOpenJobs, cancelReason, previewCancel } from '../flow/cancel-jobs.ts';
import { endRunIfComplete } from '../runs/end-run.ts';
import { closeWaitingForCode, type IsAlive, reapDeadWorkers } from '../workers/adopt-run.ts';
import { chooseSelected, refuseFor } from './choose-selected.ts';
import { refuseSelection } from './refuse-selection.ts';

/** A user cancels a workflow, or some of its jobs. */
export function* cancelWorkflow(
  workflow: WorkflowRow,
  request: CancelRequest,
  now: number,
  isAlive: IsAlive,
): Script<CancelResult> {
  const ids = yield* jobsToCancel(workflow.id, request);
  const actions = ids === null ? yield* listStartedActions(workflow.id, workflow.run_id) : [];
  if (request.dry_run === true) return { ...(yield* previewCancel(workflow.id, ids)), actions };
  yield* reapDeadWorkers(workflow, now, isAlive);
  // Before the jobs: actions that the end of the run brings about are not meant.
  yield* requestStops(actions);
  if (ids === null) yield* cancelServerErrands(workflow.id, workflow.run_id);
  const words = { reason: cancelReason(request), actor: request.actor };
  const result = yield* cancelOpenJobs(workflow, ids, words, now);
  yield* closeWaitingForCode(workflow.id, 'canceled', now);
  yield* endRunIfComplete(workflow, now);
  return { ...result, actions };
}

/** The jobs that a request selects; null: all. Jobs that have ended are left as they are. */
function* jobsToCancel(workflowId: number, request: CancelRequest): Script<number[] | null> {
  refuseSelection('cancel', request);
  if (!isSelective(request)) return null;
  const { jobs, problems } = yield* chooseSelected(workflowId, request);
  refuseFor(problems);
  return jobs.filter(({ status }) => !TERMINAL_STATUSES.has(status)).map(({ id }) => id);
}
