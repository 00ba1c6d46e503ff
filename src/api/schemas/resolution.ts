import { z } from 'zod';
import type { CancelRequest, CancelResult, ResetRequest, ResetResult } from '../../core/engine.ts';
import type {
  AgentLimits,
  DecisionRecord,
  FailureGroup,
  RecoverRequest,
  RecoverResult,
  ResolveRequest,
  ResolveResult,
  ResourceChange,
  ResourceChangeResult,
  Utilization,
} from '../../core/resolution.ts';
import { schemaFor } from '../schema-for.ts';
import { amount, cause, id, jobInBody, jobStatus, millis, reason } from './scalars.ts';

/** Who asks is told by the token or a header, never by the body. */
type Said<T> = Omit<T, 'actor'>;

const action = z.enum(['retry', 'fail']);
const dryRun = z.boolean().exactOptional().describe('true: tell what would be changed, change nothing.');
const size = z.string().min(1).max(50).describe('A size such as `4g`.');
const duration = z.string().min(1).max(50).describe('A duration such as `2h`, or ISO 8601.');
const bytes = z.number().nullable();

const agentLimits = schemaFor<AgentLimits>()(
  z.strictObject({ max_decisions: z.int().min(0), min_confidence: z.number().min(0).max(1) }),
);

export const resolveRequest = schemaFor<Said<ResolveRequest>>()(
  z
    .strictObject({
      decisions: z
        .array(
          z.strictObject({
            job_id: id,
            action,
            memory: size.exactOptional(),
            runtime: duration.exactOptional(),
            reason: reason.exactOptional(),
            confidence: z.number().min(0).max(1).exactOptional(),
          }),
        )
        .min(1)
        .max(10_000),
      dry_run: dryRun,
      agent: agentLimits.exactOptional(),
    })
    .meta({ id: 'ResolveRequest' }),
);

export const resolveResult = schemaFor<ResolveResult>()(
  z
    .object({
      dry_run: z.boolean(),
      jobs: z.array(
        z.object({
          job_id: id,
          name: z.string(),
          action,
          result: z.enum(['resolved', 'already_resolved', 'left']),
          attempt_id: z.int(),
          reason: z.string().nullable(),
          confidence: z.number().nullable(),
          memory_bytes: bytes,
          runtime_ms: millis.nullable(),
          canceled: z.array(z.string()),
        }),
      ),
    })
    .meta({ id: 'ResolveResult' }),
);

export const decisionRecord = schemaFor<DecisionRecord>()(
  z
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
      became: z.enum(['succeeded', 'failed_again', 'open']).nullable(),
    })
    .meta({ id: 'Decision' }),
);

export const failureGroup = schemaFor<FailureGroup>()(
  z
    .object({
      fingerprint: z.string(),
      cause,
      match_code: z.int().nullable(),
      error: z.string(),
      jobs: z.array(
        z.object({
          job_id: id,
          name: z.string(),
          status: jobStatus,
          attempt_id: z.int(),
          run_id: id,
          stdout_path: z.string(),
          stderr_path: z.string(),
          memory_bytes: bytes,
          runtime_ms: millis.nullable(),
          peak_rss_bytes: bytes,
          ran_ms: millis.nullable(),
        }),
      ),
      past: z.object({
        retried: z.int(),
        succeeded: z.int(),
        failed_again: z.int(),
        failed: z.int(),
        latest: z.array(decisionRecord),
      }),
    })
    .meta({ id: 'FailureGroup' }),
);

export const recoverRequest = schemaFor<Said<RecoverRequest>>()(
  z
    .strictObject({
      dry_run: dryRun,
      memory_multiplier: z.number().gt(1).max(1000),
      runtime_multiplier: z.number().gt(1).max(1000),
      max_memory_bytes: amount.nullable(),
      max_runtime_ms: amount.nullable(),
      retry_unknown: z.boolean(),
      agent: agentLimits.exactOptional(),
    })
    .meta({ id: 'RecoverRequest' }),
);

const leftJob = z.object({ job_id: id, name: z.string(), status: jobStatus, why: z.string() });
const change = z.object({ from: z.number(), to: z.number() });

export const recoverResult = schemaFor<RecoverResult>()(
  z
    .object({
      dry_run: z.boolean(),
      mode: z.enum(['resolve', 'new_run', 'nothing']),
      run_id: id,
      retried: z.array(
        z.object({
          job_id: id,
          name: z.string(),
          why: z.enum(['oom', 'timeout', 'unknown']),
          memory_bytes: change.nullable(),
          runtime_ms: change.nullable(),
        }),
      ),
      left: z.array(leftJob),
    })
    .meta({ id: 'RecoverResult' }),
);

export const resourceChange = schemaFor<Said<ResourceChange>>()(
  z
    .strictObject({ memory: size.exactOptional(), runtime: duration.exactOptional(), dry_run: dryRun })
    .meta({ id: 'ResourceChange' }),
);

const newValue = z.object({ from: z.number().nullable(), to: z.number() });

export const resourceChangeResult = schemaFor<ResourceChangeResult>()(
  z
    .object({
      job_id: id,
      name: z.string(),
      dry_run: z.boolean(),
      memory_bytes: newValue.nullable(),
      runtime_ms: newValue.nullable(),
    })
    .meta({ id: 'ResourceChangeResult' }),
);

export const utilization = schemaFor<Utilization>()(
  z
    .object({
      job_id: id,
      name: z.string(),
      status: jobStatus,
      attempt_id: z.int(),
      memory_requested_bytes: bytes,
      peak_rss_bytes: bytes,
      runtime_limit_ms: millis.nullable(),
      ran_ms: millis.nullable(),
      cpus_requested: z.number().nullable(),
      cpus_used: z.number().nullable(),
    })
    .meta({ id: 'Utilization' }),
);

export const cancelRequest = schemaFor<Said<CancelRequest>>()(
  z
    .strictObject({
      jobs: z
        .array(jobInBody)
        .max(100_000)
        .exactOptional()
        .describe('Numbers or names; all jobs that have not ended, unless told.'),
      reason: reason.exactOptional(),
      dry_run: dryRun,
    })
    .meta({ id: 'CancelRequest' }),
);

export const cancelResult = schemaFor<CancelResult>()(
  z.object({ canceled: z.array(id), stopping: z.array(id) }).meta({ id: 'CancelResult' }),
);

export const resetRequest = schemaFor<Said<ResetRequest>>()(
  z.strictObject({ failed_only: z.boolean().exactOptional(), dry_run: dryRun }).meta({ id: 'ResetRequest' }),
);

export const resetResult = schemaFor<ResetResult>()(
  z
    .object({ run_id: id, jobs: z.array(z.object({ id, name: z.string(), status: jobStatus })) })
    .meta({ id: 'ResetResult' }),
);
