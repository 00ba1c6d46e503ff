import type {
  AttemptRecord,
  AttemptState,
  AuditRecord,
  EventRecord,
  EventType,
  JobRecord,
  RouteTaken,
  RunSettings,
  Usage,
  WorkerRecord,
  WorkerState,
  WorkflowRecord,
} from '../../contract/records/records.ts';
import type { Evaluation } from '../../core/job/evaluation.ts';
import { awaitedRoute, type FullState, orderOf, retryTime } from '../../core/job/full-state.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import { logPaths } from '../../core/job/log-files.ts';
import type { Category, Cause, Outcome } from '../../core/job/outcome.ts';
import { type PostResult, withoutTail } from '../../core/job/post-result.ts';
import type { StdioMode } from '../../core/job/stdio.ts';
import { fieldOf, parseConfig } from '../../core/model/config-text.ts';
import type { HandlerOutcome } from '../../core/policy/decision.ts';
import { retryDelayMs } from '../../core/policy/retry-policy.ts';
import { isSuspect } from '../../core/worker/worker-silence.ts';
import type { AuditRow } from '../../store/rows/access/audit-rows.ts';
import type { AttemptRow } from '../../store/rows/attempts/attempt-rows.ts';
import type { EventRow } from '../../store/rows/events/event-rows.ts';
import type { ListedJob } from '../../store/rows/jobs/job-list-rows.ts';
import { decodeState } from '../../store/rows/jobs/state-columns.ts';
import type { WorkerRow } from '../../store/rows/workers/worker-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import { attemptError } from './attempt-error.ts';

// Rows as the database keeps them → records as the public sees them.

export function workflowRecord(row: WorkflowRow): WorkflowRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    user: row.owner,
    project: row.project,
    owner: row.owned_by,
    access_groups: JSON.parse(row.access_groups) as string[],
    run_id: row.run_id,
    created_at_ms: row.created_at,
    cwd: row.cwd,
    output_dir: row.output_dir,
    max_parallel: row.max_parallel,
    limits: JSON.parse(row.limits) as Record<string, number>,
    job_count: row.job_count,
    use_pending_failed: row.use_pending_failed === 1,
    shared: row.shared === 1,
    executor: row.executor,
    archived_at_ms: row.archived_at,
    run_settings: row.run_settings === null ? null : (JSON.parse(row.run_settings) as RunSettings),
    until: row.until === null ? null : (JSON.parse(row.until) as string[]),
    paused:
      row.paused_at === null
        ? null
        : {
            at_ms: row.paused_at,
            actor: row.paused_by!,
            reason: row.pause_reason,
            stopping: row.stopping === 1,
          },
  };
}

export function workerRecord(row: WorkerRow, alive: boolean, now: number): WorkerRecord {
  return {
    id: row.id,
    host: row.host,
    pid: row.pid,
    site: row.site,
    labels: JSON.parse(row.labels) as string[],
    kind: row.kind,
    state: workerState(row, alive, now),
    alive,
    cpus: row.cpus,
    memory_bytes: row.memory_bytes,
    gpus: row.gpus,
    nodes: row.nodes,
    max_parallel: row.max_parallel,
    ends_at_ms: row.ends_at,
    allocation_id: row.allocation_id,
    running: row.running,
    registered_at_ms: row.registered_at,
    lease_ms: row.lease_ms,
    lease_expires_at_ms: row.lease_expires_at,
  };
}

function workerState(row: WorkerRow, alive: boolean, now: number): WorkerState {
  if (row.retired_at !== null) return 'retired';
  if (!alive) return 'lost';
  if (isSuspect(row, now)) return 'suspect';
  return row.draining === 1 ? 'draining' : 'active';
}

export function jobRecord(row: ListedJob, runId: number): JobRecord {
  const retry = fieldOf(parseConfig(row.config), 'retry');
  const state = decodeState(row);
  const attemptId = attemptOf(state, row.attempt_id);
  return {
    id: row.id,
    workflow_id: row.workflow_id,
    run_id: runId,
    name: row.name,
    scope: row.scope,
    status: state.status,
    priority: row.priority,
    visit: row.visit,
    attempt_id: attemptId,
    current_attempt_id: attemptId,
    failure_count: row.failure_count,
    preemption_count: row.preemption_count,
    max_retries_failure: retry.max_retries_failure,
    max_retries_preemption: retry.max_retries_preemption,
    retry_available_at_ms: retryTime(state) ?? 0,
    next_retry_delay_ms:
      row.failure_count < retry.max_retries_failure ? retryDelayMs(retry, row.failure_count + 1, 0) : 0,
    reason: row.reason,
    cancel_requested: orderOf(state)?.kind === 'cancel',
    retry_requested: orderOf(state)?.kind === 'retry',
  };
}

const YET_TO_RUN: ReadonlySet<JobStatus> = new Set(['uninitialized', 'blocked', 'ready']);

/** The attempt that the job is in or ended with; the next one if it is yet to run. */
function attemptOf(state: FullState, attempt_id: number): number {
  // A job that is blocked while the steps run that its success called has run.
  const isYetToRun =
    YET_TO_RUN.has(state.status) && !(state.status === 'blocked' && awaitedRoute(state) !== null);
  return isYetToRun ? attempt_id + 1 : Math.max(1, attempt_id);
}

export function attemptRecord(row: AttemptRow, outputDir: string): AttemptRecord {
  const outcome = row.outcome === null ? null : (JSON.parse(row.outcome) as Outcome);
  const evaluations = row.evaluations === null ? [] : (JSON.parse(row.evaluations) as Evaluation[]);
  const logs = logPaths(row, outputDir, row.stdio as StdioMode);
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
    exit_code: outcome?.exit_code ?? null,
    signal: outcome?.signal ?? null,
    error: attemptError(row),
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
    post: row.post === null ? null : withoutTail(JSON.parse(row.post) as PostResult),
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
    stdout_path: logs.stdout,
    stderr_path: logs.stderr,
    output: row.output === null ? null : (JSON.parse(row.output) as unknown),
  };
}

export function attemptState(
  row: Pick<AttemptRow, 'started_at' | 'finished_at' | 'verdict' | 'cause'>,
): AttemptState {
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

export function auditRecord({ id, at, actor, action, subject, data }: AuditRow): AuditRecord {
  return {
    id,
    at_ms: at,
    actor,
    action,
    subject,
    data: data === null ? null : (JSON.parse(data) as Record<string, unknown>),
  };
}
