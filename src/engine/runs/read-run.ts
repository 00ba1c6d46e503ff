import { type JobStatus, statusName } from '../../core/job/job-status.ts';
import { decideRun, type RunVerdict } from '../../core/run/decide-run.ts';
import { listFailedJobs } from '../../store/rows/attempts/failure-rows.ts';
import { countByStatus, hasFailures, hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import { countHeld, type HeldCounts } from '../../store/rows/workflows/until-rows.ts';
import type { Script } from '../../store/script.ts';
import { emptyCounts } from '../records/records.ts';

/** How the current run of a workflow stands. */
export interface RunStanding {
  counts: Record<JobStatus, number>;
  complete: boolean;
  /** Jobs that are not started because the run is to end elsewhere. */
  held: HeldCounts;
  verdict: RunVerdict;
}

const OPEN_STATUSES: readonly JobStatus[] = [
  ...(['uninitialized', 'blocked', 'ready', 'pending', 'running', 'pending_failed'] as const),
];

export function* readRun(workflowId: number): Script<RunStanding> {
  const counts = emptyCounts();
  for (const { status, count } of yield* countByStatus(workflowId)) counts[statusName(status)] = count;
  const complete = !(yield* hasOpenJobs(workflowId));
  const held = yield* countHeld(workflowId);
  const isHeld = held.jobs > 0 && held.jobs === OPEN_STATUSES.reduce((sum, each) => sum + counts[each], 0);
  const failed = (complete || isHeld) && (yield* hasFailures(workflowId));
  const verdict = decideRun({
    open: {
      ...counts,
      ready: counts.ready - held.ready,
      pending_failed: counts.pending_failed - held.pending_failed,
    },
    isComplete: complete,
    isHeld,
    hasFailures: failed,
    hasFailedJobs: failed && (yield* listFailedJobs(workflowId, 1)).length > 0,
  });
  return { counts, complete, held, verdict };
}
