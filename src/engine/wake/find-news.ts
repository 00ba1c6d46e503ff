import type { FoundNews, WorkerNotice, WorkerPlace } from '../../contract/records/worker-news.ts';
import type { WaitingJobs } from '../../core/placement/choose-takers.ts';
import { listUnbegunActions } from '../../store/rows/errands/action-rows.ts';
import { hasFailures, hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { listNotices, listPlaces } from '../../store/rows/workers/notice-rows.ts';
import {
  countWaitingJobs,
  hasWaitingErrands,
  listWithActions,
  nextSharedDueTime,
} from '../../store/rows/workflows/waiting-work-rows.ts';
import { findWorkflow, listRequirements } from '../../store/rows/workflows/workflow-rows.ts';
import { type Script, together } from '../../store/script.ts';
import { byId } from '../claim/claim-facts.ts';
import { measureLimits } from '../claim/claim-jobs.ts';
import { loadPlaces } from '../claim/places.ts';
import { isDue } from '../errands/due-actions.ts';

/** What there may be for workers of a server. Without `withJobs` jobs that could start are not looked for. */
export function* findNews(withJobs: boolean, now: number): Script<FoundNews> {
  const [rows, jobs, errands, due, actions] = yield* together(
    listNotices(now),
    findJobs(withJobs, now),
    hasWaitingErrands(now),
    nextSharedDueTime(now),
    findActions(),
  );
  const notices = [
    ...rows.map(({ worker_id, what, id }) => ({ worker_id, words: `${what} ${id}` })),
    ...actions.owed,
  ];
  return {
    notices: joined(notices),
    jobs,
    errands: errands || actions.forAny,
    due_in_ms: due === null ? null : due - now,
    at_ms: now,
  };
}

export function* workerPlaces(ids: readonly number[]): Script<WorkerPlace[]> {
  return (yield* listPlaces(ids)).map((row) => ({ ...row, labels: JSON.parse(row.labels) as string[] }));
}

function* findJobs(wanted: boolean, now: number): Script<WaitingJobs[] | null> {
  if (!wanted) return null;
  const counts = yield* countWaitingJobs(now);
  const ids = [...new Set(counts.map(({ workflow_id }) => workflow_id))];
  const found = yield* together<WaitingJobs[][]>(
    ...ids.map((id) =>
      jobsOf(
        id,
        counts.filter(({ workflow_id }) => workflow_id === id),
        now,
      ),
    ),
  );
  return found.flat();
}

function* jobsOf(
  workflowId: number,
  counts: readonly { requirement_id: number; count: number }[],
  now: number,
): Script<WaitingJobs[]> {
  const workflow = (yield* findWorkflow(workflowId))!;
  const requirements = byId(yield* listRequirements(workflowId));
  const places = yield* loadPlaces(workflow, now);
  const limits = yield* measureLimits(workflow, requirements);
  return counts.map(({ requirement_id, count }) => ({
    workflow_id: workflowId,
    requirement: requirements.get(requirement_id)!,
    count,
    limits,
    ...places,
  }));
}

/** Actions whose moment has come: those that a certain worker has to run, and whether there are some for any worker. */
export function* findActions(): Script<{ owed: WorkerNotice[]; forAny: boolean }> {
  const owed: WorkerNotice[] = [];
  let forAny = false;
  for (const { id, run_id } of yield* listWithActions()) {
    const unbegun = yield* listUnbegunActions(id, run_id);
    if (unbegun.length === 0) continue;
    const isComplete = !(yield* hasOpenJobs(id));
    const isFailed = isComplete && (yield* hasFailures(id));
    for (const action of unbegun) {
      const actor = { id: action.worker_id ?? 0, kind: 'service' as const, isLeaving: false };
      if (!isDue(action, { isComplete, isFailed }, actor)) continue;
      if (action.worker_id === null) forAny = true;
      else owed.push({ worker_id: action.worker_id, words: `action ${action.id} ${run_id}` });
    }
  }
  return { owed, forAny };
}

/** One for each worker. */
function joined(notices: readonly WorkerNotice[]): WorkerNotice[] {
  const words = new Map<number, string[]>();
  for (const { worker_id, words: each } of notices) {
    words.set(worker_id, [...(words.get(worker_id) ?? []), each]);
  }
  return [...words].map(([worker_id, each]) => ({ worker_id, words: each.join(', ') }));
}
