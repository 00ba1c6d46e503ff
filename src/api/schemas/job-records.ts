import { z } from 'zod';
import { RULE_NAMES, type WalkStep } from '../../core/decision.ts';
import type { Evaluation } from '../../core/evaluation.ts';
import type {
  AttemptRecord,
  EventRecord,
  Explanation,
  JobDetails,
  JobRecord,
  RouteTaken,
  Usage,
} from '../../core/records.ts';
import { schemaFor } from '../schema-for.ts';
import { jobConfig, requirement } from './job-config.ts';
import { amount, category, cause, id, jobStatus, millis, outcome } from './scalars.ts';

const jobFields = {
  id,
  workflow_id: id,
  run_id: id,
  name: z.string(),
  scope: z.string(),
  status: jobStatus,
  priority: z.number(),
  visit: z.int(),
  attempt_id: z.int(),
  current_attempt_id: z.int(),
  failure_count: z.int(),
  preemption_count: z.int(),
  max_retries_failure: z.int(),
  max_retries_preemption: z.int(),
  retry_available_at_ms: millis,
  next_retry_delay_ms: millis,
  reason: z.string().nullable(),
  cancel_requested: z.boolean(),
};

export const jobRecord = schemaFor<JobRecord>()(z.object(jobFields).meta({ id: 'Job' }));

export const jobDetails = schemaFor<JobDetails>()(
  z
    .object({
      ...jobFields,
      config: jobConfig,
      requirement,
      depends_on: z.array(z.object({ job_id: id, name: z.string(), status: jobStatus })),
    })
    .meta({ id: 'JobDetails' }),
);

export const usage = schemaFor<Usage>()(
  z.strictObject({ peak_rss_bytes: amount, cpu_seconds: z.number().min(0).max(1e12) }),
);

const routeTaken = schemaFor<RouteTaken>()(
  z
    .object({
      kind: z.enum(['retry', 'goto', 'call', 'loop_abort']),
      run: z.array(z.string()).exactOptional(),
      target: z.string().exactOptional(),
      loop: z.int(),
      max_loops: z.int(),
    })
    .meta({ id: 'RouteTaken' }),
);

export const evaluation = schemaFor<Evaluation>()(
  z
    .object({
      key: z.enum(['if', 'fail_if', 'run_js', 'goto_js']),
      result: z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true), value: z.unknown() }),
        z.object({ ok: z.literal(false), problem: z.string().max(10_000) }),
      ]),
      ms: z.number(),
      inputs: z.record(z.string(), z.unknown()),
    })
    .meta({ id: 'Evaluation' }),
);

export const attemptRecord = schemaFor<AttemptRecord>()(
  z
    .object({
      job_id: id,
      job_name: z.string(),
      scope: z.string(),
      run_id: id,
      visit: z.int(),
      caller: z.string().nullable(),
      attempt_id: z.int(),
      worker_id: z.int(),
      state: z.enum([
        'PENDING',
        'RUNNING',
        'SUCCEEDED',
        'FAILED',
        'WORKER_FAILED',
        'KILLED',
        'STOPPED',
        'SKIPPED',
      ]),
      exit_code: z.int().nullable(),
      signal: z.string().nullable(),
      error: z.string().nullable(),
      claimed_at_ms: millis,
      started_at_ms: millis.nullable(),
      finished_at_ms: millis.nullable(),
      is_worker_failure: z.boolean(),
      outcome: outcome.nullable(),
      cause: cause.nullable(),
      match_code: z.int().nullable(),
      category: category.nullable(),
      verdict: z.string().nullable(),
      rule: z.string().nullable(),
      handler_outcome: z
        .enum(['Retried', 'NoHandler', 'NoMatchingRule', 'MaxRetriesExceeded', 'Error'])
        .nullable(),
      recovery: outcome.nullable(),
      reason: z.string().nullable(),
      route: routeTaken.nullable(),
      evaluations: z.array(evaluation),
      actor: z.string().nullable(),
      usage: usage.nullable(),
      stdout_path: z.string(),
      stderr_path: z.string(),
      output: z.unknown(),
    })
    .meta({ id: 'Attempt' }),
);

export const eventRecord = schemaFor<EventRecord>()(
  z
    .object({
      id,
      workflow_id: id,
      run_id: id,
      job_id: id.nullable(),
      job_name: z.string().nullable(),
      scope: z.string().nullable(),
      attempt_id: z.int().nullable(),
      at_ms: millis,
      type: z.enum([
        'workflow_created',
        'run_started',
        'run_resumed',
        'run_finished',
        'worker_lost',
        'cancel_requested',
        'completed',
        'retry',
        'requeue',
        'failure',
        'cancel',
        'ask',
        'recovery',
        'abort',
        'run_reset',
        'manual_retry',
        'decision',
        'resources_changed',
        'handler_created',
        'handler_deleted',
        'user_data_set',
        'agent',
        'note',
        'action',
        'goto',
        'loop_abort',
        'remediation',
        'call',
        'supersede',
        'disable',
        'expand',
      ]),
      actor: z.string().nullable(),
      reason: z.string().nullable(),
      data: z.record(z.string(), z.unknown()),
    })
    .meta({ id: 'Event' }),
);

const walkStep = schemaFor<WalkStep>()(
  z.object({ rule: z.enum(RULE_NAMES), applies: z.boolean(), because: z.string() }).meta({ id: 'WalkStep' }),
);

export const explanation = schemaFor<Explanation>()(
  z
    .object({
      job: jobDetails,
      headline: z.string(),
      next: z.string(),
      hint: z.string().nullable(),
      attempts: z.array(z.object({ attempt: attemptRecord, walk: z.array(walkStep) })),
    })
    .meta({ id: 'Explanation' }),
);
