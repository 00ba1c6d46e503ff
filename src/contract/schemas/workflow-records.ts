import { z } from 'zod';
import { WORKFLOW_EXECUTORS } from '../../core/allocation/executor.ts';
import { errandRecord } from './errand.ts';
import { GROUPS, id, jobStatus, MAY_CHANGE, millis, OWNER } from './scalars.ts';

/** What a process that ran a workflow was given, as far as it was; the next one on the same machine uses it as well. */
export const runSettings = z
  .strictObject({
    host: z.string().min(1).max(255).describe('The machine that they are for.'),
    max_parallel: z.int().min(1).nullable().exactOptional(),
    cpus: z.number().positive().exactOptional(),
    memory_bytes: z.number().positive().exactOptional(),
    gpus: z.int().min(0).exactOptional(),
    keep_work: z.enum(['none', 'failed', 'all']).exactOptional(),
    grace_ms: z.number().min(0).exactOptional(),
    labels: z.array(z.string().min(1).max(200)).max(1000).exactOptional(),
    site: z.string().min(1).max(100).exactOptional(),
    spec: z
      .array(z.string().max(10_000))
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('The path of its spec, and options that give values to it, as they were after a failure.'),
  })
  .meta({ id: 'RunSettings' });

export const workflowSchema = z
  .object({
    id,
    name: z.string(),
    description: z.string().nullable(),
    user: z.string().nullable(),
    project: z.string().nullable(),
    owner: z.string().describe(OWNER),
    access_groups: z.array(z.string()).describe(GROUPS),
    may_change: z.boolean().exactOptional().describe(MAY_CHANGE),
    run_id: id,
    created_at_ms: millis,
    /** Where the user ran the command; jobs run there. */
    cwd: z.string(),
    output_dir: z.string(),
    max_parallel: z.int().nullable(),
    limits: z.record(z.string(), z.number()),
    job_count: z.int(),
    /** Failures that no rule covers wait for a decision. */
    use_pending_failed: z.boolean(),
    /** Workers of a server run it, not the process that created it. */
    shared: z.boolean(),
    /** `slurm`: its schedulers are used, and its jobs run in allocations. */
    executor: z.enum(WORKFLOW_EXECUTORS),
    /** Lists leave it out since then; null unless it is archived. */
    archived_at_ms: millis.nullable(),
    until: z
      .array(z.string())
      .nullable()
      .describe('Jobs and output files at which its run is to end; null: at the end of everything.'),
    run_settings: runSettings
      .nullable()
      .describe('Options of the last process that ran it; null: none were given.'),
    /** Nothing new of it is claimed; null unless it is paused or stopped. */
    paused: z
      .object({
        at_ms: millis,
        actor: z.string(),
        reason: z.string().nullable(),
        stopping: z.boolean().describe('Attempts that were running are ended, too, free of charge.'),
      })
      .nullable(),
  })
  .meta({ id: 'Workflow' });

/** The answer to a new workflow. */
export const createdWorkflow = workflowSchema
  .extend({
    notes: z.array(z.string()).describe('Keys of the spec that were accepted and have no effect.'),
  })
  .meta({ id: 'CreatedWorkflow' });

export const workerSchema = z
  .object({
    id,
    host: z.string(),
    pid: z.int(),
    site: z.string(),
    labels: z.array(z.string()),
    kind: z.enum(['run', 'service']),
    /**
     * `suspect`: silent for 30 s; it counts for no claim, and keeps its jobs until its lease ends. `lost`: its process is
     * dead or its lease is over, and its jobs are about to be taken back.
     */
    state: z.enum(['active', 'draining', 'suspect', 'lost', 'retired']),
    alive: z.boolean(),
    cpus: z.number(),
    memory_bytes: z.number(),
    gpus: z.number(),
    /** null: it is one machine, whatever `num_nodes` a job asks for. */
    nodes: z.number().nullable(),
    /** null: it runs as many jobs at once as fit. */
    max_parallel: z.int().nullable(),
    /** When it will be gone; null: not known. */
    ends_at_ms: millis.nullable(),
    /** The allocation that it runs in; null: none. */
    allocation_id: z.int().nullable(),
    /** Attempts that it holds. */
    running: z.int(),
    registered_at_ms: millis,
    /** How long it keeps its jobs without contact. */
    lease_ms: z.int(),
    lease_expires_at_ms: millis,
  })
  .meta({ id: 'Worker' });

/** A job with an attempt that a worker holds. */
export const heldJob = z
  .object({
    workflow_id: id,
    workflow_name: z.string(),
    job_id: id,
    name: z.string(),
    run_id: id,
    attempt_id: z.int(),
    claimed_at_ms: millis,
    /** null: it has been claimed and has not begun. */
    started_at_ms: millis.nullable(),
  })
  .meta({ id: 'HeldJob' });

const counts = z.record(jobStatus, z.int());
const ofAttempt = { job_id: id, name: z.string(), attempt_id: z.int() };

/** One look at a workflow: what `status` prints and the progress screen shows. */
export const workflowStatus = z
  .object({
    workflow: workflowSchema,
    counts,
    complete: z.boolean(),
    held: z
      .object({ jobs: z.int(), ready: z.int() })
      .describe(
        'Jobs that are not started because `until` does not need them, and those of them that are ready.',
      ),
    /** What `run` would exit with now: 0, 1, 3, or null while incomplete, unless a decision or `until` is all that is left. */
    exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]).nullable(),
    started_at_ms: millis.nullable(),
    finished_at_ms: millis.nullable(),
    /** Workers that are alive and drive this workflow. */
    workers: z.array(workerSchema),
    /** Running jobs, longest first; at most 20. */
    running: z.array(z.object({ ...ofAttempt, started_at_ms: millis })),
    /** Retries that wait, earliest first; at most 20. */
    waiting: z.array(
      z.object({
        ...ofAttempt,
        retry_available_at_ms: millis,
        /** How the attempt before ended, and what was decided. */
        outcome: z.string(),
        reason: z.string(),
        /** The recovery script that runs before the retry; null if none does. */
        recovery: z.object({ started_at_ms: millis, timeout_ms: millis }).nullable(),
      }),
    ),
    /** The last failures of jobs that have not recovered since, newest first, one a job; at most 10. */
    failures: z.array(
      z.object({ ...ofAttempt, outcome: z.string(), reason: z.string(), finished_at_ms: millis }),
    ),
    /** What runs beside attempts, longest first; at most 20. */
    errands: z.array(errandRecord),
    /** Actions of a complete run that no worker has begun; `run ID` runs them, or a worker of the server. */
    actions_due: z.int(),
    /** Allocations that have not ended; `queued` includes those that are about to be submitted. */
    allocations: z.object({
      queued: z.int(),
      running: z.int(),
      stuck: z
        .array(z.object({ cluster_id: z.string(), scheduler: z.string(), why: z.string() }))
        .describe('Queued ones that wait for something that cannot come.'),
    }),
    /** Schedulers of which no allocation is submitted now, and why. */
    held_schedulers: z.array(
      z.object({
        name: z.string(),
        paused: z.boolean().describe('Until it is resumed; otherwise until `next_try_at_ms`.'),
        reason: z.string(),
        next_try_at_ms: millis.nullable(),
      }),
    ),
    /** Attempts that ended in this run, and how long the successful ones took on average. */
    attempts: z.object({ finished: z.int(), mean_success_ms: z.number().nullable() }),
  })
  .meta({ id: 'WorkflowStatus' });

export const failureHandlerRecord = z
  .object({
    id,
    workflow_id: id,
    name: z.string(),
    rules: z.string().describe('JSON of the list of rules.'),
  })
  .meta({ id: 'FailureHandler' });

/** A file that jobs of a workflow declare. */
export const fileRecord = z
  .object({
    path: z.string(),
    /** Labels of the jobs. */
    produced_by: z.array(z.string()),
    needed_by: z.array(z.string()),
  })
  .meta({ id: 'File' });

export const userDataRecord = z
  .object({
    workflow_id: id,
    name: z.string(),
    /** null: it has no value yet. */
    data: z.unknown(),
    is_ephemeral: z.boolean(),
  })
  .meta({ id: 'UserData' });
