import {
  AGENT_RETRIES,
  type AgentLimits,
  type ResolveDecision,
  type ResolvedJob,
  type ResolveRequest,
  type ResolveResult,
} from '../../contract/records/resolution.ts';
import { HoldfastError } from '../../core/errors.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { statusName } from '../../core/job/job-status.ts';
import { parseDuration, parseSize } from '../../core/text/quantity.ts';
import { lockKey } from '../../store/lock-rows.ts';
import {
  countAgentRetries,
  countDecisionsOf,
  findLastDecision,
  insertDecision,
} from '../../store/rows/attempts/decision-rows.ts';
import { findWithLastAttempt } from '../../store/rows/attempts/failure-rows.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { listDownstream } from '../../store/rows/flow/job-route-rows.ts';
import { changeResources } from '../../store/rows/jobs/job-resources.ts';
import { decodeConfig, findJob, type JobRow } from '../../store/rows/jobs/job-rows.ts';
import { toDecidedFailed, toReadyAgain } from '../../store/rows/jobs/job-transitions.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { conclude } from '../flow/conclude.ts';
import { fingerprintOf } from '../read/list-failures.ts';
import { endRunIfComplete } from '../runs/end-run.ts';

const DAY_MS = 24 * 3600 * 1000;

interface Checked {
  job: JobRow;
  decision: ResolveDecision;
  result: ResolvedJob['result'];
  memoryBytes: number | null;
  runtimeMs: number | null;
}

/** Retries or fails jobs that wait for a decision: all of them, or none. */
export function* resolveJobs(
  workflow: WorkflowRow,
  request: ResolveRequest,
  now: number,
): Script<ResolveResult> {
  if (workflow.use_pending_failed === 0) throw new HoldfastError('NO_PENDING_FAILED', { id: workflow.id });
  const checked = yield* checkAll(workflow, request, now);
  const jobs: ResolvedJob[] = [];
  for (const each of checked) jobs.push(yield* preview(workflow, each));
  if (request.dry_run === true) return { dry_run: true, jobs };
  for (const each of checked)
    if (each.result === 'resolved') yield* apply(workflow, each, request.actor, now);
  yield* endRunIfComplete(workflow, now);
  return { dry_run: false, jobs };
}

function* checkAll(
  workflow: WorkflowRow,
  { decisions, agent, actor }: ResolveRequest,
  now: number,
): Script<Checked[]> {
  if (decisions.length === 0) invalid('decisions', 'there are none');
  const seen = new Set<number>();
  const checked: Checked[] = [];
  for (const decision of decisions) {
    if (seen.has(decision.job_id)) invalid(`job ${decision.job_id}`, 'it is decided about twice');
    seen.add(decision.job_id);
    checked.push(yield* check(workflow, decision, agent));
  }
  if (agent !== undefined) {
    const count = checked.filter(({ result }) => result === 'resolved').length;
    yield* refuseTooMany(count, agent, actor, now);
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
  if (!memoryBytes && memoryBytes !== null) invalid(place, `memory must be a size such as 4g, not ${memory}`);
  const runtimeMs = runtime === undefined ? null : parseDuration(runtime, 1000);
  if (!runtimeMs && runtimeMs !== null)
    invalid(place, `runtime must be a duration such as 2h, not ${runtime}`);
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
export function* refuseTooMany(
  count: number,
  { max_decisions, per_day }: AgentLimits,
  actor: string,
  now: number,
): Script<void> {
  let left = max_decisions;
  if (per_day !== undefined) {
    // Other servers may be deciding for the same actor.
    yield* lockKey(`decisions of ${actor}`);
    left = Math.min(left, Math.max(0, per_day - (yield* countDecisionsOf(actor, now - DAY_MS))));
  }
  if (count <= left) return;
  throw new HoldfastError('AGENT_LIMIT', {
    problem: `${count} decisions are more than the ${left} that are left to it`,
  });
}

/** Decisions of an actor that count towards its limit of a day. */
export function* countDecisionsToday(actor: string, now: number): Script<number> {
  return yield* countDecisionsOf(actor, now - DAY_MS);
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
  if (action === 'retry') yield* toReadyAgain(job, 'pending_failed', reason);
  else yield* toDecidedFailed(job, reason);
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
