import type { RetryJobsRequest, RetryJobsResult } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { revive } from '../../core/flow/revive.ts';
import { orderOf } from '../../core/job/full-state.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import { retryProblem } from '../../core/selection/retryable.ts';
import { startsOver } from '../../core/selection/selection.ts';
import { appendEvents } from '../../store/rows/events/event-rows.ts';
import { requestRetries, toReadyAgainAll } from '../../store/rows/jobs/job-transitions.ts';
import type { SelectableRow } from '../../store/rows/jobs/selectable-rows.ts';
import { decodeState } from '../../store/rows/jobs/state-columns.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { followFlow, foreseeFlow } from '../flow/follow-flow.ts';
import { reopenRun } from '../runs/reopen-run.ts';
import { type IsAlive, reapDeadWorkers } from '../workers/adopt-run.ts';
import { type Candidate, chooseSelected, refuseFor } from './choose-selected.ts';
import { refuseSelection } from './refuse-selection.ts';
import { recordForAgent, refuseForAgent } from './retries-of-agents.ts';
import { startOverFrom } from './start-over.ts';

/**
 * One more attempt for the selected jobs in the same run, for all of them or for none. Dependents that had been canceled
 * because of them wait again. The attempts of running jobs are ended first. With `from` and nothing that filters, the jobs
 * start over instead, whatever their status.
 */
export function* retryJobs(
  workflow: WorkflowRow,
  request: RetryJobsRequest,
  now: number,
  isAlive: IsAlive,
): Script<RetryJobsResult> {
  refuseOtherRun(workflow, request.run_id);
  refuseSelection('retry', request);
  if (startsOver(request)) {
    return yield* startOverFrom(workflow, request, now, isAlive);
  }
  const { jobs, named, problems } = yield* chooseSelected(workflow.id, request);
  const chosen: Candidate[] = [];
  for (const job of jobs) {
    const problem = retryProblem(retryFacts(job.row), workflow.id, request.max_retries);
    if (problem === null) {
      // A pattern means what has failed. An attempt that runs is ended only where that was asked for.
      const isMeant = job.status !== 'running' || named.has(job.id) || asksFor(request, 'running');
      if (isMeant) chosen.push(job);
    } else if (named.has(job.id)) problems.push(problem);
  }
  refuseFor(problems);
  yield* refuseForAgent(workflow, chosen, request, now);
  const revived = yield* retryAll(workflow, chosen, request, now, isAlive);
  yield* recordForAgent(workflow, chosen, request, now);
  return {
    dry_run: request.dry_run === true,
    mode: chosen.length === 0 ? 'nothing' : 'retry',
    run_id: workflow.run_id,
    jobs: chosen.map((job) => ({
      id: job.id,
      name: jobLabel(job),
      status: job.status,
      attempt_id: job.row.attempt_id + 1,
    })),
    revived,
  };
}

/** What decides whether a job can be retried. */
export function retryFacts(row: SelectableRow) {
  return { label: jobLabel(row), state: decodeState(row), attempt_id: row.attempt_id };
}

export function refuseOtherRun(workflow: WorkflowRow, runId: number | undefined): void {
  if (runId === undefined || runId === workflow.run_id) return;
  throw new HoldfastError('WRONG_RUN', { run: runId, current: workflow.run_id });
}

function asksFor({ statuses }: RetryJobsRequest, status: JobStatus): boolean {
  return statuses?.includes(status) === true;
}

/** Moves jobs that can be retried. Returns those that were canceled because of them and wait again. */
export function* retryAll(
  workflow: WorkflowRow,
  jobs: readonly Pick<Candidate, 'id' | 'status' | 'row'>[],
  request: Pick<RetryJobsRequest, 'actor' | 'reason' | 'dry_run'>,
  now: number,
  isAlive: IsAlive,
): Script<number[]> {
  // Asked for before: it is being done.
  const open = jobs.filter(({ row }) => orderOf(decodeState(row)) === null);
  if (open.length === 0) return [];
  const running = open.filter(({ status }) => status === 'running').map(({ id }) => id);
  const ended = open.filter(({ status }) => status !== 'running').map(({ id }) => id);
  const { actor } = request;
  if (request.dry_run === true)
    return yield* foreseeFlow(workflow, now, (draft) => revive(draft, ended, actor));
  const reason = `retried by ${actor}${request.reason ? `: ${request.reason}` : ''}`;
  yield* requestRetries(running, actor, reason);
  yield* toReadyAgainAll(ended, reason);
  const revived = yield* followFlow(workflow, now, (draft) => revive(draft, ended, actor));
  // An attempt whose worker is dead is closed at once.
  if (running.length > 0) yield* reapDeadWorkers(workflow, now, isAlive);
  if (ended.length > 0) yield* reopenRun(workflow);
  yield* appendEvents(
    open.map(({ id, row }) => ({
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      job_id: id,
      attempt_id: row.attempt_id,
      at: now,
      type: 'manual_retry',
      actor,
      reason,
    })),
  );
  return revived;
}
