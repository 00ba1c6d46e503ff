import type { Capacity } from '../../contract/records/exchange.ts';
import { isRunEnd } from '../../core/run/run-transitions.ts';
import { enrolWorker } from '../../store/rows/errands/action-rows.ts';
import { listWaitingOutputs, type OutputOwner } from '../../store/rows/errands/output-errand-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { nextDueTime } from '../../store/rows/jobs/job-rows.ts';
import { wakeDueJobs } from '../../store/rows/jobs/job-transitions.ts';
import { startRound } from '../../store/rows/requests/round-rows.ts';
import { findRun, startRun } from '../../store/rows/workflows/run-rows.ts';
import {
  type Dues,
  findDues,
  listSharedWorkflows,
  lockFreeSharedWorkflows,
  takeWorkflows,
  type WorkflowRow,
} from '../../store/rows/workflows/workflow-rows.ts';
import { currentTime, type Script, together } from '../../store/script.ts';
import { type ClaimBasis, chooseJobs, handOut, loadClaimBasis } from '../claim/claim-jobs.ts';
import { giveUpWaiting } from '../claim/give-up-waiting.ts';
import type { Claimant } from '../claim/offers.ts';
import { takeDueActions } from '../errands/due-actions.ts';
import { takeEvaluations } from '../errands/take-evaluations.ts';
import { OUTPUTS_AT_ONCE, takeOutputs } from '../errands/take-outputs.ts';
import type { ExchangePart } from './exchange-part.ts';

/** A worker in this round of claims and its free capacity; null: it takes no more jobs. */
interface Taker {
  part: ExchangePart;
  capacity: Capacity | null;
}

/**
 * What the workers are to do next, added to their results. Workflows in which others are at work are passed over, unless
 * it is asked to wait for them: a worker that comes back a moment later takes from them.
 */
export function* takeWork(parts: readonly ExchangePart[], others: 'pass' | 'wait' = 'pass'): Script<void> {
  const takers = parts.flatMap((part): Taker[] => {
    const { worker, request } = part;
    const capacity = request.capacity === null || worker.draining === 1 ? null : { ...request.capacity };
    return capacity === null && request.leaving !== true ? [] : [{ part, capacity }];
  });
  if (takers.length === 0) return;
  const own = takers[0]!.part.request.workflow_id;
  const { free, isContended, now } = own === undefined ? yield* lookAround(others) : yield* lookAt([own]);
  const request_id = own === undefined ? null : (free[0]?.request_id ?? null);
  const owner: OutputOwner | null =
    own === undefined ? 'shared' : request_id === null ? null : { request_id };
  yield* together(
    takeFromAll(free, takers, now),
    owner === null ? nothing() : seeToOutputs(owner, takers, now),
  );
  const [{ part: first }] = takers as [Taker];
  // One that drives the run sees its end by itself.
  if (own !== undefined && first.worker.kind === 'service' && first.result.claims.length === 0) {
    if (yield* isOver(free[0])) first.result.over = true;
  }
  for (const { part } of takers) part.contended = isContended && part.result.claims.length === 0;
}

function* takeFromAll(
  workflows: readonly WorkflowRow[],
  takers: readonly Taker[],
  now: number,
): Script<void> {
  for (const workflow of workflows) yield* takeFrom(workflow, takers, now);
}

/** Nothing more is to be expected from the workflow, which may be gone. */
function* isOver(workflow: WorkflowRow | undefined): Script<boolean> {
  if (workflow === undefined || workflow.stopping === 1) return true;
  return isRunEnd((yield* findRun(workflow.id, workflow.run_id)).state);
}

/** Outputs of requests, whatever the state of their rounds: to workers in turn, if they take work at all. */
function* seeToOutputs(owner: OutputOwner, takers: readonly Taker[], now: number): Script<void> {
  const willing = takers.flatMap(({ part, capacity }) => (capacity === null ? [] : part));
  if (willing.length === 0) return;
  for (const [index, errand] of (yield* listWaitingOutputs(owner, OUTPUTS_AT_ONCE)).entries()) {
    const part = willing[index % willing.length]!;
    if (errand.due_at > now) {
      for (const { result } of willing) {
        result.next_due_at_ms = Math.min(errand.due_at, result.next_due_at_ms ?? errand.due_at);
      }
      return;
    }
    const order = yield* takeOutputs(errand, part.worker.id, now);
    if (order === null) continue;
    part.result.errands.push(order);
    part.changed = true;
  }
}

/** Workflows that are locked from here on, and whether others were passed over. */
interface Look {
  free: WorkflowRow[];
  isContended: boolean;
  /** Taken under the locks, so that claims of one workflow never go back in time. */
  now: number;
}

function* lookAt(ids: number[]): Script<Look> {
  const [free, now] = yield* together(takeWorkflows(ids), currentTime());
  return { free, isContended: false, now };
}

function* lookAround(others: 'pass' | 'wait'): Script<Look> {
  if (others === 'wait') return yield* lookAt(yield* listSharedWorkflows());
  const [wanted, free, now] = yield* together(
    listSharedWorkflows(),
    lockFreeSharedWorkflows(),
    currentTime(),
  );
  return { free, isContended: free.length < wanted.length, now };
}

function* takeFrom(workflow: WorkflowRow, takers: readonly Taker[], now: number): Script<void> {
  const isClosed = workflow.paused_at !== null || workflow.executor === 'htcondor';
  const claimants = takers.flatMap(({ part, capacity }) => {
    return capacity === null || isClosed ? [] : { part, worker: part.worker, capacity };
  });
  if (claimants.length > 0) yield* wakeDueJobs(workflow.id, now);
  const [dues, basis] = yield* together(findDues(workflow.id, now), loadClaimBasis(workflow, claimants, now));
  if (dues.questions) yield* evaluate(workflow, takers[0]!.part, now);
  if (claimants.length > 0) yield* claimFrom(workflow, claimants, dues, basis, now);
  if (dues.actions) for (const { part } of takers) yield* act(workflow, part, now);
}

function* claimFrom(
  workflow: WorkflowRow,
  claimants: readonly (Claimant & { part: ExchangePart })[],
  dues: Dues,
  basis: ClaimBasis,
  now: number,
): Script<void> {
  if (dues.unscheduled || dues.questions) {
    if ((yield* giveUpWaiting(workflow, now)) > 0) claimants[0]!.part.changed = true;
  }
  const { chosen, hasFailed } = yield* chooseJobs(workflow, claimants, basis, now);
  if (hasFailed) claimants[0]!.part.changed = true;
  const isUndriven = workflow.shared === 1 || workflow.executor === 'slurm';
  const starter = isUndriven ? chosen[0]?.claimant : undefined;
  const [claims, due] = yield* together(
    handOut(workflow, claimants, chosen, now),
    nextDueTime(workflow.id),
    starter === undefined ? nothing() : noteStart(workflow, starter.worker.id, now),
  );
  for (const [index, { part }] of claimants.entries()) {
    part.result.claims.push(...claims[index]!);
    if (claims[index]!.length === 0) continue;
    part.changed = true;
    if (dues.actions) yield* enrolWorker(workflow.id, workflow.run_id, part.worker.id, now);
  }
  if (due === null) return;
  for (const { part } of claimants) {
    part.result.next_due_at_ms = Math.min(due, part.result.next_due_at_ms ?? due);
  }
}

function* nothing(): Script<void> {}

function* act(workflow: WorkflowRow, part: ExchangePart, now: number): Script<void> {
  const { worker, request, result } = part;
  const actor = { id: worker.id, kind: worker.kind, isLeaving: request.leaving === true };
  const actions = yield* takeDueActions(workflow, actor, now);
  result.errands.push(...actions);
  if (actions.length > 0) part.changed = true;
}

function* evaluate(workflow: WorkflowRow, part: ExchangePart, now: number): Script<void> {
  part.result.errands.push(...(yield* takeEvaluations(workflow, part.worker.id, now)));
  part.changed = true;
}

/** The run of a shared workflow, or of one in allocations, begins with its first claim: nobody drives it. */
function* noteStart({ id, run_id, request_id }: WorkflowRow, workerId: number, now: number): Script<void> {
  if (!(yield* startRun(id, run_id, now))) return;
  if (request_id !== null) yield* startRound(id);
  yield* appendEvent({
    workflow_id: id,
    run_id,
    at: now,
    type: 'run_started',
    data: { worker_id: workerId },
  });
}
