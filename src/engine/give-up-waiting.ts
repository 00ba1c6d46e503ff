import { formatDuration } from '../core/quantity.ts';
import { appendEvent } from '../store/event-rows.ts';
import { decodeConfig, listUnscheduled, moveJob } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import type { WorkflowRow } from '../store/workflow-rows.ts';
import { conclude } from './conclude.ts';
import { finishIfComplete } from './end-attempts.ts';

/** Ready jobs that nobody could start within their scheduling timeout fail without an attempt. Returns how many. */
export function* giveUpWaiting(workflow: WorkflowRow, now: number): Script<number> {
  const unscheduled = yield* listUnscheduled(workflow.id, now);
  for (const job of unscheduled) {
    const waited = formatDuration(decodeConfig(job.config).schedulingTimeoutMs ?? 0);
    const reason = `unschedulable: no worker had what it needs free within ${waited}`;
    yield* moveJob(job, ['ready'], 'failed', { reason });
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
  if (unscheduled.length > 0) yield* finishIfComplete(workflow.id, workflow.run_id, now);
  return unscheduled.length;
}
