import { z } from 'zod';
import { JOB_STATUSES } from '../../core/job/job-status.ts';
import type { Category, Cause, Outcome } from '../../core/job/outcome.ts';
import { schemaFor } from '../schema-for.ts';

/** Milliseconds since the epoch, or a time span. */
export const millis = z.number();
export const id = z.int().positive();

export const OWNER = 'The name of the token that created it; empty: nobody is known.';
export const MAY_CHANGE = 'Whether the caller may change it; absent where no server answers.';
export const GROUPS = 'Members of these groups may see and change it; empty: everybody may see it.';

/**
 * What a client says of a time or a size is stored as a whole number, also after a time was moved by what clocks
 * differ. A fraction is no reason to refuse a worker's report.
 */
export const amount = z.number().min(0).max(4e15).overwrite(Math.round);

/** Zod wants a tuple, and the names are a list made from an object. */
export const jobStatus = z.enum(JOB_STATUSES).meta({ id: 'JobStatus' });

export const cause = schemaFor<Cause>()(
  z.enum(['exit', 'signal', 'timeout', 'oom', 'missing_output', 'spawn', 'lost', 'stopped', 'canceled']),
);

export const category = schemaFor<Category>()(z.enum(['transient', 'permanent', 'data', 'infrastructure']));

/** Longer texts than these are nobody's honest report. */
const TEXT = 10_000;

export const outcomeSchema = schemaFor<Outcome>()(
  z
    .strictObject({
      exit_code: z
        .int()
        .min(-(2 ** 31))
        .max(2 ** 32)
        .nullable(),
      signal: z.string().max(32).nullable(),
      timed_out: z.boolean(),
      time_limit_ms: millis.exactOptional(),
      oom: z.boolean(),
      oom_evidence: z.enum(['cgroup', 'sampler', 'sigkill_near_limit']).nullable(),
      lost: z.boolean(),
      allocation_ended: z.literal(true).exactOptional(),
      stopped: z.boolean(),
      canceled: z.boolean(),
      missing_outputs: z.array(z.string().max(TEXT)).max(10_000),
      spawn_error: z.string().max(TEXT).nullable(),
    })
    .meta({ id: 'Outcome' }),
);

/** A job by its number or its name. */
export const jobInBody = z.union([id, z.string().min(1).max(1000)]);

/** What a person says about a change. */
export const reason = z.string().max(2000);

export function page<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.int().nullable() });
}

/** A short text that a worker says of itself. */
export const word = z
  .string()
  .max(200)
  .regex(/^[^\0]*$/);
