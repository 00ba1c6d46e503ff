import { z } from 'zod';
import { FINGERPRINT_MODES } from '../../core/files/file-mark.ts';
import { NAMED_SHELLS } from '../../core/job/shell.ts';
import { STDIO_MODES } from '../../core/job/stdio.ts';
import {
  FAILED_OUTPUTS,
  type JobConfig,
  type PostScript,
  type Requirement,
} from '../../core/model/workflow-model.ts';
import type { RetryPolicy } from '../../core/policy/retry-policy.ts';
import type { FailRoutes, Routes } from '../../core/policy/routes.ts';
import { schemaFor } from '../schema-for.ts';
import { millis } from './scalars.ts';

export const retryPolicy = schemaFor<RetryPolicy>()(
  z
    .object({
      max_retries_failure: z.int(),
      max_retries_preemption: z.int(),
      initial_retry_delay_ms: millis,
      max_retry_delay_ms: millis,
      backoff_multiplier: z.number(),
      retry_on_exit_codes: z.array(z.int()),
      no_retry_on_exit_codes: z.array(z.int()),
      retry_on_timeout: z.boolean(),
      jitter: z.enum(['none', 'full', 'equal']),
      jitter_seed: z.number(),
    })
    .meta({ id: 'RetryPolicy' }),
);

const routeKeys = {
  run: z.array(z.string()),
  run_js: z.string().nullable(),
  goto: z.string().nullable(),
  goto_js: z.string().nullable(),
};

const routes = schemaFor<Routes>()(z.object(routeKeys));

const failRoutes = schemaFor<FailRoutes>()(
  z.object({
    ...routeKeys,
    reattempt: z.object({ max: z.int(), mode: z.enum(['fixed', 'exponential']), delay_ms: millis }),
  }),
);

export const requirement = schemaFor<Requirement>()(
  z
    .object({
      name: z.string().nullable(),
      cpus: z.number().nullable(),
      memory_bytes: z.number().nullable(),
      gpus: z.number(),
      nodes: z.number(),
      resources: z.record(z.string(), z.number()),
      labels: z.array(z.string()).describe('Its worker must have all of them.'),
      runtime_ms: millis.nullable().describe('How long an attempt may take; null: without end.'),
    })
    .meta({ id: 'Requirement' }),
);

const postKeys = {
  permanent_code: z.int().describe('Exit code that makes a failure permanent.'),
  abort_code: z.int().describe('Exit code that aborts the workflow.'),
  items: z.array(z.string()).describe('Items that the job processes.'),
};

const postScript = schemaFor<PostScript>()(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('command'), command: z.string(), timeout_ms: millis, ...postKeys }),
    z.object({
      kind: z.literal('builtin'),
      directory: z.string().describe('Where post records are written.'),
      node: z.string().nullable().describe('Name of the job in its records; null: its own.'),
      rulebook: z.string().nullable().describe('Failure handler whose rules are the rulebook.'),
      ...postKeys,
    }),
  ]),
);

export const jobConfig = schemaFor<JobConfig>()(
  z
    .object({
      command: z.string(),
      template: z.boolean(),
      shell: z
        .union([z.enum(NAMED_SHELLS), z.array(z.string())])
        .describe('What runs the command; a list is a command line that it is added to.'),
      cwd: z.string().nullable(),
      env: z
        .record(z.string(), z.string())
        .describe('Values of variables that are named like secrets are masked, except for workers.'),
      isolate: z.boolean(),
      ports: z.array(z.string()),
      timeout_ms: millis.nullable(),
      deadline_ms: millis.nullable(),
      scheduling_timeout_ms: millis.nullable(),
      limit_resources: z.boolean(),
      end_signal: z.string(),
      grace_ms: millis.nullable(),
      stdio: z.object({ mode: z.enum(STDIO_MODES), delete_on_success: z.boolean() }),
      sample_ms: millis.nullable(),
      input_files: z.array(z.string()),
      given_files: z
        .array(z.string())
        .describe('Inputs that no job writes; they must exist before the first attempt.'),
      output_files: z.array(z.string()),
      fingerprint: z
        .object({ by: z.enum(FINGERPRINT_MODES), max_bytes: z.number() })
        .describe('How its declared files are remembered; larger ones by size and time only.'),
      failed_outputs: z
        .enum(FAILED_OUTPUTS)
        .describe('What happens to declared outputs that a failed attempt created.'),
      user_data: z.object({
        inputs: z.array(z.string()),
        outputs: z.array(z.string()),
        optional: z.array(z.string()).describe('Outputs that have a first value, and may be left unset.'),
      }),
      output: z.enum(['auto', 'text', 'json', 'lines']).nullable(),
      retry: retryPolicy,
      failure_handler: z.string().nullable(),
      post: postScript.nullable(),
      tags: z.array(z.string()),
      group: z.string().nullable(),
      scheduler: z.string().nullable(),
      step: z
        .object({ mpi: z.string().nullable(), cpu_bind: z.boolean(), signal: z.string().nullable() })
        .nullable(),
      reads: z.array(z.string()).nullable(),
      condition: z.string().nullable(),
      fail_if: z.string().nullable(),
      continue_on_failure: z.boolean(),
      fail_fast: z
        .string()
        .nullable()
        .describe('Its sweep, by the name as written, if the rest of that is canceled when one job fails.'),
      on_call: z.boolean(),
      for_each: z.boolean(),
      on_fail: failRoutes.nullable(),
      on_success: routes.nullable(),
    })
    .meta({ id: 'JobConfig' }),
);
