import type { Capacity } from '../core/exchange.ts';
import { appendEvent } from '../store/event-rows.ts';
import { nextDueTime, wakeDueJobs } from '../store/job-rows.ts';
import { type Script, together } from '../store/script.ts';
import {
  findDues,
  listSharedWorkflows,
  lockFreeSharedWorkflows,
  startRun,
  takeWorkflows,
  type WorkflowRow,
} from '../store/workflow-rows.ts';
import { chooseJobs, handOut, loadClaimBasis } from './claim-jobs.ts';
import { takeDueActions } from './due-actions.ts';
import type { ExchangePart } from './exchange-part.ts';
import { giveUpWaiting } from './give-up-waiting.ts';
import { takeDueQuestions } from './open-question.ts';

/** Somebody who takes work, with what he has left for jobs; null: no more jobs for him. */
interface Taker {
  part: ExchangePart;
  capacity: Capacity | null;
}

/**
 * What the workers are to do next, added to their results. Workflows in which others are at work are passed over, unless
 * it is told to wait for them: a worker that comes back a moment later takes from them.
 */
export function* takeWork(
  parts: readonly ExchangePart[],
  now: number,
  others: 'pass' | 'wait' = 'pass',
): Script<void> {
  const takers = parts.flatMap((part): Taker[] => {
    const { worker, request } = part;
    const capacity = request.capacity === null || worker.draining === 1 ? null : { ...request.capacity };
    return capacity === null && request.leaving !== true ? [] : [{ part, capacity }];
  });
  if (takers.length === 0) return;
  const own = takers[0]!.part.request.workflow_id;
  const { free, isContended } = own === undefined ? yield* lookAround(others) : yield* lookAt([own]);
  for (const workflow of free) yield* takeFrom(workflow, takers, now);
  for (const { part } of takers) part.contended = isContended && part.result.claims.length === 0;
}

/** Workflows that are locked from here on, and whether others were passed over. */
interface Look {
  free: WorkflowRow[];
  isContended: boolean;
}

function* lookAt(ids: number[]): Script<Look> {
  return { free: yield* takeWorkflows(ids), isContended: false };
}

function* lookAround(others: 'pass' | 'wait'): Script<Look> {
  if (others === 'wait') return yield* lookAt(yield* listSharedWorkflows());
  const [wanted, free] = yield* together(listSharedWorkflows(), lockFreeSharedWorkflows());
  return { free, isContended: free.length < wanted.length };
}

function* takeFrom(workflow: WorkflowRow, takers: readonly Taker[], now: number): Script<void> {
  const claimants = takers.flatMap(({ part, capacity }) => {
    return capacity === null ? [] : { part, worker: part.worker, capacity };
  });
  if (claimants.length > 0) yield* wakeDueJobs(workflow.id, now);
  const [dues, basis] = yield* together(
    findDues(workflow.id, now),
    loadClaimBasis(workflow.id, claimants, now),
  );
  if (dues.actions) for (const { part } of takers) yield* act(workflow, part, now);
  if (dues.questions) yield* ask(workflow, takers[0]!.part, now);
  if (claimants.length === 0) return;
  if (dues.unscheduled || dues.questions) {
    if ((yield* giveUpWaiting(workflow, now)) > 0) claimants[0]!.part.changed = true;
  }
  const chosen = yield* chooseJobs(workflow, claimants, basis, now);
  const starter = workflow.shared === 1 ? chosen[0]?.claimant : undefined;
  const [claims, due] = yield* together(
    handOut(workflow, claimants, chosen, now),
    nextDueTime(workflow.id),
    starter === undefined ? nothing() : noteStart(workflow, starter.worker.id, now),
  );
  for (const [index, { part }] of claimants.entries()) {
    part.result.claims.push(...claims[index]!);
    if (claims[index]!.length > 0) part.changed = true;
  }
  if (due === null) return;
  for (const { part } of claimants) {
    part.result.next_due_at_ms = Math.min(due, part.result.next_due_at_ms ?? due);
  }
}

function* nothing(): Script<void> {}

function* act(workflow: WorkflowRow, part: ExchangePart, now: number): Script<void> {
  const { worker, request, result } = part;
  const actions = yield* takeDueActions(workflow, worker.id, request.leaving === true, now);
  result.act.push(...actions);
  if (actions.length > 0) part.changed = true;
}

function* ask(workflow: WorkflowRow, part: ExchangePart, now: number): Script<void> {
  const questions = yield* takeDueQuestions(workflow, part.worker.id, now);
  part.result.evaluate.push(...questions);
  part.changed = true;
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
