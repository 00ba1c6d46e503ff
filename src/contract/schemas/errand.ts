import { z } from 'zod';
import { ACTION_TRIGGERS } from '../../core/model/action.ts';
import { OUTPUT_EVENTS } from '../../core/request/output-hook.ts';
import { SHOWN_RUN_STATES } from '../../core/run/decide-run.ts';
import { claim, finishReport } from './claim.ts';
import { evaluationInputs } from './evaluation-inputs.ts';
import { reportedMarks } from './file-marks.ts';
import { evaluation } from './job-records.ts';
import { postResult } from './post-result.ts';
import { amount, id, jobStatus, millis, outcomeSchema } from './scalars.ts';

/** Code to evaluate before anything is decided. */
export const evaluationOrder = z
  .object({
    kind: z.literal('evaluation'),
    id,
    /** The attempt that the code is about. */
    token: id,
    codes: z.array(z.object({ key: z.enum(['if', 'fail_if', 'run_js', 'goto_js']), code: z.string() })),
    /** Without what only the worker can see: stdout and stderr of the error. */
    inputs: evaluationInputs,
    /** What the environment of the worker adds to `inputs.env`. */
    env: z.array(z.string()),
    /** Where stdout and stderr of the error are, if another worker ran the attempt. */
    logs: z.object({ stdout: z.string(), stderr: z.string() }).exactOptional(),
  })
  .meta({ id: 'EvaluationOrder' });

/** Commands whose moment has come. */
export const actionOrder = z
  .object({
    kind: z.literal('action'),
    id,
    action_id: id,
    workflow_id: id,
    run_id: id,
    /** The worker, for an action that runs once for each of them; null for one that runs once. */
    worker_id: id.nullable(),
    trigger: z.enum(ACTION_TRIGGERS),
    commands: z.array(z.string()),
    timeout_ms: millis,
    cwd: z.string(),
    output_dir: z.string(),
    /** How the run stands when the action begins. */
    status: z.enum(SHOWN_RUN_STATES),
    /** What `run` would exit with; null while that is open. */
    exit_code: z.int().nullable(),
    /** Jobs that ended as failed or terminated; at most 1000. */
    failed_jobs: z.array(z.object({ job_id: id, name: z.string(), status: jobStatus, why: z.string() })),
  })
  .meta({ id: 'ActionOrder' });

const leftAttempt = claim
  .pick({
    workflow_id: true,
    run_id: true,
    job_id: true,
    job_name: true,
    scope: true,
    attempt_id: true,
    cwd: true,
    output_dir: true,
    config: true,
  })
  .extend({ memory_bytes: amount.nullable(), observed: finishReport });

/** Runs the post step of an attempt whose outcome was reported and is stored. */
export const postOrder = z
  .object({
    kind: z.literal('post'),
    id,
    token: id,
    /** Failures of the job that count against its retries, this attempt not included. */
    failures_before: z.int(),
    /** For the built-in step, with its rules in JSON; null: it has none, or the workflow has it no more. */
    rulebook: z.object({ name: z.string(), rules: z.string() }).nullable(),
    /** The attempt, if another worker ran it. Only the built-in step is left to another worker. */
    left: leftAttempt.exactOptional(),
  })
  .meta({ id: 'PostOrder' });

/** Runs a script before the job is tried again. */
export const recoveryOrder = z
  .object({
    kind: z.literal('recovery'),
    id,
    /** The attempt that failed. */
    token: id,
    script: z.string(),
    return_code: z.int(),
    timeout_ms: millis,
  })
  .meta({ id: 'RecoveryOrder' });

/** Writes the manifest of invalidated outputs, and runs the hook that registers or invalidates outputs elsewhere. */
export const outputsOrder = z
  .object({
    kind: z.literal('outputs'),
    id,
    workflow_id: id,
    run_id: id,
    request_name: z.string(),
    version: z.int(),
    event: z.enum(OUTPUT_EVENTS),
    round: z.int(),
    reason: z.string().nullable(),
    actor: z.string(),
    at_ms: millis,
    /** Of units that were finished in the run; of all that are done, where they are invalidated. */
    outputs: z.array(z.object({ unit: z.int(), path: z.string() })),
    /** null: the request has none for the event. */
    hook: z.string().nullable(),
    /** Relative to the output directory; null: none is written. */
    manifest: z.string().nullable(),
    /** The same in every try. */
    idempotency_key: z.string(),
    cwd: z.string(),
    output_dir: z.string(),
    timeout_ms: millis,
  })
  .meta({ id: 'OutputsOrder' });

/** Work beside an attempt or a run, handed to a worker, which reports how it ended. */
export const errandOrder = z.discriminatedUnion('kind', [
  postOrder,
  recoveryOrder,
  evaluationOrder,
  actionOrder,
  outputsOrder,
]);

/** An errand that is under way. */
export const errandRecord = z
  .object({
    id,
    /** `post`, `recovery`, `evaluation`, `action` or `outputs`, or something that the server does itself. */
    kind: z.string(),
    /** The attempt that it is about, with its job; null for what is about a run. */
    job_id: id.nullable(),
    name: z.string().nullable(),
    attempt_id: z.int().nullable(),
    /** Of an action. */
    trigger: z.enum(ACTION_TRIGGERS).nullable(),
    worker_id: id.nullable(),
    started_at_ms: millis,
    /** null: it is short, and has no limit of its own here. */
    timeout_ms: millis.nullable(),
    /** It was canceled, and is about to end. */
    cancel_requested: z.boolean(),
  })
  .meta({ id: 'Errand' });

/** How an errand ended. null: it was stopped together with its worker. */
export const errandReport = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('post'),
      id,
      post: postResult.nullable(),
      /** With a `post` of null: the machine was taken away, so that the attempt counts as lost. */
      lost: z.literal(true).exactOptional(),
      /** Declared outputs of the attempt, which a script may have changed. */
      files: reportedMarks.exactOptional(),
    }),
    z.strictObject({
      kind: z.literal('evaluation'),
      id,
      evaluations: z.array(evaluation).max(10).nullable(),
    }),
    z.strictObject({ kind: z.literal('recovery'), id, outcome: outcomeSchema }),
    z.strictObject({ kind: z.literal('action'), id, outcome: outcomeSchema }),
    z.strictObject({ kind: z.literal('outputs'), id, outcome: outcomeSchema }),
  ])
  .meta({ id: 'ErrandReport' });

/** An errand that a restarted worker holds. A script that its launcher does not know any more is lost. */
export const heldErrand = z.discriminatedUnion('kind', [
  postOrder,
  evaluationOrder,
  z.object({ kind: z.literal('recovery'), id }),
  z.object({ kind: z.literal('action'), id }),
  z.object({ kind: z.literal('outputs'), id }),
]);
