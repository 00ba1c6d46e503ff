import type { PauseRequest } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { delaySchedules, endPause, pauseState, setPaused } from '../../store/rows/workflows/pause-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { recordChange } from '../records/record-change.ts';

/** Nothing new is claimed; running jobs finish, and so does what belongs to their attempts. */
export function* pauseWorkflow(
  workflow: WorkflowRow,
  request: PauseRequest,
  now: number,
): Script<WorkflowRecord> {
  yield* needOpen(workflow);
  if (workflow.paused_at !== null) throw alreadyPaused(workflow);
  yield* setPaused(workflow, 'paused', words(request, now));
  return yield* recordChange(workflow, 'workflow_paused', request, now);
}

/** As a pause, which it may follow; running attempts are ended as `stopped`, and their jobs are ready again. */
export function* stopWorkflow(
  workflow: WorkflowRow,
  request: PauseRequest,
  now: number,
): Script<WorkflowRecord> {
  yield* needOpen(workflow);
  if (workflow.stopping === 1) throw alreadyPaused(workflow);
  yield* setPaused(workflow, 'stopped', words(request, workflow.paused_at ?? now));
  return yield* recordChange(workflow, 'workflow_stopped', request, now);
}

export function* resumeWorkflow(
  workflow: WorkflowRow,
  request: PauseRequest,
  now: number,
): Script<WorkflowRecord> {
  if (workflow.paused_at === null) throw new HoldfastError('NOT_PAUSED', { id: workflow.id });
  yield* endPause(workflow);
  yield* delaySchedules(workflow.id, now - workflow.paused_at);
  return yield* recordChange(workflow, 'workflow_resumed', request, now);
}

function words({ actor, reason }: PauseRequest, at: number) {
  return { at, actor, reason: reason ?? null };
}

function* needOpen({ id }: WorkflowRow): Script<void> {
  if (!(yield* hasOpenJobs(id))) throw new HoldfastError('WORKFLOW_COMPLETE', { id });
}

function alreadyPaused(workflow: WorkflowRow): HoldfastError {
  const { id, paused_by } = workflow;
  return new HoldfastError('ALREADY_PAUSED', { id, state: pauseState(workflow), actor: paused_by! });
}
