import type { RetryJobsRequest, RetryJobsResult } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { startAgain } from '../../core/flow/go-back.ts';
import { revive } from '../../core/flow/revive.ts';
import { orderOf } from '../../core/job/full-state.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { statusName } from '../../core/job/job-status.ts';
import { lackingDependencies } from '../../core/selection/lacking-dependency.ts';
import { appendEvents } from '../../store/rows/events/event-rows.ts';
import { getJob, hasOpenJobs, listJobsOf } from '../../store/rows/jobs/job-rows.ts';
import { listSpoiltSets } from '../../store/rows/jobs/selectable-rows.ts';
import { decodeState } from '../../store/rows/jobs/state-columns.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { beginRun } from '../flow/begin-run.ts';
import { followFlow, foreseeFlow, partOf } from '../flow/follow-flow.ts';
import { endReplacedRun } from '../runs/end-run.ts';
import { type IsAlive, reapDeadWorkers } from '../workers/adopt-run.ts';
import { type Candidate, type ChosenJobs, chooseSelected, refuseFor } from './choose-selected.ts';
import { refuseIfDriven } from './refuse-if-driven.ts';
import { recordForAgent, refuseForAgent } from './retries-of-agents.ts';

/**
 * Jobs start over, however they ended, with everything downstream. A complete workflow begins a new run for it. In
 * a run that is not complete they run again in it, as after a goto: what of them runs now is ended first.
 */
export function* startOverFrom(
  workflow: WorkflowRow,
  request: RetryJobsRequest,
  now: number,
  isAlive: IsAlive,
): Script<RetryJobsResult> {
  const choice = yield* chooseSelected(workflow.id, request);
  const isOpen = yield* hasOpenJobs(workflow.id);
  refuseFor([...choice.problems, ...(yield* startProblems(workflow.id, choice.jobs))]);
  yield* refuseForAgent(workflow, choice.jobs, request, now);
  if (!isOpen) yield* refuseIfDriven(workflow, now, isAlive);
  const ids = choice.jobs.map(({ id }) => id);
  const revived = yield* foreseeRevived(workflow, choice.jobs, request, now);
  const result: RetryJobsResult = {
    dry_run: request.dry_run === true,
    mode: isOpen ? 'again' : 'new_run',
    run_id: workflow.run_id + (isOpen ? 0 : 1),
    jobs: choice.jobs.map((job) => ({
      id: job.id,
      name: jobLabel(job),
      status: job.status,
      attempt_id: isOpen ? job.row.attempt_id + 1 : 1,
    })),
    revived,
  };
  if (result.dry_run) return result;
  yield* recordForAgent(workflow, choice.jobs, request, now);
  if (isOpen) yield* runAgain(workflow, choice, request, now, isAlive);
  else {
    const rows = yield* listJobsOf([...new Set([...ids, ...revived])]);
    yield* endReplacedRun(workflow, now);
    yield* beginRun(workflow, rows, { kind: 'reset', actor: request.actor, failed_only: true }, now);
  }
  return result;
}

/**
 * What was canceled because of the jobs, and is not among them: downstream of them if that was left out by `only`, and
 * the rest of a sweep that failed fast, with what is downstream of that.
 */
export function* foreseeRevived(
  workflow: WorkflowRow,
  jobs: readonly Candidate[],
  { only, actor }: { only?: boolean; actor: string },
  now: number,
): Script<number[]> {
  const causes = only === true ? jobs : jobs.filter(({ row }) => row.fail_fast !== null);
  if (causes.length === 0) return [];
  const ids = causes.map(({ id }) => id);
  const revived = yield* foreseeFlow(workflow, now, (draft) => revive(draft, ids, actor));
  const chosen = new Set(jobs.map(({ id }) => id));
  return revived.filter((id) => !chosen.has(id));
}

/** What keeps jobs from starting over. */
export function* startProblems(workflow: number, jobs: readonly Candidate[]): Script<HoldfastError[]> {
  const problems: HoldfastError[] = [];
  for (const { row } of jobs) {
    if (orderOf(decodeState(row))?.kind !== 'cancel') continue;
    problems.push(new HoldfastError('BEING_CANCELED', { job: jobLabel(row) }));
  }
  const sets = new Set(jobs.flatMap(({ row }) => row.dependency_set_id ?? []));
  const spoilt = yield* listSpoiltSets([...sets]);
  const lacking = lackingDependencies(
    jobs.map(({ row }) => row),
    spoilt,
  );
  // Several are reported together, without the way out of each.
  const root = lacking.length === 1 ? yield* rootOf(lacking[0]!.needs) : null;
  for (const { job, needs } of lacking) {
    problems.push(
      new HoldfastError('DEPENDENCY_FAILED', {
        workflow,
        job: jobLabel(job),
        needs: jobLabel(needs),
        root: jobLabel(root ?? needs),
        status: statusName(needs.status),
      }),
    );
  }
  return problems;
}

/** The first of the jobs before this one, and itself, that can start over: what it depends on has succeeded. */
function* rootOf(needs: {
  job_id: number;
  name: string;
  scope: string;
}): Script<{ name: string; scope: string }> {
  for (let next = needs; ; ) {
    const row = yield* getJob(next.job_id);
    const spoilt = row.dependency_set_id === null ? [] : yield* listSpoiltSets([row.dependency_set_id]);
    const [lacking] = lackingDependencies([row], spoilt);
    if (lacking === undefined) return next;
    next = lacking.needs;
  }
}

function* runAgain(
  workflow: WorkflowRow,
  { jobs, named, roots }: ChosenJobs,
  { actor, reason, only }: RetryJobsRequest,
  now: number,
  isAlive: IsAlive,
): Script<void> {
  const ids = jobs.map(({ id }) => id);
  const targets = jobs.filter(({ id }) => roots.has(id) || named.has(id));
  const words = { actor, reason: `started over by ${actor}${reason ? `: ${reason}` : ''}` };
  yield* followFlow(
    workflow,
    now,
    (draft) => {
      startAgain(
        draft,
        targets.map(({ id }) => id),
        ids,
        words,
      );
      const causes = only === true ? jobs : jobs.filter(({ row }) => row.fail_fast !== null);
      revive(
        draft,
        causes.map(({ id }) => id),
        actor,
      );
    },
    yield* partOf(ids),
  );
  // An attempt whose worker is dead is closed at once.
  yield* reapDeadWorkers(workflow, now, isAlive);
  yield* appendEvents(
    targets.map(({ id, row }) => ({
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      job_id: id,
      attempt_id: row.attempt_id,
      at: now,
      type: 'manual_retry',
      ...words,
      data: { jobs: ids.length },
    })),
  );
}
