import { z } from 'zod';
import { signalNumber } from '../../core/job/outcome.ts';
import { parseSize } from '../../core/text/quantity.ts';
import { commandText, count, duration, exitCode, nameText, sizeLimit, timeLimit } from './scalars.ts';

const CATEGORIES = ['transient', 'permanent', 'data', 'infrastructure'] as const;
const CAUSES = ['exit', 'signal', 'timeout', 'oom', 'missing_output', 'spawn'] as const;

/** A code, or a range of codes; of any size, because reports have larger ones than processes. */
export const codeOrRange = z
  .union([exitCode, z.string().regex(/^\s*\d+\s*-\s*\d+\s*$/)], {
    error: 'expected an exit code, or a range such as "10-19"',
  })
  .refine((code) => typeof code === 'number' || rangeIsAscending(code), {
    error: 'the range must begin with its smaller number',
  });

/** Also used for the codes of reports, which are not limited to 255. */
export function rangeIsAscending(range: string): boolean {
  const [low, high] = range.split('-').map(Number);
  return low! <= high!;
}

const signalName = z.string().refine((name) => signalNumber(name.toUpperCase()) > 0, {
  error: (issue) => `${JSON.stringify(issue.input)} is not a signal; write SIGSEGV or SEGV`,
});

const factor = /^x(?=.*[1-9])\d+(\.\d+)?$/;
const sizeChange = z
  .union([z.string(), z.number()], { error: 'expected "x1.5" or a size' })
  .refine((change) => factor.test(String(change)) || (parseSize(change) ?? 0) > 0, {
    error: 'expected a factor such as "x1.5" or a size such as 4g',
  });
const durationChange = z.union([z.string().regex(factor), timeLimit], {
  error: 'expected a factor such as "x1.5" or a duration such as 2h',
});

export const failureRuleSchema = z
  .strictObject({
    exit_codes: z
      .array(codeOrRange)
      .optional()
      .describe('Match codes it applies to: numbers, and ranges such as `"10-19"`.'),
    match_all_exit_codes: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe(
        'Applies to every failure for which no specific rule does; with `exit_codes`, also to other codes.',
      ),
    signals: z.array(signalName).optional().describe('Signals it applies to, such as `SIGSEGV`.'),
    stderr: z.string().optional().describe('A pattern (RE2) to be found in the last 200 lines of stderr.'),
    causes: z.array(z.enum(CAUSES)).optional().describe('Causes it applies to.'),
    categories: z.array(z.enum(CATEGORIES)).optional().describe('Categories it applies to.'),
    recovery_script: commandText.optional().describe('A command to run once before the retry.'),
    timeout: duration.optional().meta({ default: '10m' }).describe('Time that `recovery_script` may take.'),
    max_retries: count.optional().meta({ default: 3 }).describe('Executions in all, the first included.'),
    category: z.enum(CATEGORIES).optional().describe('The category of failures it applies to.'),
    delay: duration.optional().describe('Wait before the retry.'),
    memory: sizeChange.optional().describe('Memory of the retry: a factor such as `x1.5`, or a size.'),
    runtime: durationChange.optional().describe('Runtime of the retry: a factor, or a duration.'),
    max_memory: sizeLimit.optional().describe('`memory` never goes beyond this.'),
    max_runtime: timeLimit.optional().describe('`runtime` never goes beyond this.'),
    verdict: z
      .enum(['retry', 'fail', 'ask', 'abort', 'accept'])
      .optional()
      .meta({ default: 'retry' })
      .describe('What is done; `ask` needs `use_pending_failed`.'),
    mode: z
      .enum(['act', 'observe'])
      .optional()
      .meta({ default: 'act' })
      .describe('`observe` records that the rule applied; the rules after it are tried all the same.'),
  })
  .meta({ id: 'FailureRule', description: 'All matchers of a rule must hold; its actions then apply.' });

export type FailureRuleSpec = z.infer<typeof failureRuleSchema>;

export const failureHandlerSchema = z
  .strictObject({
    name: nameText.describe('How jobs refer to it.'),
    rules: z.array(failureRuleSchema).min(1).describe('The first specific rule that matches applies.'),
  })
  .meta({ id: 'FailureHandler', description: 'What to do about particular failures.' });
