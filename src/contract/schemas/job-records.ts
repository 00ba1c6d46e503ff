import { z } from 'zod';
import type { Evaluation } from '../../core/job/evaluation.ts';
import { RESOURCE_NAMES, type Shortage } from '../../core/placement/shortage.ts';
import { RULE_NAMES, type WalkStep } from '../../core/policy/decision.ts';
import { schemaFor } from '../schema-for.ts';
import { hint } from './hint.ts';
import { jobConfig, requirement } from './job-config.ts';
import { postResult } from './post-result.ts';
import { amount, category, cause, id, jobStatus, millis, outcomeSchema } from './scalars.ts';

const jobFields = {
  id,
  workflow_id: id,
  run_id: id,
  name: z.string(),
  scope: z.string(),
  status: jobStatus,
  priority: z.number(),
  visit: z.int(),
  /**
   * The attempt that the job is in or ended with; for a job that is yet to run, or to run again, the next one. From 1 in
   * each run. Two names, because programs ask for both.
   */
  attempt_id: z.int(),
  current_attempt_id: z.int(),
  failure_count: z.int(),
  preemption_count: z.int(),
  max_retries_failure: z.int(),
  max_retries_preemption: z.int(),
  /** When the next retry may start; 0 if it need not wait. */
  retry_available_at_ms: millis,
  /** How long `retry:` would wait after the next failure; 0 if it would not retry. */
  next_retry_delay_ms: millis,
  /** Why the job is in this status, in one sentence; null while nothing happened. */
  reason: z.string().nullable(),
  cancel_requested: z.boolean(),
  /** Its attempt is being ended, and the job is ready again after that. */
  retry_requested: z.boolean(),
};

export const jobSchema = z.object(jobFields).meta({ id: 'Job' });

export const jobDetailsSchema = z
  .object({
    ...jobFields,
    config: jobConfig,
    requirement,
    depends_on: z.array(z.object({ job_id: id, name: z.string(), status: jobStatus })),
  })
  .meta({ id: 'JobDetails' });

/** Resources the process tree used; null where the attempt was too short to sample. */
export const usage = z.strictObject({ peak_rss_bytes: amount, cpu_seconds: z.number().min(0).max(1e12) });

/** A route as it is shown in attempts and in the `data` of events. */
export const routeTaken = z
  .object({
    kind: z.enum(['retry', 'goto', 'call', 'loop_abort']),
    /** Steps to run first: the remediation of a `retry`, or what a success calls. */
    run: z.array(z.string()).exactOptional(),
    /** Where a `goto` leads. */
    target: z.string().exactOptional(),
    /** Re-attempts and jumps taken in the scope, this one included. */
    loop: z.int(),
    max_loops: z.int(),
  })
  .meta({ id: 'RouteTaken' });

export const evaluation = schemaFor<Evaluation>()(
  z
    .object({
      key: z.enum(['if', 'fail_if', 'run_js', 'goto_js', 'stderr']),
      result: z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true), value: z.unknown() }),
        z.object({ ok: z.literal(false), problem: z.string().max(10_000) }),
      ]),
      ms: z.number(),
      inputs: z.record(z.string(), z.unknown()),
    })
    .meta({ id: 'Evaluation' }),
);

export const attemptSchema = z
  .object({
    job_id: id,
    job_name: z.string(),
    scope: z.string(),
    run_id: id,
    visit: z.int(),
    /** Label of the job whose route called for this attempt; null if it was planned. */
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
      // Its `if` was false.
      'SKIPPED',
    ]),
    exit_code: z.int().nullable(),
    signal: z.string().nullable(),
    /** The outcome in words; null while live or after success. */
    error: z.string().nullable(),
    claimed_at_ms: millis,
    started_at_ms: millis.nullable(),
    finished_at_ms: millis.nullable(),
    is_worker_failure: z.boolean(),
    outcome: outcomeSchema.nullable(),
    cause: cause.nullable(),
    match_code: z.int().nullable(),
    category: category.nullable(),
    verdict: z.string().nullable(),
    rule: z.string().nullable(),
    /** The result of the failure handler: Retried, NoHandler, NoMatchingRule, MaxRetriesExceeded or Error. */
    handler_outcome: z
      .enum(['Retried', 'NoHandler', 'NoMatchingRule', 'MaxRetriesExceeded', 'Error'])
      .nullable(),
    /** How the recovery script ended; null if there was none, or it has not ended. */
    recovery: outcomeSchema.nullable(),
    reason: z.string().nullable(),
    /** Where the decision led, if a route of `on_fail` or `on_success` gave it. */
    route: routeTaken.nullable(),
    /** What the code of the job said when this attempt was decided. */
    evaluations: z.array(evaluation),
    actor: z.string().nullable(),
    /** What the post step returned; null without one, or if it did not run. */
    post: postResult.omit({ log_tail: true }).nullable(),
    usage: usage.nullable(),
    stdout_path: z.string(),
    stderr_path: z.string(),
    /** A step's output. */
    output: z.unknown(),
  })
  .meta({ id: 'Attempt' });

export const eventSchema = z
  .object({
    id,
    workflow_id: id,
    run_id: id,
    job_id: id.nullable(),
    job_name: z.string().nullable(),
    /** Scope of the job; null without one. */
    scope: z.string().nullable(),
    attempt_id: z.int().nullable(),
    at_ms: millis,
    /**
     * What is written to the audit trail. `completed`, `retry`, `requeue`, `failure`, `cancel`, `ask` and `abort` close
     * an attempt.
     */
    type: z.enum([
      'workflow_created',
      'workflow_paused',
      'workflow_stopped',
      'workflow_resumed',
      // The run is to end at some jobs, or at the end of everything again. `data: {until, held}`.
      'workflow_until',
      'workflow_archived',
      'workflow_unarchived',
      // `data: {workflow_id, exported_at_ms, program, cwd, output_dir}`: what it was before.
      'workflow_imported',
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
      // An edited spec was applied. `data: {mode, counts, workflow}`.
      'workflow_updated',
      'manual_retry',
      // A job that waited for a decision was decided. `data: {action, result, confidence, …}`.
      'decision',
      'resources_changed',
      // `data: {handler}`.
      'handler_created',
      'handler_deleted',
      // `data: {name}`.
      'user_data_set',
      'agent',
      'note',
      'action',
      // A notification was sent, or given up. `data: {event, target}`.
      'notification_sent',
      'notification_failed',
      // Closes an attempt, or a success whose called steps have ended: back to an ancestor. `data.route`.
      'goto',
      // As `goto`, where `max_loops` is used up.
      'loop_abort',
      // A step is run before a re-attempt (`remediation`), or because of a success (`call`). The job is the caller;
      // `data: {step, position, of}`.
      'remediation',
      'call',
      // An attempt ended that a goto had overtaken.
      'supersede',
      // A job will not run: its `if` is false, or there is no item for it.
      'disable',
      // The items of a forEach step became jobs. `data: {items}`.
      'expand',
      // Code of a job could not be evaluated, or its result could not be used. `data: {key, problem}`.
      'evaluation_failure',
      // Steps of an allocation; `data: {allocation, scheduler, tag, cluster_id, …}`. `allocation_waiting`: why it waits
      // in the queue of the cluster, when that changes.
      'allocation_ordered',
      'allocation_submitted',
      'allocation_refused',
      'allocation_waiting',
      'allocation_started',
      'allocation_worker',
      'allocation_requeued',
      'allocation_canceled',
      'allocation_ended',
      // Steps of a run on DAGMan; `data: {run_id, cluster, directory, problem, how, exit_code}`, as far as they are known.
      'dag_submitted',
      'dag_problem',
      'dag_crashed',
      'dag_ended',
      // The cluster has stopped answering: what was submitted stays as it is, and is looked for again.
      'cluster_absent',
      // No more allocations of a scheduler are submitted, or they are again. `data: {scheduler}`.
      'scheduler_paused',
      'scheduler_resumed',
      // `data: {schedulers}`.
      'schedulers_changed',
    ]),
    actor: z.string().nullable(),
    reason: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });

const walkStep = schemaFor<WalkStep>()(
  z.object({ rule: z.enum(RULE_NAMES), applies: z.boolean(), because: z.string() }).meta({ id: 'WalkStep' }),
);

const shortage = schemaFor<Shortage>()(
  z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('labels'), missing: z.array(z.string()) }),
      z.object({ kind: z.literal('site'), site: z.string(), allowed: z.array(z.string()) }),
      z.object({
        kind: z.literal('ban'),
        site: z.string(),
        reason: z.string(),
        until_ms: millis.nullable(),
      }),
      z.object({ kind: z.literal('time_left'), needed_ms: millis, left_ms: millis }),
      z.object({ kind: z.literal('avoided_worker'), worker_id: id, until_ms: millis }),
      z.object({ kind: z.literal('avoided_site'), site: z.string(), until_ms: millis }),
      z.object({ kind: z.literal('limit'), name: z.string(), needed: z.number(), free: z.number() }),
      z.object({ kind: z.literal('max_parallel'), needed: z.number(), free: z.number() }),
      z.object({
        kind: z.literal('resource'),
        resource: z.enum(RESOURCE_NAMES),
        needed: z.number(),
        free: z.number(),
      }),
      z.object({ kind: z.literal('no_worker') }),
      z.object({
        kind: z.literal('dagman'),
        cluster_id: z.string().nullable(),
        problem: z.string().nullable(),
      }),
      z.object({
        kind: z.literal('allocation_waiting'),
        scheduler: z.string(),
        cluster_id: z.string(),
        word: z.string().nullable(),
        why: z.string().nullable(),
        never: z.boolean(),
        starts_at_ms: millis.nullable(),
      }),
      z.object({ kind: z.literal('allocation_starting'), scheduler: z.string(), cluster_id: z.string() }),
      z.object({ kind: z.literal('allocation_planned'), scheduler: z.string() }),
      z.object({ kind: z.literal('scheduler_paused'), scheduler: z.string(), reason: z.string() }),
      z.object({
        kind: z.literal('scheduler_refused'),
        scheduler: z.string(),
        reason: z.string(),
        next_try_at_ms: millis,
      }),
      z.object({ kind: z.literal('scheduler_full'), scheduler: z.string(), at_most: z.number() }),
      z.object({ kind: z.literal('scheduler_done'), scheduler: z.string() }),
      z.object({
        kind: z.literal('no_scheduler'),
        lacks: z.enum([...RESOURCE_NAMES, 'runtime_ms']).nullable(),
        needed: z.number(),
        most: z.number(),
      }),
      z.object({ kind: z.literal('cluster_absent'), problem: z.string(), since_ms: millis }),
    ])
    .meta({ id: 'Shortage' }),
);

/** One thing that a ready job waits for. */
export const jobWait = z
  .object({
    short: shortage,
    /** The worker that is short of it; null: the workflow is, or every worker. */
    worker: z.object({ id, host: z.string(), site: z.string() }).nullable(),
    /** All that there is of it, free or not; null where that is no number. */
    total: z.number().nullable(),
    /** Jobs that hold it, at most 10 of `holders`. */
    held_by: z.array(z.object({ workflow_id: id, job_id: id, name: z.string(), amount: z.number() })),
    holders: z.int(),
  })
  .meta({ id: 'JobWait' });

export const explanation = z
  .object({
    job: jobDetailsSchema,
    waits: z
      .array(jobWait)
      .describe('Why no worker can take a ready job now; empty if one can, or if no process drives the run.'),
    /** The one sentence that matters most. */
    headline: z.string(),
    /** What happens next without anybody doing anything. */
    next: z.string(),
    /** A command that helps, if there is one. */
    hint: hint.nullable(),
    attempts: z.array(z.object({ attempt: attemptSchema, walk: z.array(walkStep) })),
  })
  .meta({ id: 'Explanation' });
