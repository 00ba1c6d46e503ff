import { z } from 'zod';
import { postSchema } from './post-schema.ts';
import { retrySchema } from './retry-schema.ts';
import { onFailSchema, onSuccessSchema } from './routing-schema.ts';
import { commandText, environment, nameText, textOrList, timeLimit } from './scalars.ts';
import { shellSchema } from './shell-schema.ts';

export const stepSchema = z
  .strictObject({
    type: z
      .literal('command', {
        error: (issue) =>
          `${JSON.stringify(issue.input)} steps do not exist here; only \`type: command\` does`,
      })
      .optional()
      .meta({ default: 'command' })
      .describe('Kind of the step; there is one.'),
    exec: commandText.describe(
      'Run by `shell`. With `{{ … }}` or `{% … %}` it is a Liquid template over `outputs`, `variables`, `foreach` and `failures`; a value never becomes shell syntax.',
    ),
    shell: shellSchema.optional().describe('What runs the command (default: `shell` of the workflow).'),
    depends_on: textOrList
      .optional()
      .describe('Steps that must have completed before; `a|b` for one of them.'),
    forEach: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Its output is a list; what follows runs once per item.'),
    fanout: z
      .enum(['map', 'reduce'])
      .optional()
      .meta({ default: 'map' })
      .describe('`reduce` joins the items of a forEach: it runs once, when all of them have ended.'),
    if: z.string().optional().describe('A JavaScript expression; false disables the step.'),
    fail_if: z.string().optional().describe('A JavaScript expression over `output`; true fails the step.'),
    env: environment.optional().describe('Environment variables, over those of the workflow.'),
    timeout: timeLimit.optional().describe('Time one attempt may take; a number is milliseconds.'),
    tags: z.array(nameText).optional().describe('Words to describe the step.'),
    group: nameText.optional().describe('A name to show steps together.'),
    output: z
      .enum(['auto', 'text', 'json', 'lines'])
      .optional()
      .meta({ default: 'auto' })
      .describe('How stdout becomes the output; `auto` is JSON if all of it parses, else text.'),
    continue_on_failure: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('What follows runs even if it failed, and the failure does not count for the run.'),
    on_call: z
      .boolean()
      .optional()
      .describe('Runs only when a route calls it; without it, so does what only `run` names.'),
    retry: retrySchema.optional().describe('When it is tried again; fills in from `retry_defaults`.'),
    failure_handler: nameText.optional().describe('A name from `failure_handlers`.'),
    post: postSchema.optional().describe('A script that evaluates every attempt.'),
    on_fail: onFailSchema.optional().describe('Where a failure leads.'),
    on_success: onSuccessSchema.optional().describe('Where a success leads.'),
  })
  .meta({ id: 'Step', description: 'A shell command whose output others can use.' });

export type StepSpec = z.infer<typeof stepSchema>;
