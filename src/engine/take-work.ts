import type { Exchange, ExchangeResult } from '../core/exchange.ts';
import { appendEvent } from '../store/event-rows.ts';
import { nextDueTime, wakeDueJobs } from '../store/job-rows.ts';
import { lockWorkflows, tryLockWorkflows } from '../store/lock-rows.ts';
import { type Script, together } from '../store/script.ts';
import type { ExchangingWorker } from '../store/worker-rows.ts';
import { findWorkflow, listSharedWorkflows, startRun, type WorkflowRow } from '../store/workflow-rows.ts';
import { claimJobs } from './claim-jobs.ts';
import { takeDueActions } from './due-actions.ts';
import { giveUpWaiting } from './give-up-waiting.ts';
import { takeDueQuestions } from './open-question.ts';

/**
 * What the worker is to do next, added to the result. Workflows in which others are at work are passed over, unless
 * it is told to wait for them: a worker that comes back a moment later takes from them.
 */
export function* takeWork(
  worker: ExchangingWorker,
  request: Exchange,
  result: ExchangeResult,
  now: number,
  others: 'pass' | 'wait' = 'pass',
): Script<{ count: number; contended: boolean }> {
  const leaving = request.leaving === true;
  const capacity = request.capacity === null || worker.draining === 1 ? null : { ...request.capacity };
  if (capacity === null && !leaving) return { count: 0, contended: false };
  const wanted = request.workflow_id === undefined ? yield* listSharedWorkflows() : [request.workflow_id];
  const isWaiting = others === 'wait' || request.workflow_id !== undefined;
  if (isWaiting) yield* lockWorkflows(wanted);
  const free = isWaiting ? wanted : yield* tryLockWorkflows(wanted);

  let count = 0;
  for (const id of free) {
    const workflow = yield* findWorkflow(id);
    if (workflow === undefined) continue;
    const [actions, questions] = yield* together(
      takeDueActions(workflow, worker.id, leaving, now),
      takeDueQuestions(workflow, worker.id, now),
    );
    result.act.push(...actions);
    result.evaluate.push(...questions);
    count += actions.length + questions.length;
    if (capacity === null) continue;
    yield* wakeDueJobs(id, now);
    count += yield* giveUpWaiting(workflow, now);
    const claims = capacity.slots > 0 ? yield* claimJobs(workflow, worker, capacity, now) : [];
    if (claims.length > 0 && workflow.shared === 1) yield* noteStart(workflow, worker.id, now);
    result.claims.push(...claims);
    count += claims.length;
    const due = yield* nextDueTime(id);
    if (due !== null) result.next_due_at_ms = Math.min(due, result.next_due_at_ms ?? due);
  }
  return { count, contended: result.claims.length === 0 && free.length < wanted.length };
}

/** The run of a shared workflow begins with its first claim: nobody drives it. */
function* noteStart({ id, run_id }: WorkflowRow, workerId: number, now: number): Script<void> {
  if (!(yield* startRun(id, run_id, now))) return;
  yield* appendEvent({
    workflow_id: id,
    run_id,
    at: now,
    type: 'run_started',
    data: { worker_id: workerId },
  });
}
