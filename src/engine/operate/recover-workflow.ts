import type {
  AgentLimits,
  RecoveredJob,
  RecoverRequest,
  RecoverResult,
  ResolveDecision,
} from '../../contract/records/resolution.ts';
import { HoldfastError } from '../../core/errors.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { type JobStatus, statusName } from '../../core/job/job-status.ts';
import { findLastDecision, insertDecision } from '../../store/rows/attempts/decision-rows.ts';
import { type FailedJobRow, listWithLastAttempt } from '../../store/rows/attempts/failure-rows.ts';
import { changeResources } from '../../store/rows/jobs/job-resources.ts';
import { decodeConfig, getJob, hasOpenJobs } from '../../store/rows/jobs/job-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { fingerprintOf } from '../read/list-failures.ts';
import type { IsAlive } from '../workers/adopt-run.ts';
import { resetJobs } from './reset-status.ts';
import { refuseFurtherRetry, refuseTooMany, resolveJobs } from './resolve-jobs.ts';

interface Plan {
  row: FailedJobRow;
  job: RecoveredJob;
}

/**
 * Known causes first: what ran out of memory or time is tried again with more of it. Jobs that wait for a decision
 * continue in the same run; where the run is complete, a new one begins with the chosen jobs and what was canceled because
 * of them.
 */
export function* recoverWorkflow(
  workflow: WorkflowRow,
  request: RecoverRequest,
  now: number,
  isAlive: IsAlive,
): Script<RecoverResult> {
  const isOpen = yield* hasOpenJobs(workflow.id);
  const statuses: JobStatus[] = ['failed', 'terminated', ...(isOpen ? (['pending_failed'] as const) : [])];
  const result: RecoverResult = {
    dry_run: request.dry_run === true,
    mode: 'nothing',
    run_id: workflow.run_id,
    complete: !isOpen,
    retried: [],
    left: [],
  };
  const plans: Plan[] = [];
  for (const row of yield* listWithLastAttempt(workflow.id, statuses)) {
    const planned = isOpen ? planInRun(row, request) : yield* planNewRun(row, request);
    if (typeof planned === 'string') {
      result.left.push({
        job_id: row.job_id,
        name: jobLabel(row),
        status: statusName(row.status),
        why: planned,
      });
    } else {
      plans.push({ row, job: planned });
      result.retried.push(planned);
    }
  }
  if (request.agent !== undefined) {
    yield* refuseTooMany(plans.length, request.agent, request.actor, now);
    yield* checkAgent(plans, workflow.run_id, request.agent);
  }
  if (plans.length === 0) return result;
  result.mode = isOpen ? 'resolve' : 'new_run';
  if (!isOpen) result.run_id += 1;
  if (result.dry_run) return result;
  if (isOpen) {
    const decisions = plans.map(({ job }) => decisionOf(job));
    yield* resolveJobs(workflow, { decisions, actor: request.actor }, now);
  } else yield* beginRun(workflow, plans, request, now, isAlive);
  return result;
}

/** A recovery is as many decisions of an agent as it retries jobs; one without a known cause has no confidence. */
function* checkAgent(plans: readonly Plan[], runId: number, agent: AgentLimits): Script<void> {
  if (agent.min_confidence > 0 && plans.some(({ job }) => job.why === 'unknown')) {
    throw new HoldfastError('AGENT_LIMIT', {
      problem: `retry_unknown has no confidence, and at least ${agent.min_confidence} is asked for`,
    });
  }
  for (const { row } of plans) yield* refuseFurtherRetry({ ...row, id: row.job_id }, runId);
}

/** While the run continues, only jobs that wait for a decision can continue in it. */
function planInRun(row: FailedJobRow, request: RecoverRequest): RecoveredJob | string {
  if (statusName(row.status) === 'pending_failed') return plan(row, request);
  return 'the run is not complete: the job can be recovered when it is, or retried now';
}

function* planNewRun(row: FailedJobRow, request: RecoverRequest): Script<RecoveredJob | string> {
  const last = yield* findLastDecision(row.job_id, row.run_id);
  return last?.action === 'fail' ? 'a decision was made that it failed' : plan(row, request);
}

/** What is done about a failed job, or why nothing is. */
function plan(row: FailedJobRow, request: RecoverRequest): RecoveredJob | string {
  const base = { job_id: row.job_id, name: jobLabel(row), memory_bytes: null, runtime_ms: null };
  if (row.cause === 'oom') {
    const peak = peakOf(row);
    const from = row.memory_bytes ?? peak;
    if (from === null) return 'it ran out of memory, and how much it had is not known';
    // What it used is known to be too little, even where it was allowed less.
    const lacking = Math.max(from, peak ?? 0);
    const to = capped(Math.ceil(lacking * request.memory_multiplier), request.max_memory_bytes);
    if (to <= from) return 'it ran out of memory, and has as much as it may be given';
    return { ...base, why: 'oom', memory_bytes: { from, to } };
  }
  if (row.cause === 'timeout') {
    const from = decodeConfig(row.config).timeout_ms;
    if (from === null) return 'it timed out, and has no limit any more';
    const to = capped(Math.ceil(from * request.runtime_multiplier), request.max_runtime_ms);
    if (to <= from) return 'it timed out, and has as long as it may be given';
    return { ...base, why: 'timeout', runtime_ms: { from, to } };
  }
  if (!request.retry_unknown)
    return `more memory or time does not help against its cause (${row.cause ?? 'none'})`;
  return { ...base, why: 'unknown' };
}

function peakOf({ usage }: FailedJobRow): number | null {
  return usage === null ? null : (JSON.parse(usage) as { peak_rss_bytes: number }).peak_rss_bytes;
}

function capped(value: number, maximum: number | null): number {
  return maximum === null ? value : Math.min(value, maximum);
}

function decisionOf({ job_id, why, memory_bytes, runtime_ms }: RecoveredJob): ResolveDecision {
  return {
    job_id,
    action: 'retry',
    reason: why === 'unknown' ? 'tried again without knowing the cause' : `recovered from ${why}`,
    ...(memory_bytes === null ? {} : { memory: String(memory_bytes.to) }),
    ...(runtime_ms === null ? {} : { runtime: `${runtime_ms.to}ms` }),
  };
}

function* beginRun(
  workflow: WorkflowRow,
  plans: readonly Plan[],
  { actor }: RecoverRequest,
  now: number,
  isAlive: IsAlive,
): Script<void> {
  yield* resetJobs(
    workflow,
    plans.map(({ job }) => job.job_id),
    actor,
    now,
    isAlive,
  );
  for (const { row, job } of plans) {
    const { config } = yield* getJob(job.job_id);
    const change = { memoryBytes: job.memory_bytes?.to ?? null, runtimeMs: job.runtime_ms?.to ?? null };
    yield* changeResources(job.job_id, change, decodeConfig(config));
    yield* insertDecision({
      workflow_id: workflow.id,
      run_id: row.run_id,
      job_id: job.job_id,
      attempt_id: row.attempt_id,
      action: 'retry',
      actor,
      reason: decisionOf(job).reason ?? null,
      confidence: null,
      fingerprint: fingerprintOf(row),
      memory_bytes: change.memoryBytes,
      runtime_ms: change.runtimeMs,
      decided_at: now,
    });
  }
}
