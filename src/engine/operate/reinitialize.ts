import type { ReinitializeRequest, ReinitializeResult } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { StaleReason } from '../../core/files/stale-reason.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { statusName } from '../../core/job/job-status.ts';
import { planRestart } from '../../core/rerun/plan-restart.ts';
import { rehearse } from '../../store/rehearse.ts';
import { listMembersIn } from '../../store/rows/jobs/dependency-rows.ts';
import { listJobsToReset } from '../../store/rows/jobs/reset-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { beginRun } from '../flow/begin-run.ts';
import { endReplacedRun } from '../runs/end-run.ts';
import type { IsAlive } from '../workers/adopt-run.ts';
import { closeLeft } from '../workers/close-left.ts';
import { refuseIfDriven } from './refuse-if-driven.ts';

/** Begins a new run with jobs that are out of date or did not succeed, and with all that depends on them. */
export function* reinitialize(
  workflow: WorkflowRow,
  request: ReinitializeRequest,
  now: number,
  isAlive: IsAlive,
): Script<ReinitializeResult> {
  yield* refuseIfDriven(workflow, now, isAlive);
  const choosing = chooseJobs(workflow, request, now, isAlive);
  const { chosen, reasons } = yield* request.dry_run === true ? rehearse(choosing) : choosing;
  const result: ReinitializeResult = {
    run_id: workflow.run_id + 1,
    jobs: chosen.map((job) => ({
      id: job.id,
      name: jobLabel(job),
      status: statusName(job.status),
      reason: reasons.get(job.id)!,
    })),
  };
  if (request.dry_run === true || chosen.length === 0) return result;
  yield* endReplacedRun(workflow, now);
  const reasonByName = Object.fromEntries(result.jobs.map(({ name, reason }) => [name, reason]));
  yield* beginRun(
    workflow,
    chosen,
    { kind: 'reset', actor: request.actor, failed_only: true, reasons: reasonByName },
    now,
  );
  return result;
}

/** After what dead workers left open has been closed. */
function* chooseJobs(workflow: WorkflowRow, request: ReinitializeRequest, now: number, isAlive: IsAlive) {
  yield* closeLeft(workflow, now, isAlive);
  const jobs = yield* listJobsToReset(workflow.id, 'all');
  const reasons = planRestart(
    jobs.map((job) => ({ ...job, status: statusName(job.status) })),
    yield* listMembersIn(workflow.id),
    staleJobs(workflow, jobs, request),
  );
  return { chosen: jobs.filter(({ id }) => reasons.has(id)), reasons };
}

function staleJobs(
  { id: workflow }: WorkflowRow,
  jobs: readonly { id: number }[],
  { stale }: ReinitializeRequest,
): Map<number, StaleReason> {
  const known = new Set(jobs.map(({ id }) => id));
  for (const { job_id: job } of stale) {
    if (!known.has(job)) throw new HoldfastError('JOB_NOT_FOUND', { job, workflow });
  }
  // The first reason of a job counts.
  return new Map([...stale].reverse().map(({ job_id, reason }) => [job_id, reason]));
}
