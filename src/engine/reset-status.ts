import type { ResetRequest, ResetResult } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { statusName } from '../core/job-status.ts';
import { listFailedMembers, listMemberships, recountSets } from '../store/dependency-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { decodeConfig, getJob, type JobRow, listCanceledBecauseOf } from '../store/job-rows.ts';
import { listJobsToReset, resetJob, startOver } from '../store/reset-rows.ts';
import { endRoutes } from '../store/route-rows.ts';
import { resetLoops } from '../store/scope-rows.ts';
import type { Script } from '../store/script.ts';
import { listEphemeralNames, restoreUserData } from '../store/user-data-rows.ts';
import { listWorkersOf } from '../store/worker-rows.ts';
import {
  findWorkflow,
  finishRun,
  insertRun,
  setCurrentRun,
  type WorkflowRow,
} from '../store/workflow-rows.ts';
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
  yield* refuseIfDriven(workflow, now, isAlive);
  if (request.dry_run !== true) yield* reapDeadWorkers(workflow, now, isAlive);
  const jobs = yield* listJobsToReset(workflowId, request.failed_only === true);
  const result: ResetResult = {
    run_id: workflow.run_id + 1,
    jobs: jobs.map((job) => ({ id: job.id, name: job.name, status: statusName(job.status) })),
  };
  if (request.dry_run === true || jobs.length === 0) return result;

  yield* beginRun(workflow, jobs, request.actor, request.failed_only === true, now);
  return result;
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
  const chosen = new Map<number, JobRow>();
  const open: JobRow[] = [];
  for (const id of ids) open.push(yield* getJob(id));
  for (let job = open.shift(); job !== undefined; job = open.shift()) {
    if (chosen.has(job.id)) continue;
    chosen.set(job.id, job);
    for (const { set_id } of yield* listMemberships(job.id)) {
      const spoilt = yield* listFailedMembers(set_id);
      if (spoilt.every((id) => chosen.has(id))) open.push(...(yield* listCanceledBecauseOf(set_id)));
    }
  }
  yield* beginRun(workflow, [...chosen.values()], actor, true, now);
}

function* refuseIfDriven(workflow: WorkflowRow, now: number, isAlive: IsAlive): Script<void> {
  for (const worker of yield* listWorkersOf(workflow.id, workflow.run_id)) {
    if (isAlive(worker, now)) throw new HoldfastError('RUN_ACTIVE', { id: workflow.id, pid: worker.pid });
  }
}

function* beginRun(
  workflow: WorkflowRow,
  jobs: readonly JobRow[],
  actor: string,
  failedOnly: boolean,
  now: number,
): Script<void> {
  const runId = workflow.run_id + 1;
  yield* finishRun(workflow.id, workflow.run_id, now);
  yield* setCurrentRun(workflow.id, runId);
  yield* insertRun(workflow.id, runId, now);
  yield* resetLoops(workflow.id);
  yield* endRoutes(workflow.id);
  for (const job of jobs) yield* resetJob(job.id);
  yield* restoreEphemeral(workflow.id, jobs);
  yield* recountSets(workflow.id);
  yield* startOver(workflow.id, now);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: runId,
    at: now,
    type: 'run_reset',
    actor,
    reason: `${jobs.length} jobs start over in run ${runId}`,
    data: { failed_only: failedOnly, jobs: jobs.map((job) => job.name) },
  });
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
