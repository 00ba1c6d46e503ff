import { formatDuration } from '../../core/text/quantity.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { decodeConfig, listUnscheduled } from '../../store/rows/jobs/job-rows.ts';
import { toGivenUp } from '../../store/rows/jobs/job-transitions.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { conclude } from '../flow/conclude.ts';
import { endRunIfComplete } from '../runs/end-run.ts';

/** Ready jobs that nobody could start within their scheduling timeout fail without an attempt. Returns how many. */
export function* giveUpWaiting(workflow: WorkflowRow, now: number): Script<number> {
  const unscheduled = yield* listUnscheduled(workflow.id, now);
  for (const job of unscheduled) {
    const waited = formatDuration(decodeConfig(job.config).scheduling_timeout_ms ?? 0);
    const reason = `unschedulable: no worker had what it needs free within ${waited}`;
    yield* toGivenUp(job, 'failed', reason);
    yield* appendEvent({
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      job_id: job.id,
      at: now,
      type: 'failure',
      reason,
      data: { status: 'failed' },
    });
    yield* conclude(workflow, [job.id], now);
  }
  if (unscheduled.length > 0) yield* endRunIfComplete(workflow, now);
  return unscheduled.length;
}
