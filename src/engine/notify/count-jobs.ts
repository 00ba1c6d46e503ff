import { statusName } from '../../core/job/job-status.ts';
import type { EdgeFacts } from '../../core/notify/message.ts';
import { countByStatus } from '../../store/rows/jobs/job-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { emptyCounts } from '../records/records.ts';

/** How the jobs of a workflow stand. */
export function* countJobs({ id, job_count }: WorkflowRow): Script<NonNullable<EdgeFacts['jobs']>> {
  const counts = emptyCounts();
  for (const { status, count } of yield* countByStatus(id)) counts[statusName(status)] = count;
  return {
    total: job_count,
    completed: counts.completed,
    failed: counts.failed + counts.terminated,
    canceled: counts.canceled,
    waiting: counts.pending_failed,
  };
}
