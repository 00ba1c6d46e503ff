import { z } from 'zod';
import { anything, evaluationInputs, failures, foreach } from './evaluation-inputs.ts';
import { reportedMarks } from './file-marks.ts';
import { jobConfig, requirement } from './job-config.ts';
import { evaluation, usage } from './job-records.ts';
import { amount, id, outcomeSchema, word } from './scalars.ts';
import { usageSamples } from './usage-samples.ts';

const token = id;

/** A job handed to a worker: the right to make one attempt. */
export const claim = z
  .object({
    /** Identifies the attempt in reports, and rises with every claim: the fencing token given to programs. */
    token,
    workflow_id: id,
    run_id: id,
    job_id: id,
    job_name: z.string(),
    scope: z.string(),
    visit: z.int(),
    attempt_id: z.int(),
    cwd: z.string(),
    output_dir: z.string(),
    config: jobConfig,
    requirement,
    /** Patterns to look for in stderr when the attempt has failed. */
    stderr_patterns: z.array(z.string()),
    /** What the `if` of the job sees; null if it has none. */
    condition: z.object({ inputs: evaluationInputs, env: z.array(z.string()) }).nullable(),
    /** Outputs of completed steps, for templates; empty unless the command is one. A reduce step gets lists. */
    outputs: anything,
    /** For a reduce step that is a template: per joined step, the items that did not succeed. */
    failures,
    /** The item of the innermost forEach around the job. */
    foreach: foreach.nullable(),
    /** The workflow's variables, for templates; empty unless the command is one. */
    variables: anything,
    /** Values of the user data that the job reads; one that has no value is left out. */
    user_data: anything,
    /** For `TRACEPARENT`; absent where no traces are sent. */
    traceparent: z.string().exactOptional(),
  })
  .meta({ id: 'Claim' });

export const finishReport = z
  .strictObject({
    token,
    /** null if the process was never started. */
    started_at_ms: amount.nullable(),
    finished_at_ms: amount,
    outcome: outcomeSchema,
    usage: usage.nullable(),
    /** What it used over time, where samples are kept. */
    samples: usageSamples.exactOptional(),
    /** Its declared files: inputs as it found them, outputs as it left them. */
    files: reportedMarks.exactOptional(),
    output: z.unknown().exactOptional(),
    /** What the job set of its declared user data; stored only if the job completes by this attempt. */
    user_data: anything.exactOptional(),
    /** Patterns of the failure handler that were found in stderr. */
    stderr_matches: z.array(z.string().max(10_000)).max(10_000).exactOptional(),
    /** Distinguishes failures that look alike; absent where there was none. */
    fingerprint: word.exactOptional(),
    /** What was evaluated before or with the attempt. An `if` that is false means that nothing was started. */
    evaluations: z.array(evaluation).max(10).exactOptional(),
  })
  .meta({ id: 'FinishReport' });
