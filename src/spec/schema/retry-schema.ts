import { z } from 'zod';
import { DEFAULT_RETRY } from '../../core/policy/retry-policy.ts';
import { count, duration, exitCode } from './scalars.ts';

export const retrySchema = z
  .strictObject({
    max_retries_failure: count
      .optional()
      .meta({ default: DEFAULT_RETRY.max_retries_failure })
      .describe('How often a failed job is tried again.'),
    max_retries_preemption: count
      .optional()
      .meta({ default: DEFAULT_RETRY.max_retries_preemption })
      .describe('How often a job is started again after its worker was lost; such losses are not failures.'),
    initial_retry_delay_ms: count
      .optional()
      .meta({ default: DEFAULT_RETRY.initial_retry_delay_ms })
      .describe('Wait before the first retry, in milliseconds.'),
    max_retry_delay_ms: count
      .optional()
      .meta({ default: DEFAULT_RETRY.max_retry_delay_ms })
      .describe('No wait is longer than this, in milliseconds.'),
    initial_delay: duration
      .optional()
      .describe('`initial_retry_delay_ms` in another spelling: a duration, or seconds.'),
    max_delay: duration
      .optional()
      .describe('`max_retry_delay_ms` in another spelling: a duration, or seconds.'),
    backoff_multiplier: z
      .number()
      .min(1)
      .optional()
      .meta({ default: DEFAULT_RETRY.backoff_multiplier })
      .describe('Each wait is this many times the one before.'),
    retry_on_exit_codes: z
      .array(exitCode)
      .optional()
      .meta({ default: [] })
      .describe('Retry only after these match codes; all of them if the list is empty.'),
    no_retry_on_exit_codes: z
      .array(exitCode)
      .optional()
      .meta({ default: [] })
      .describe('Never retry after these match codes; wins over the other list.'),
    retry_on_timeout: z
      .boolean()
      .optional()
      .meta({ default: DEFAULT_RETRY.retry_on_timeout })
      .describe('`false` does not retry an attempt that timed out.'),
    jitter: z
      .enum(['none', 'full', 'equal'])
      .optional()
      .meta({ default: DEFAULT_RETRY.jitter })
      .describe('Spread waits: over all of the wait (`full`) or its second half (`equal`).'),
    jitter_seed: z
      .int()
      .optional()
      .meta({ default: DEFAULT_RETRY.jitter_seed })
      .describe('The same seed gives the same waits.'),
  })
  .meta({ id: 'Retry', description: 'When and how often a job is tried again, with backoff.' });

export type RetrySpec = z.infer<typeof retrySchema>;
