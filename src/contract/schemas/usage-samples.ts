import { z } from 'zod';
import { type AttemptSamples, MOST_SAMPLES } from '../../core/job/usage-samples.ts';
import { schemaFor } from '../schema-for.ts';
import { amount, id } from './scalars.ts';

export const usageSamples = z
  .array(
    z
      .object({
        at_ms: amount.describe('Milliseconds since the attempt started.'),
        rss_bytes: amount,
        cpu_ms: amount.describe('Processor time up to this moment.'),
      })
      .meta({ id: 'UsageSample' }),
  )
  .max(MOST_SAMPLES);

export const attemptSamples = schemaFor<AttemptSamples>()(
  z
    .object({
      job_id: id,
      run_id: id,
      attempt_id: z.int(),
      samples: usageSamples.describe('Oldest first; empty where none were kept.'),
    })
    .meta({ id: 'AttemptSamples' }),
);
