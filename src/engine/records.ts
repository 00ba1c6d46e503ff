import type { HandlerOutcome } from '../core/decision.ts';
import { type Evaluation, failIfProblem } from '../core/evaluation.ts';
import { type JobStatus, statusName } from '../core/job-status.ts';
import { logFiles } from '../core/log-files.ts';
import { type Category, type Cause, describeOutcome, type Outcome } from '../core/outcome.ts';
import type {
  AttemptRecord,
  AttemptState,
  EventRecord,
  EventType,
  JobRecord,
  RouteTaken,
  Usage,
  WorkerRecord,
  WorkflowRecord,
} from '../core/records.ts';
import { retryDelayMs } from '../core/retry-policy.ts';
import type { AttemptRow } from '../store/attempt-rows.ts';
import type { EventRow } from '../store/event-rows.ts';
import type { ListedJob } from '../store/job-list-rows.ts';
import { decodeConfig } from '../store/job-rows.ts';
import type { WorkerRow } from '../store/worker-rows.ts';
import type { WorkflowRow } from '../store/workflow-rows.ts';

// Rows as the database keeps them → records as the public sees them.

export function workflowRecord(row: WorkflowRow): WorkflowRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    user: row.owner,
    project: row.project,
    run_id: row.run_id,
    created_at_ms: row.created_at,
    cwd: row.cwd,
    output_dir: row.output_dir,
    max_parallel: row.max_parallel,
    limits: JSON.parse(row.limits) as Record<string, number>,
    job_count: row.job_count,
    shared: row.shared === 1,
  };
}

export function workerRecord(row: WorkerRow, alive: boolean): WorkerRecord {
  return {
    id: row.id,
    host: row.host,
    pid: row.pid,
    site: row.site,
    labels: JSON.parse(row.labels) as string[],
    kind: row.kind,
    state: row.retired_at !== null ? 'retired' : !alive ? 'lost' : row.draining === 1 ? 'draining' : 'active',
    alive,
    cpus: row.cpus,
    memory_bytes: row.memory_bytes,
    gpus: row.gpus,
    running: row.running,
    registered_at_ms: row.registered_at,
    lease_expires_at_ms: row.lease_expires_at,
  };
}

export function jobRecord(row: ListedJob, runId: number): JobRecord {
  const { retry } = decodeConfig(row.config);
  return {
    id: row.id,
    workflow_id: row.workflow_id,
    run_id: runId,
    name: row.name,
    scope: row.scope,
    status: statusName(row.status),
    priority: row.priority,
    visit: row.visit,
    attempt_id: row.attempt_id,
    current_attempt_id: row.attempt_id,
    failure_count: row.failure_count,
    preemption_count: row.preemption_count,
    max_retries_failure: retry.max_retries_failure,
    max_retries_preemption: retry.max_retries_preemption,
    retry_available_at_ms: row.not_before ?? 0,
    next_retry_delay_ms:
      row.failure_count < retry.max_retries_failure ? retryDelayMs(retry, row.failure_count + 1, 0) : 0,
    reason: row.reason,
    cancel_requested: row.cancel_requested === 1,
  };
}

export function attemptRecord(row: AttemptRow, outputDir: string): AttemptRecord {
  const outcome = row.outcome === null ? null : (JSON.parse(row.outcome) as Outcome);
  const evaluations = row.evaluations === null ? [] : (JSON.parse(row.evaluations) as Evaluation[]);
  const files = logFiles(row);
  return {
    job_id: row.job_id,
    job_name: row.job_name,
    scope: row.scope,
    run_id: row.run_id,
    visit: row.visit,
    caller: row.caller,
    attempt_id: row.attempt_id,
    worker_id: row.worker_id,
    state: attemptState(row),
    exit_code: outcome?.exitCode ?? null,
    signal: outcome?.signal ?? null,
    error:
      outcome === null || row.cause === null
        ? null
        : (failIfProblem(evaluations) ?? describeOutcome(outcome)),
    claimed_at_ms: row.claimed_at,
    started_at_ms: row.started_at,
    finished_at_ms: row.finished_at,
    is_worker_failure: row.cause === 'lost',
    outcome,
    cause: row.cause as Cause | null,
    match_code: row.match_code,
    category: row.category as Category | null,
    verdict: row.verdict,
    rule: row.rule,
    handler_outcome: row.handler_outcome as HandlerOutcome | null,
    recovery: row.recovery === null ? null : (JSON.parse(row.recovery) as Outcome),
    reason: row.reason,
    route: row.route === null ? null : (JSON.parse(row.route) as RouteTaken),
    evaluations,
    actor: row.actor,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
    stdout_path: `${outputDir}/${files.stdout}`,
    stderr_path: `${outputDir}/${files.stderr}`,
    output: row.output === null ? null : (JSON.parse(row.output) as unknown),
  };
}

function attemptState(row: AttemptRow): AttemptState {
  if (row.finished_at === null) return row.started_at === null ? 'PENDING' : 'RUNNING';
  if (row.verdict === 'disable') return 'SKIPPED';
  switch (row.cause as Cause | null) {
    case null:
      return 'SUCCEEDED';
    case 'lost':
      return 'WORKER_FAILED';
    case 'canceled':
      return 'KILLED';
    case 'stopped':
      return 'STOPPED';
    default:
      return 'FAILED';
  }
}

export function eventRecord(row: EventRow): EventRecord {
  return {
    id: row.id,
    workflow_id: row.workflow_id,
    run_id: row.run_id,
    job_id: row.job_id,
    job_name: row.job_name,
    scope: row.scope,
    attempt_id: row.attempt_id,
    at_ms: row.at,
    type: row.type as EventType,
    actor: row.actor,
    reason: row.reason,
    data: JSON.parse(row.data) as Record<string, unknown>,
  };
}

export function emptyCounts(): Record<JobStatus, number> {
  return {
    uninitialized: 0,
    blocked: 0,
    ready: 0,
    pending: 0,
    running: 0,
    completed: 0,
    failed: 0,
    canceled: 0,
    terminated: 0,
    disabled: 0,
    pending_failed: 0,
  };
}
