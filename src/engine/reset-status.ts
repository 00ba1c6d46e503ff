import type { ResetRequest, ResetResult } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { statusName } from '../core/job-status.ts';
import { recountSets } from '../store/dependency-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { decodeConfig, type JobRow, listJobsToReset, resetJob, startOver } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { listEphemeralNames, restoreUserData } from '../store/user-data-rows.ts';
import { listWorkersOf } from '../store/worker-rows.ts';
import { findWorkflow, finishRun, insertRun, setCurrentRun } from '../store/workflow-rows.ts';
import { type IsAlive, reapDeadWorkers } from './adopt-run.ts';

/** Begins a new run: the chosen jobs and all that depends on them start over, with fresh budgets. */
export function* resetStatus(
  workflowId: number,
  request: ResetRequest,
  now: number,
  isAlive: IsAlive,
): Script<ResetResult> {
  const workflow = yield* findWorkflow(workflowId);
  if (workflow === undefined) throw new HoldfastError('WORKFLOW_NOT_FOUND', { id: workflowId });
  for (const worker of yield* listWorkersOf(workflow.id, workflow.run_id)) {
    if (isAlive(worker, now)) throw new HoldfastError('RUN_ACTIVE', { id: workflowId, pid: worker.pid });
  }
  if (request.dry_run !== true) yield* reapDeadWorkers(workflow, now, isAlive);
  const jobs = yield* listJobsToReset(workflowId, request.failed_only === true);
  const result: ResetResult = {
    run_id: workflow.run_id + 1,
    jobs: jobs.map((job) => ({ id: job.id, name: job.name, status: statusName(job.status) })),
  };
  if (request.dry_run === true || jobs.length === 0) return result;

  yield* finishRun(workflow.id, workflow.run_id, now);
  yield* setCurrentRun(workflow.id, result.run_id);
  yield* insertRun(workflow.id, result.run_id, now);
  for (const job of jobs) yield* resetJob(job.id);
  yield* restoreEphemeral(workflow.id, jobs);
  yield* recountSets(workflow.id);
  yield* startOver(workflow.id, now);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: result.run_id,
    at: now,
    type: 'run_reset',
    actor: request.actor,
    reason: `${jobs.length} jobs start over in run ${result.run_id}`,
    data: { failed_only: request.failed_only === true, jobs: jobs.map((job) => job.name) },
  });
  return result;
}

/** A value whose job keeps its success is kept too: nothing would set it again for those that read it. */
function* restoreEphemeral(workflowId: number, jobs: readonly JobRow[]): Script<void> {
  const ephemeral = new Set(yield* listEphemeralNames(workflowId));
  if (ephemeral.size === 0) return;
  for (const job of jobs) {
    for (const name of decodeConfig(job.config).userData.outputs) {
      if (ephemeral.has(name)) yield* restoreUserData(workflowId, name);
    }
  }
}
