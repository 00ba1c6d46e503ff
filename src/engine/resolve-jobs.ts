import { HoldfastError } from '../core/errors.ts';
import { jobLabel } from '../core/job-label.ts';
import { statusName } from '../core/job-status.ts';
import { parseDuration, parseSize } from '../core/quantity.ts';
import type {
  AgentLimits,
  ResolveDecision,
  ResolvedJob,
  ResolveRequest,
  ResolveResult,
} from '../core/resolution.ts';
import { countAgentRetries, findLastDecision, insertDecision } from '../store/decision-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { findWithLastAttempt } from '../store/failure-rows.ts';
import { changeResources } from '../store/job-resources.ts';
import { listDownstream } from '../store/job-route-rows.ts';
import { decodeConfig, findJob, type JobRow, moveJob } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import type { WorkflowRow } from '../store/workflow-rows.ts';
import { conclude } from './conclude.ts';
import { finishIfComplete } from './end-attempts.ts';
import { fingerprintOf } from './list-failures.ts';

/** Retries of one job in one run that agents may decide. */
export const AGENT_RETRIES = 3;

interface Checked {
  job: JobRow;
  decision: ResolveDecision;
  result: ResolvedJob['result'];
  memoryBytes: number | null;
  runtimeMs: number | null;
}

/** Decides about jobs that wait for it: all of the decisions, or none. */
export function* resolveJobs(
  workflow: WorkflowRow,
  request: ResolveRequest,
  now: number,
): Script<ResolveResult> {
  if (workflow.use_pending_failed === 0) throw new HoldfastError('NO_PENDING_FAILED', { id: workflow.id });
  const checked = yield* checkAll(workflow, request);
  const jobs: ResolvedJob[] = [];
  for (const each of checked) jobs.push(yield* preview(workflow, each));
  if (request.dry_run === true) return { dry_run: true, jobs };
  for (const each of checked)
    if (each.result === 'resolved') yield* apply(workflow, each, request.actor, now);
  yield* finishIfComplete(workflow.id, workflow.run_id, now);
  return { dry_run: false, jobs };
}

function* checkAll(workflow: WorkflowRow, { decisions, agent }: ResolveRequest): Script<Checked[]> {
  if (decisions.length === 0) invalid('decisions', 'there are none');
  const seen = new Set<number>();
  const checked: Checked[] = [];
  for (const decision of decisions) {
    if (seen.has(decision.job_id)) invalid(`job ${decision.job_id}`, 'it is decided about twice');
    seen.add(decision.job_id);
    checked.push(yield* check(workflow, decision, agent));
  }
  if (agent !== undefined) {
    refuseTooMany(checked.filter(({ result }) => result === 'resolved').length, agent);
  }
  return checked;
}

function* check(
  workflow: WorkflowRow,
  decision: ResolveDecision,
  agent: AgentLimits | undefined,
): Script<Checked> {
  const { job_id, action, confidence, memory, runtime } = decision;
  const place = `job ${job_id}`;
  if (action !== 'retry' && action !== 'fail') invalid(place, `action must be retry or fail, not ${action}`);
  if (confidence !== undefined && !(confidence >= 0 && confidence <= 1)) {
    invalid(place, `confidence must be from 0 to 1, not ${confidence}`);
  }
  if (action === 'fail' && (memory !== undefined || runtime !== undefined)) {
    invalid(place, 'memory and runtime are for a retry');
  }
  const memoryBytes = memory === undefined ? null : parseSize(memory);
  if (memoryBytes === undefined) invalid(place, `memory must be a size such as 4g, not ${memory}`);
  const runtimeMs = runtime === undefined ? null : parseDuration(runtime, 1000);
  if (runtimeMs === undefined) invalid(place, `runtime must be a duration such as 2h, not ${runtime}`);
  const job = yield* findJob(workflow.id, job_id);
  if (job === undefined) throw new HoldfastError('JOB_NOT_FOUND', { job: job_id, workflow: workflow.id });
  const facts = { job, decision, memoryBytes, runtimeMs };
  if (statusName(job.status) !== 'pending_failed') {
    const last = yield* findLastDecision(job.id, workflow.run_id);
    if (last?.action === action) return { ...facts, result: 'already_resolved' };
    throw new HoldfastError('NOT_PENDING', {
      job: jobLabel(job),
      status: statusName(job.status),
      workflow: workflow.id,
    });
  }
  if (agent === undefined) return { ...facts, result: 'resolved' };
  if ((confidence ?? 0) < agent.min_confidence) return { ...facts, result: 'left' };
  if (action === 'retry') yield* refuseFurtherRetry(job, workflow.run_id);
  return { ...facts, result: 'resolved' };
}

/** More decisions than are left to an agent are none. */
export function refuseTooMany(count: number, { max_decisions }: AgentLimits): void {
  if (count <= max_decisions) return;
  throw new HoldfastError('AGENT_LIMIT', {
    problem: `${count} decisions are more than the ${max_decisions} that are left to it`,
  });
}

/** What agents have had tried again often enough is left to a person. */
export function* refuseFurtherRetry(
  job: { id: number; name: string; scope: string },
  runId: number,
): Script<void> {
  if ((yield* countAgentRetries(job.id, runId)) < AGENT_RETRIES) return;
  throw new HoldfastError('AGENT_LIMIT', {
    problem: `agents have had ${jobLabel(job)} tried again ${AGENT_RETRIES} times in this run`,
  });
}

function* preview(
  workflow: WorkflowRow,
  { job, decision, result, memoryBytes, runtimeMs }: Checked,
): Script<ResolvedJob> {
  const cancels = result === 'resolved' && decision.action === 'fail';
  const dependents = cancels ? yield* listDownstream(workflow.id, job.id, '') : [];
  return {
    job_id: job.id,
    name: jobLabel(job),
    action: decision.action,
    result,
    attempt_id: job.attempt_id,
    reason: decision.reason ?? null,
    confidence: decision.confidence ?? null,
    memory_bytes: memoryBytes,
    runtime_ms: runtimeMs,
    canceled: dependents
      .filter(({ id, status }) => id !== job.id && statusName(status) === 'blocked')
      .map(jobLabel),
  };
}

function* apply(
  workflow: WorkflowRow,
  { job, decision, memoryBytes, runtimeMs }: Checked,
  actor: string,
  now: number,
): Script<void> {
  const { action, confidence } = decision;
  const failed = yield* findWithLastAttempt(job.id);
  const fingerprint = failed === undefined ? null : fingerprintOf(failed);
  const reason = `${actor} decided: ${action}${decision.reason ? `: ${decision.reason}` : ''}`;
  yield* insertDecision({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: job.id,
    attempt_id: job.attempt_id,
    action,
    actor,
    reason: decision.reason ?? null,
    confidence: confidence ?? null,
    fingerprint,
    memory_bytes: memoryBytes,
    runtime_ms: runtimeMs,
    decided_at: now,
  });
  yield* moveJob(job, ['pending_failed'], action === 'retry' ? 'ready' : 'failed', { reason });
  yield* changeResources(job.id, { memoryBytes, runtimeMs }, decodeConfig(job.config));
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: job.id,
    attempt_id: job.attempt_id,
    at: now,
    type: 'decision',
    actor,
    reason,
    data: {
      action,
      confidence: confidence ?? null,
      fingerprint,
      ...(memoryBytes === null ? {} : { memory_bytes: memoryBytes }),
      ...(runtimeMs === null ? {} : { runtime_ms: runtimeMs }),
    },
  });
  if (action === 'fail') yield* conclude(workflow, [job.id], now);
}

function invalid(argument: string, problem: string): never {
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
