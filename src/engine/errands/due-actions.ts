import type { ActionOrder } from '../../contract/records/errand.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { statusName } from '../../core/job/job-status.ts';
import { ACTION_TIMEOUT_MS } from '../../core/model/action.ts';
import type { RunVerdict } from '../../core/run/decide-run.ts';
import { listFailedJobs } from '../../store/rows/attempts/failure-rows.ts';
import { type ActionRow, listPendingActions, startAction } from '../../store/rows/errands/action-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { readRun } from '../runs/read-run.ts';

/** More than fit into a variable of the environment. */
const FAILED_JOBS_LISTED = 1000;

/** The worker that looks for actions. */
interface Actor {
  id: number;
  kind: 'run' | 'service';
  isLeaving: boolean;
}

/** Actions whose moment has come, handed to the worker for good. */
export function* takeDueActions(workflow: WorkflowRow, actor: Actor, now: number): Script<ActionOrder[]> {
  const pending = yield* listPendingActions(workflow.id, workflow.run_id, actor.id);
  if (pending.length === 0) return [];
  const { complete, verdict } = yield* readRun(workflow.id);
  const isFailed = complete && verdict.exit_code !== 0;
  const due = pending.filter((action) => isDue(action, { isComplete: complete, isFailed }, actor));
  if (due.length === 0) return [];
  const facts = yield* runFacts(workflow.id, verdict);
  const place = { workflowId: workflow.id, runId: workflow.run_id, workerId: actor.id };
  const orders: ActionOrder[] = [];
  for (const action of due) {
    orders.push({
      kind: 'action',
      id: yield* startAction(action, place, now),
      action_id: action.id,
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      worker_id: action.persistent === 1 ? actor.id : null,
      trigger: action.trigger_type,
      commands: JSON.parse(action.commands) as string[],
      timeout_ms: ACTION_TIMEOUT_MS,
      cwd: workflow.cwd,
      output_dir: workflow.output_dir,
      ...facts,
    });
  }
  return orders;
}

/** Whether the moment of the action has come. */
export function isDue(
  action: ActionRow,
  { isComplete, isFailed }: { isComplete: boolean; isFailed: boolean },
  { kind, isLeaving }: Actor,
): boolean {
  switch (action.trigger_type) {
    case 'on_workflow_start':
    case 'on_worker_start':
      return !isComplete;
    case 'on_workflow_complete':
      return isComplete;
    case 'on_workflow_failure':
      return isFailed;
    case 'on_jobs_ready':
      return !isComplete && action.blocked === 0 && action.able > 0;
    case 'on_jobs_complete':
      return action.open === 0;
    case 'on_worker_complete':
      // A worker of a server stays when a run is complete, but has left that run.
      return isLeaving || (isComplete && kind === 'service');
  }
}

/** How the run stands, for the environment of the actions. */
function* runFacts(
  workflowId: number,
  { state, exit_code }: RunVerdict,
): Script<Pick<ActionOrder, 'status' | 'exit_code' | 'failed_jobs'>> {
  const failed = yield* listFailedJobs(workflowId, FAILED_JOBS_LISTED);
  return {
    status: state,
    exit_code,
    failed_jobs: failed.map((job) => ({
      job_id: job.id,
      name: jobLabel(job),
      status: statusName(job.status),
      why: job.reason ?? '',
    })),
  };
}
