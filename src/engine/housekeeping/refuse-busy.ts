import { HoldfastError } from '../../core/errors.ts';
import { countAlive } from '../../store/rows/allocations/allocation-rows.ts';
import { hasOpenDagRun } from '../../store/rows/dags/dag-run-rows.ts';
import { hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { findWorker, listWorkersOf } from '../../store/rows/workers/worker-rows.ts';
import { type BusyErrandRow, listStartedErrands } from '../../store/rows/workflows/housekeeping-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { IsAlive } from '../workers/adopt-run.ts';

/** Refuses what must not be done to a workflow of which something runs, or can be started at any moment. */
export function* refuseBusy(workflow: WorkflowRow, now: number, isAlive: IsAlive): Script<void> {
  const { id } = workflow;
  for (const worker of yield* listWorkersOf(id, workflow.run_id)) {
    if (isAlive(worker, now)) throw new HoldfastError('RUN_ACTIVE', { id, pid: worker.pid });
  }
  for (const errand of yield* listStartedErrands(id)) {
    if (yield* isUnderWay(errand, now, isAlive)) throw busy(id, `still runs its ${errand.kind}`);
  }
  const { queued, running } = yield* countAlive(id);
  if (queued + running > 0) throw busy(id, 'has allocations that have not ended');
  if (yield* hasOpenDagRun(id)) throw busy(id, 'is run by DAGMan');
  if (workflow.shared === 1 && workflow.paused_at === null && (yield* hasOpenJobs(id))) {
    throw busy(id, 'is not complete, and workers can start its jobs');
  }
}

export function* refuseIncomplete({ id }: WorkflowRow): Script<void> {
  if (yield* hasOpenJobs(id)) throw busy(id, 'is not complete');
}

function* isUnderWay(errand: BusyErrandRow, now: number, isAlive: IsAlive): Script<boolean> {
  if (errand.worker_id === null) return (errand.server_lease_expires_at ?? 0) > now;
  const worker = yield* findWorker(errand.worker_id);
  return worker !== undefined && isAlive(worker, now);
}

function busy(id: number, why: string): HoldfastError {
  return new HoldfastError('WORKFLOW_BUSY', { id, why });
}
