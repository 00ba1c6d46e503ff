import type { RestartReason } from '../../core/files/stale-reason.ts';
import { resolveBlocked } from '../../core/flow/settle.ts';
import { awaitsDependencies } from '../../core/job/full-state.ts';
import { finishEvaluations } from '../../store/rows/errands/errand-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { endRoutes } from '../../store/rows/flow/route-rows.ts';
import { resetLoops } from '../../store/rows/flow/scope-rows.ts';
import { recountSets } from '../../store/rows/jobs/dependency-rows.ts';
import { decodeConfig, type JobRow } from '../../store/rows/jobs/job-rows.ts';
import { listUnresolved, markReset, startOver } from '../../store/rows/jobs/reset-rows.ts';
import { setArchived } from '../../store/rows/workflows/housekeeping-rows.ts';
import { insertRun, type RunKind } from '../../store/rows/workflows/run-rows.ts';
import { listEphemeralNames, restoreUserData } from '../../store/rows/workflows/user-data-rows.ts';
import { setCurrentRun } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { followFlow, type RunOf } from './follow-flow.ts';

export interface NewRun {
  kind: Exclude<RunKind, 'first'>;
  actor: string;
  /** Completed jobs keep their success. */
  failed_only: boolean;
  /** Why each of the jobs starts over, where that is known; by label. */
  reasons?: Record<string, RestartReason>;
}

/** The next run of a workflow, whose current run has ended: these jobs start over, with fresh budgets. */
export function* beginRun(
  workflow: RunOf,
  jobs: readonly JobRow[],
  { kind, actor, failed_only, reasons }: NewRun,
  now: number,
): Script<void> {
  const { run_id: runId } = yield* beginNextRun(workflow, jobs, kind, now);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: runId,
    at: now,
    type: 'run_reset',
    actor,
    reason: `${jobs.length} jobs start over in run ${runId}`,
    data: { failed_only, kind, jobs: jobs.map((job) => job.name), ...(reasons && { reasons }) },
  });
}

/** The same without an event. Jobs that are new and uninitialized start with it. */
export function* beginNextRun(
  workflow: RunOf,
  jobs: readonly Pick<JobRow, 'id' | 'config'>[],
  kind: NewRun['kind'],
  now: number,
): Script<RunOf> {
  const next = { id: workflow.id, run_id: workflow.run_id + 1 };
  yield* setCurrentRun(next.id, next.run_id);
  yield* setArchived(next.id, null);
  yield* insertRun(next.id, next.run_id, kind, now);
  yield* resetLoops(next.id);
  yield* endRoutes(next.id);
  yield* finishEvaluations(next.id, { canceled: true }, now);
  yield* markReset(jobs.map(({ id }) => id));
  yield* restoreEphemeral(next.id, jobs);
  yield* recountSets(next.id);
  yield* startWaiting(next, now);
  return next;
}

/** uninitialized jobs wait for their dependencies or a worker; those whose dependencies have ended already follow them. */
export function* startWaiting(workflow: RunOf, now: number): Script<void> {
  yield* startOver(workflow.id, now);
  const ids = yield* listUnresolved(workflow.id);
  if (ids.length === 0) return;
  yield* followFlow(workflow, now, (draft) => {
    for (const id of ids) {
      const job = draft.job(id);
      if (awaitsDependencies(job.state)) resolveBlocked(draft, job);
    }
  });
}

/** A value whose job keeps its success is kept too: nothing would set it again for those that read it. */
function* restoreEphemeral(workflowId: number, jobs: readonly Pick<JobRow, 'config'>[]): Script<void> {
  const ephemeral = new Set(yield* listEphemeralNames(workflowId));
  if (ephemeral.size === 0) return;
  for (const job of jobs) {
    for (const name of decodeConfig(job.config).user_data.outputs) {
      if (ephemeral.has(name)) yield* restoreUserData(workflowId, name);
    }
  }
}
