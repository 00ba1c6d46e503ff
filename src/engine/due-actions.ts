import type { ActionOrder, ActionReport } from '../core/exchange.ts';
import { causeOf, describeOutcome, type Outcome } from '../core/outcome.ts';
import {
  type ActionRow,
  type ActionRunRow,
  claimAction,
  finishAction,
  listHeldActions,
  listPendingActions,
} from '../store/action-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { hasOpenJobs } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import type { WorkflowRow } from '../store/workflow-rows.ts';

/** Actions whose moment has come, handed to the worker for good: each happens once in a run. */
export function* takeDueActions(
  workflow: WorkflowRow,
  workerId: number,
  isLeaving: boolean,
  now: number,
): Script<ActionOrder[]> {
  const pending = yield* listPendingActions(workflow.id, workflow.run_id, workerId);
  if (pending.length === 0) return [];
  const isComplete = !(yield* hasOpenJobs(workflow.id));
  const due = pending.filter((action) => isDue(action, isComplete, isLeaving));
  for (const action of due) yield* claimAction(action.id, workflow.run_id, workerId, now);
  return due.map(({ id, trigger_type, commands }) => ({
    action_id: id,
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    trigger: trigger_type,
    commands: JSON.parse(commands) as string[],
    cwd: workflow.cwd,
    output_dir: workflow.output_dir,
  }));
}

function isDue(action: ActionRow, isComplete: boolean, isLeaving: boolean): boolean {
  switch (action.trigger_type) {
    case 'on_workflow_start':
    case 'on_worker_start':
      return true;
    case 'on_workflow_complete':
      return isComplete;
    case 'on_jobs_ready':
      return action.blocked === 0;
    case 'on_jobs_complete':
      return action.open === 0;
    case 'on_worker_complete':
      return isLeaving;
  }
}

/** Accepts what became of actions that the worker was given. Returns how many reports there were. */
export function* endActions(workerId: number, reports: ActionReport[], now: number): Script<number> {
  if (reports.length === 0) return 0;
  const held = new Map((yield* listHeldActions(workerId)).map((run) => [run.action_id, run]));
  for (const { action_id, outcome } of reports) {
    const run = held.get(action_id);
    if (run !== undefined) yield* endAction(run, workerId, outcome, now);
  }
  return reports.length;
}

/** An action that fails is told, and changes nothing else. */
export function* endAction(run: ActionRunRow, workerId: number, outcome: Outcome, now: number): Script<void> {
  yield* finishAction(run, workerId, outcome, now);
  const ending = describeOutcome(outcome);
  yield* appendEvent({
    workflow_id: run.workflow_id,
    run_id: run.run_id,
    at: now,
    type: 'action',
    reason: `${run.trigger_type}: ${causeOf(outcome) === null ? 'done' : `failed with ${ending}`}`,
    data: { action_id: run.action_id, trigger: run.trigger_type, outcome: ending },
  });
}
