import { z } from 'zod';
import { signalNumber } from '../../core/outcome.ts';
import { parseSize } from '../../core/quantity.ts';
import { commandText, count, duration, exitCode, nameText, size } from './scalars.ts';

const CATEGORIES = ['transient', 'permanent', 'data', 'infrastructure'] as const;
const CAUSES = ['exit', 'signal', 'timeout', 'oom', 'missing_output', 'spawn'] as const;

const exitCodeOrRange = z
  .union([exitCode, z.string().regex(/^\s*\d+\s*-\s*\d+\s*$/)], {
    error: 'expected an exit code, or a range such as "10-19"',
  })
  .refine((code) => typeof code === 'number' || rangeIsAscending(code), {
    error: 'the range must begin with its smaller number',
  });

function rangeIsAscending(range: string): boolean {
  const [low, high] = range.split('-').map(Number);
  return low! <= high!;
}

const signalName = z.string().refine((name) => signalNumber(name.toUpperCase()) > 0, {
  error: (issue) => `${JSON.stringify(issue.input)} is not a signal; write SIGSEGV or SEGV`,
});

const factor = /^x\d+(\.\d+)?$/;
const sizeChange = z
  .union([z.string(), z.number()], { error: 'expected "x1.5" or a size' })
  .refine((change) => factor.test(String(change)) || parseSize(change) !== undefined, {
    error: 'expected a factor such as "x1.5" or a size such as 4g',
  });
const durationChange = z.union([z.string().regex(factor), duration], {
  error: 'expected a factor such as "x1.5" or a duration such as 2h',
});

export const failureRuleSchema = z
  .strictObject({
    exit_codes: z
      .array(exitCodeOrRange)
      .optional()
      .describe('Match codes it applies to: numbers, and ranges such as `"10-19"`.'),
    match_all_exit_codes: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Applies to every failure for which no specific rule does.'),
    signals: z.array(signalName).optional().describe('Signals it applies to, such as `SIGSEGV`.'),
    stderr: z.string().optional().describe('A pattern (RE2) to be found in the last 200 lines of stderr.'),
    causes: z.array(z.enum(CAUSES)).optional().describe('Causes it applies to.'),
    categories: z.array(z.enum(CATEGORIES)).optional().describe('Categories it applies to.'),
    recovery_script: commandText.optional().describe('A command to run once before the retry.'),
    max_retries: count.optional().meta({ default: 3 }).describe('Executions in all, the first included.'),
    category: z.enum(CATEGORIES).optional().describe('The category of failures it applies to.'),
    delay: duration.optional().describe('Wait before the retry.'),
    memory: sizeChange.optional().describe('Memory of the retry: a factor such as `x1.5`, or a size.'),
    runtime: durationChange.optional().describe('Runtime of the retry: a factor, or a duration.'),
    max_memory: size.optional().describe('`memory` never goes beyond this.'),
    max_runtime: duration.optional().describe('`runtime` never goes beyond this.'),
    verdict: z
      .enum(['retry', 'fail', 'ask', 'abort', 'accept'])
      .optional()
      .meta({ default: 'retry' })
      .describe('What is done; `ask` needs `use_pending_failed`.'),
    mode: z
      .enum(['act', 'observe'])
      .optional()
      .meta({ default: 'act' })
      .describe('`observe` records that the rule applied, and goes on.'),
  })
  .meta({ id: 'FailureRule', description: 'All matchers of a rule must hold; its actions then apply.' });

export type FailureRuleSpec = z.infer<typeof failureRuleSchema>;

export const failureHandlerSchema = z
  .strictObject({
    name: nameText.describe('How jobs refer to it.'),
    rules: z.array(failureRuleSchema).min(1).describe('The first specific rule that matches applies.'),
  })
  .meta({ id: 'FailureHandler', description: 'What to do about particular failures.' });
