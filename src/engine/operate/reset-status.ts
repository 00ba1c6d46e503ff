import type { ResetRequest, ResetResult } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { revive } from '../../core/flow/revive.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { statusName } from '../../core/job/job-status.ts';
import { isSelective } from '../../core/selection/selection.ts';
import { rehearse } from '../../store/rehearse.ts';
import { type JobRow, listJobsOf } from '../../store/rows/jobs/job-rows.ts';
import { listJobsToReset } from '../../store/rows/jobs/reset-rows.ts';
import { listSelectable } from '../../store/rows/jobs/selectable-rows.ts';
import { findWorkflow, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { beginRun } from '../flow/begin-run.ts';
import { foreseeFlow } from '../flow/follow-flow.ts';
import { endReplacedRun } from '../runs/end-run.ts';
import type { IsAlive } from '../workers/adopt-run.ts';
import { closeLeft } from '../workers/close-left.ts';
import { chooseSelected, refuseFor } from './choose-selected.ts';
import { refuseIfDriven } from './refuse-if-driven.ts';
import { refuseSelection } from './refuse-selection.ts';
import { foreseeRevived, startProblems } from './start-over.ts';

/** Begins a new run: the chosen jobs and all that depends on them start over, with fresh budgets. */
export function* resetStatus(
  workflowId: number,
  request: ResetRequest,
  now: number,
  isAlive: IsAlive,
): Script<ResetResult> {
  const workflow = yield* findWorkflow(workflowId);
  if (workflow === undefined) throw new HoldfastError('WORKFLOW_NOT_FOUND', { id: workflowId });
  refuseSelection('reset', request);
  yield* refuseIfDriven(workflow, now, isAlive);
  const choosing = chooseJobs(workflow, request, now, isAlive);
  const jobs = yield* request.dry_run === true ? rehearse(choosing) : choosing;
  const result: ResetResult = {
    run_id: workflow.run_id + 1,
    jobs: jobs.map((job) => ({ id: job.id, name: jobLabel(job), status: statusName(job.status) })),
  };
  if (request.dry_run === true || jobs.length === 0) return result;

  yield* endReplacedRun(workflow, now);
  const { actor, failed_only = false } = request;
  yield* beginRun(workflow, jobs, { kind: 'reset', actor, failed_only }, now);
  return result;
}

/** After what dead workers left open has been closed. */
function* chooseJobs(workflow: WorkflowRow, request: ResetRequest, now: number, isAlive: IsAlive) {
  yield* closeLeft(workflow, now, isAlive);
  return isSelective(request)
    ? yield* selectedJobs(workflow, request, now)
    : yield* listJobsToReset(workflow.id, request.failed_only === true ? 'failed' : 'all');
}

/**
 * The selected jobs with all that depends on them or, with `only`, with what was canceled because of them; and the rest of a sweep that failed fast. Jobs that
 * have not ended start over as well: what they wait for ends with their run.
 */
function* selectedJobs(workflow: WorkflowRow, request: ResetRequest, now: number): Script<JobRow[]> {
  const { jobs, problems } = yield* chooseSelected(workflow.id, request, {
    downstream: request.only !== true,
  });
  refuseFor([...problems, ...(yield* startProblems(workflow.id, jobs))]);
  if (jobs.length === 0) return [];
  const ids = jobs.map(({ id }) => id);
  const revived = yield* foreseeRevived(workflow, jobs, request, now);
  const open = yield* listSelectable(workflow.id, ['uninitialized', 'blocked', 'ready']);
  return yield* listJobsOf([...new Set([...ids, ...revived, ...open.map(({ id }) => id)])]);
}

/** Begins a new run with these jobs, and with what was canceled because of them and of nothing else. */
export function* resetJobs(
  workflow: WorkflowRow,
  ids: readonly number[],
  actor: string,
  now: number,
  isAlive: IsAlive,
): Script<void> {
  yield* refuseIfDriven(workflow, now, isAlive);
  const revived = yield* foreseeFlow(workflow, now, (draft) => revive(draft, ids, actor));
  const chosen = yield* listJobsOf([...new Set([...ids, ...revived])]);
  yield* endReplacedRun(workflow, now);
  yield* beginRun(workflow, chosen, { kind: 'reset', actor, failed_only: true }, now);
}
