import type { RetryJobsRequest } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { insertDecision } from '../../store/rows/attempts/decision-rows.ts';
import { findWithLastAttempt } from '../../store/rows/attempts/failure-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { fingerprintOf } from '../read/list-failures.ts';
import type { Candidate } from './choose-selected.ts';
import { refuseFurtherRetry, refuseTooMany } from './resolve-jobs.ts';

/** A retry of an agent is as many decisions as it has jobs run, and none of them has a confidence. */
export function* refuseForAgent(
  workflow: WorkflowRow,
  jobs: readonly Candidate[],
  { agent, actor }: RetryJobsRequest,
  now: number,
): Script<void> {
  if (agent === undefined) return;
  const running = jobs.find(({ status }) => status === 'running' || status === 'pending');
  if (running !== undefined) {
    throw limit(`${running.row.name} is running, and only a person ends attempts that run`);
  }
  if (agent.min_confidence > 0 && jobs.length > 0) {
    throw limit(`a retry of chosen jobs has no confidence, and at least ${agent.min_confidence} is required`);
  }
  yield* refuseTooMany(jobs.length, agent, actor, now);
  for (const { row } of jobs) yield* refuseFurtherRetry(row, workflow.run_id);
}

/** Kept as decisions, by which later retries of agents are counted. */
export function* recordForAgent(
  workflow: WorkflowRow,
  jobs: readonly Candidate[],
  { agent, actor, reason, dry_run }: RetryJobsRequest,
  now: number,
): Script<void> {
  if (agent === undefined || dry_run === true) return;
  for (const { id, row } of jobs) {
    const failed = yield* findWithLastAttempt(id);
    yield* insertDecision({
      workflow_id: workflow.id,
      run_id: workflow.run_id,
      job_id: id,
      attempt_id: row.attempt_id,
      action: 'retry',
      actor,
      reason: reason ?? null,
      confidence: null,
      fingerprint: failed === undefined ? null : fingerprintOf(failed),
      memory_bytes: null,
      runtime_ms: null,
      decided_at: now,
    });
  }
}

function limit(problem: string): HoldfastError {
  return new HoldfastError('AGENT_LIMIT', { problem });
}
