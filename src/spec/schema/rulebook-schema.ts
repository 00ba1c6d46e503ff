import { z } from 'zod';
import { codeOrRange, failureRuleSchema } from './failure-handler-schema.ts';

/** `recovery_script`, `timeout` and `max_retries` are those of a failure handler only. */
const { recovery_script: _, timeout: __, max_retries: ___, ...shared } = failureRuleSchema.shape;

const VERDICTS = ['retry', 'fail', 'abort', 'accept'] as const;

const rulebookRuleSchema = z
  .strictObject({
    ...shared,
    report_codes: z
      .array(codeOrRange)
      .optional()
      .describe(
        'Values of `exit_code` in the report of the job: numbers of any size, and ranges such as `"8000-8999"`.',
      ),
    message: z
      .string()
      .optional()
      .describe('A pattern (RE2) to be found in `error_message` of the report of the job.'),
    holds: z
      .string()
      .optional()
      .describe('A pattern (RE2) to be found in the reason why a batch system held the job.'),
    bad_items: z
      .enum(['reported', 'all', 'none'])
      .optional()
      .meta({ default: 'reported' })
      .describe(
        'Items that a failure of the category `data` excludes: those that the report names, all of the job, or none.',
      ),
    verdict: z
      .enum(VERDICTS, {
        error: ({ input }) =>
          input === 'ask'
            ? '`ask` is not possible in a rulebook: retries belong to `retry` of the request, and what is left is held'
            : undefined,
      })
      .optional()
      .meta({ default: 'retry' })
      .describe('The decision. `abort` stops the whole round.'),
  })
  .meta({ id: 'RulebookRule', description: 'All matchers of a rule must hold; its actions then apply.' });

export const rulebookSchema = z
  .strictObject({
    rules: z.array(rulebookRuleSchema).min(1).describe('The first specific rule that matches applies.'),
  })
  .meta({ id: 'Rulebook', description: 'What failures of the jobs of a request mean.' });

export type RulebookSpec = z.infer<typeof rulebookSchema>;
