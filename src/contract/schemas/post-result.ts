import { z } from 'zod';
import type { PostResult } from '../../core/job/post-result.ts';
import { schemaFor } from '../schema-for.ts';
import { amount, category } from './scalars.ts';

const text = z.string().max(10_000);

export const postResult = schemaFor<PostResult>()(
  z
    .strictObject({
      exit_code: z.int().nullable(),
      category: category.nullable(),
      bad_inputs: z.array(text).max(100_000),
      memory_bytes: amount.nullable(),
      runtime_ms: amount.nullable(),
      delay_ms: amount.nullable(),
      reason: text.nullable().describe('Which rule gave the result, and why.'),
      report_code: z.int().nullable().describe("`exit_code` of the job's report."),
      message: text.nullable().describe("`error_message` of the job's report."),
      problem: text.nullable(),
      log_tail: text.nullable().describe('The end of stderr of an attempt that failed.'),
    })
    .meta({ id: 'PostResult' }),
);
