import { z } from 'zod';
import { amount, cause, id, jobStatus, millis, reason } from './scalars.ts';

const action = z.enum(['retry', 'fail']);
const dryRun = z.boolean().exactOptional().describe('true: show what would be changed, without changing it.');
const size = z.string().min(1).max(50).describe('A size such as `4g`.');
const duration = z.string().min(1).max(50).describe('A duration such as `2h`, or ISO 8601.');
const bytes = z.number().nullable();

/** What an agent may do at the most. Held by the engine's transaction, whatever the agent says. */
export const agentLimits = z.strictObject({
  /** Decisions that this request may still make; those beyond are refused as a whole. */
  max_decisions: z.int().min(0),
  /** Decisions with less are left for a person; one without a confidence has 0. */
  min_confidence: z.number().min(0).max(1),
  per_day: z.int().min(0).exactOptional().describe('Decisions of the same actor in 24 hours.'),
});

export const resolveRequest = z
  .strictObject({
    decisions: z
      .array(
        z.strictObject({
          job_id: id,
          action,
          /** What the retry may use, as a size such as `4g`; for this job alone. */
          memory: size.exactOptional(),
          /** As a duration such as `2h`, or ISO 8601. */
          runtime: duration.exactOptional(),
          reason: reason.exactOptional(),
          /** From 0 to 1. */
          confidence: z.number().min(0).max(1).exactOptional(),
        }),
      )
      .min(1)
      .max(10_000),
    dry_run: dryRun,
    /** Present if an agent decides; then at most 3 retries per job and run are agents' doing. */
    agent: agentLimits.exactOptional(),
  })
  .meta({ id: 'ResolveRequest' });

export const resolveResult = z
  .object({
    dry_run: z.boolean(),
    jobs: z.array(
      z.object({
        job_id: id,
        /** The label. */
        name: z.string(),
        action,
        /** `left`: its confidence is too low; the job still waits for a decision. */
        result: z.enum(['resolved', 'already_resolved', 'left']),
        /** The attempt that was decided about. */
        attempt_id: z.int(),
        reason: z.string().nullable(),
        confidence: z.number().nullable(),
        /** What the next attempt may use, where the decision changes it. */
        memory_bytes: bytes,
        runtime_ms: millis.nullable(),
        /** Labels of the dependents that are canceled by it. */
        canceled: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'ResolveResult' });

export const decisionSchema = z
  .object({
    id,
    workflow_id: id,
    run_id: id,
    job_id: id,
    job_name: z.string(),
    attempt_id: z.int(),
    action,
    actor: z.string(),
    reason: z.string().nullable(),
    confidence: z.number().nullable(),
    fingerprint: z.string().nullable(),
    memory_bytes: bytes,
    runtime_ms: millis.nullable(),
    decided_at_ms: millis,
    /** null for a decision to fail. */
    became: z.enum(['succeeded', 'failed_again', 'open']).nullable(),
  })
  .meta({ id: 'Decision' });

const failedJob = z.object({
  job_id: id,
  /** The label. */
  name: z.string(),
  status: jobStatus,
  attempt_id: z.int(),
  run_id: id,
  /** Of the attempt that failed last. */
  stdout_path: z.string(),
  stderr_path: z.string(),
  memory_bytes: bytes,
  runtime_ms: millis.nullable(),
  peak_rss_bytes: bytes,
  ran_ms: millis.nullable(),
  /** When that attempt ended. */
  finished_at_ms: millis,
});

const alike = {
  fingerprint: z.string(),
  cause,
  match_code: z.int().nullable(),
  /** How one of them ended, in words. */
  error: z.string(),
  past: z.object({
    retried: z.int(),
    /** Of the retried. */
    succeeded: z.int(),
    failed_again: z.int(),
    failed: z.int(),
    /** The newest ones, at most 3. */
    latest: z.array(decisionSchema),
  }),
};

/** Failures of a run that look alike. */
export const failureGroup = z.object({ ...alike, jobs: z.array(failedJob) }).meta({ id: 'FailureGroup' });

/** Failures of a run that look alike, counted. */
export const failureSummary = z
  .object({
    ...alike,
    jobs: z.int(),
    /** Of the jobs, those that wait for a decision. */
    waiting: z.int(),
    /** One of the jobs, with its last attempt. */
    sample: failedJob,
  })
  .meta({ id: 'FailureSummary' });

export const recoverRequest = z
  .strictObject({
    dry_run: dryRun,
    memory_multiplier: z.number().gt(1).max(1000),
    runtime_multiplier: z.number().gt(1).max(1000),
    /** What no job is given more of. */
    max_memory_bytes: amount.nullable(),
    max_runtime_ms: amount.nullable(),
    /** Failures of unknown cause too. */
    retry_unknown: z.boolean(),
    /** Present if an agent recovers: each retry is a decision of its own. */
    agent: agentLimits.exactOptional(),
  })
  .meta({ id: 'RecoverRequest' });

const leftJob = z.object({ job_id: id, name: z.string(), status: jobStatus, why: z.string() });
const change = z.object({ from: z.number(), to: z.number() });

/** What recovery does, or would do. */
export const recoverResult = z
  .object({
    dry_run: z.boolean(),
    /** `resolve`: jobs that waited for a decision continue in the same run. `new_run`: the run was complete. */
    mode: z.enum(['resolve', 'new_run', 'nothing']),
    run_id: id,
    /** The run was complete. If not, jobs that failed for good are left until it is. */
    complete: z.boolean(),
    retried: z.array(
      z.object({
        job_id: id,
        name: z.string(),
        why: z.enum(['oom', 'timeout', 'unknown']),
        memory_bytes: change.nullable(),
        runtime_ms: change.nullable(),
      }),
    ),
    /** Failed jobs that are left as they are, and why. */
    left: z.array(leftJob),
  })
  .meta({ id: 'RecoverResult' });

export const resourceChange = z
  .strictObject({ memory: size.exactOptional(), runtime: duration.exactOptional(), dry_run: dryRun })
  .meta({ id: 'ResourceChange' });

const newValue = z.object({ from: z.number().nullable(), to: z.number() });

export const resourceChangeResult = z
  .object({
    job_id: id,
    name: z.string(),
    dry_run: z.boolean(),
    memory_bytes: newValue.nullable(),
    runtime_ms: newValue.nullable(),
  })
  .meta({ id: 'ResourceChangeResult' });

/** What a job asked for against what its attempts used; null where it asked for nothing or was too short to measure. */
export const utilization = z
  .object({
    job_id: id,
    name: z.string(),
    status: jobStatus,
    run_id: id,
    attempt_id: z.int(),
    memory_requested_bytes: bytes,
    peak_rss_bytes: bytes,
    runtime_limit_ms: millis.nullable(),
    ran_ms: millis.nullable(),
    cpus_requested: z.number().nullable(),
    /** Processor time over elapsed time. */
    cpus_used: z.number().nullable(),
    /** How many samples of the attempt are kept. */
    sample_count: z.int(),
  })
  .meta({ id: 'Utilization' });
