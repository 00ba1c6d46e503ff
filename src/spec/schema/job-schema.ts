import { z } from 'zod';
import { ownDeclaredFileKeys } from './file-schema.ts';
import { sweepKeys } from './parameters-schema.ts';
import { postSchema } from './post-schema.ts';
import { inlineRequirementSchema, requirementKeys } from './requirement-schema.ts';
import { retrySchema } from './retry-schema.ts';
import { onFailSchema, onSuccessSchema } from './routing-schema.ts';
import {
  commandText,
  environment,
  nameText,
  plainText,
  positiveCount,
  textOrList,
  timeLimit,
} from './scalars.ts';
import { shellSchema } from './shell-schema.ts';
import { stdioSchema } from './stdio-schema.ts';

const patterns = z.union([z.string(), z.array(z.string())], {
  error: 'expected a pattern or a list of patterns',
});

function variableOf(port: string): string {
  return port.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

export const jobSpecSchema = z
  .strictObject({
    name: nameText.describe('Unique in the workflow, after sweeps are expanded.'),
    command: commandText.describe(
      'Run by `shell`. `{input}`, `{output}`, `{input.NAME}` and `{output.NAME}` ([files](#files-in-commands)), `${files.input.X}`, `${files.output.X}`, `${user_data.input.X}`, `${user_data.output.X}`, `{VARIABLE}` and `{PARAMETER}` are replaced.',
    ),
    invocation_script: plainText
      .optional()
      .describe('Text put in front of the command: bash runs `SCRIPT COMMAND`. The same names are replaced.'),
    shell: shellSchema.optional().describe('What runs the command (default: `shell` of the workflow).'),
    depends_on: textOrList
      .optional()
      .describe('Jobs that must have completed before; `a|b` for one of them.'),
    depends_on_regexes: patterns
      .optional()
      .describe(
        'Patterns (RE2) of such jobs. A pattern may match any part of a name; `^` and `$` anchor it.',
      ),
    input_files: textOrList
      .optional()
      .describe(
        'Files it reads: names from `files`, or paths (with `/` or `.`). It runs after the jobs that write them; one that no job writes must exist.',
      ),
    output_files: textOrList
      .optional()
      .describe(
        'Files it writes. Their directories are created. One that is missing afterwards fails the attempt.',
      ),
    input_files_regexes: patterns.optional().describe('Patterns (RE2) of names in `files` that it reads.'),
    output_files_regexes: patterns.optional().describe('Patterns (RE2) of names in `files` that it writes.'),
    input_file_regexes: patterns.optional().describe('Another spelling of `input_files_regexes`.'),
    output_file_regexes: patterns.optional().describe('Another spelling of `output_files_regexes`.'),
    ...ownDeclaredFileKeys,
    input_user_data: textOrList
      .optional()
      .describe('Values from `user_data` that it reads. It runs after what sets them.'),
    output_user_data: textOrList
      .optional()
      .describe(
        'Values from `user_data` that it sets, each by a file of JSON. One that is missing afterwards fails the attempt.',
      ),
    input_user_data_regexes: patterns.optional().describe('Patterns (RE2) of values that it reads.'),
    output_user_data_regexes: patterns.optional().describe('Patterns (RE2) of values that it sets.'),
    resource_requirements: z
      .union([nameText, inlineRequirementSchema], {
        error: 'expected a name from `resource_requirements`, or an object',
      })
      .optional()
      .describe('What it needs: a name from `resource_requirements`, or an object.'),
    num_cpus: requirementKeys.num_cpus.describe('CPUs it occupies; instead of those of its requirement.'),
    num_gpus: requirementKeys.num_gpus
      .unwrap()
      .optional()
      .describe('GPUs it occupies; instead of those of its requirement.'),
    memory: requirementKeys.memory.describe(
      'Memory it may use; more ends it (cause oom). Instead of that of its requirement.',
    ),
    resources: z
      .record(
        nameText,
        z.union([positiveCount, z.string().regex(/^\{\w+\}$/)], {
          error: 'expected a whole number above 0, or a parameter such as "{n}"',
        }),
      )
      .optional()
      .describe('Named resources it takes while it runs, against `limits`.'),
    failure_handler: nameText.optional().describe('A name from `failure_handlers`.'),
    retry: retrySchema.optional().describe('When it is tried again; fills in from `retry_defaults`.'),
    post: postSchema.optional().describe('A script that evaluates every attempt.'),
    on_fail: onFailSchema.optional().describe('Where a failure leads.'),
    on_success: onSuccessSchema.optional().describe('Where a success leads.'),
    on_call: z
      .boolean()
      .optional()
      .describe('Runs only when a route calls it; without it, so does what only `run` names.'),
    scheduler: nameText
      .optional()
      .describe(
        'A name from `slurm_schedulers`: allocations of this one are asked for because of it. Any worker may run it; `labels: ["slurm:NAME"]` binds it.',
      ),
    labels: z.array(nameText).optional().describe('Labels that its worker must have.'),
    env: environment.optional().describe('Environment variables, over those of the workflow.'),
    cwd: nameText.optional().describe('Directory it runs in, relative to where the workflow is run.'),
    isolate: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Runs in a fresh directory of its own.'),
    ports: z
      .array(nameText)
      .refine((names) => new Set(names.map(variableOf)).size === names.length, {
        error: 'two of the names would be the same variable, such as HOLDFAST_PORT_HTTP for http and HTTP',
      })
      .optional()
      .describe('Network ports that each attempt is given: `http` as `HOLDFAST_PORT_HTTP`.'),
    timeout: timeLimit
      .optional()
      .describe('Time one attempt may take. If its requirement has a `runtime`, the shorter one counts.'),
    deadline: timeLimit.optional().describe('Time all attempts together may take; no retry starts after it.'),
    scheduling_timeout: timeLimit.optional().describe('Time it may wait for its first start.'),
    limit_resources: z
      .boolean()
      .optional()
      .meta({ default: true })
      .describe('`false` only observes memory and runtime.'),
    stdio: stdioSchema.optional().describe('Where its output is kept; instead of `execution_config.stdio`.'),
    supports_termination: z
      .boolean()
      .optional()
      .describe('Not used: every job gets a signal, and time to end, before it is killed.'),
    priority: z.int().optional().meta({ default: 0 }).describe('Higher is started earlier.'),
    cancel_on_blocking_job_failure: z
      .boolean()
      .optional()
      .meta({ default: true })
      .describe('`false` runs it even if a dependency failed.'),
    ...sweepKeys,
    fail_fast: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe(
        '`true` cancels the rest of its sweep, also what runs, when one of the jobs fails and is not retried.',
      ),
  })
  .meta({ id: 'Job', description: 'A shell command with dependencies.' });

export type JobSpec = z.infer<typeof jobSpecSchema>;
