import { failedOrTerminated } from '../../core/policy/decision-rules.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { findDecidedRetry } from '../../store/rows/attempts/attempt-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { type ClaimableJob, decodeConfig, getJob } from '../../store/rows/jobs/job-rows.ts';
import { toGivenUp } from '../../store/rows/jobs/job-transitions.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { conclude } from '../flow/conclude.ts';
import { endRunIfComplete } from '../runs/end-run.ts';

/** A retry that must not start any more, and the status in which its job ends. */
export interface LateRetry {
  jobId: number;
  attemptId: number;
  deadlineMs: number;
  status: 'failed' | 'terminated';
}

/**
 * A retry that was in time when it was decided is late where its script, its remediation or its wait for room took too
 * long. Null: the job may start.
 */
export function* findLateRetry(
  { run_id: runId }: WorkflowRow,
  job: ClaimableJob,
  now: number,
): Script<LateRetry | null> {
  const { deadline_ms: deadlineMs } = decodeConfig(job.config);
  if (deadlineMs === null || job.attempt_id === 0) return null;
  const retry = yield* findDecidedRetry(job.id, runId, job.visit);
  if (retry === null || now < retry.first_started_at + deadlineMs) return null;
  const { status } = failedOrTerminated(retry.outcome);
  return { jobId: job.id, attemptId: job.attempt_id, deadlineMs, status };
}

export function* failLateRetries(
  workflow: WorkflowRow,
  late: readonly LateRetry[],
  now: number,
): Script<void> {
  for (const { jobId, attemptId, deadlineMs, status } of late) {
    const reason = `deadline: the retry could not start within ${formatDuration(deadlineMs)} from the first start`;
    yield* toGivenUp(yield* getJob(jobId), status, reason);
    yield* appendEvent({
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      job_id: jobId,
      attempt_id: attemptId,
      at: now,
      type: 'failure',
      reason,
      data: { status },
    });
    yield* conclude(workflow, [jobId], now);
  }
  yield* endRunIfComplete(workflow, now);
}
