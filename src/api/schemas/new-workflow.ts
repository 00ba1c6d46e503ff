import { z } from 'zod';
import type { RoutingOverrides } from '../../core/routing-overrides.ts';
import { schemaFor } from '../schema-for.ts';

/** The largest spec that is read. */
export const MOST_SPEC_CHARACTERS = 4 * 1024 * 1024;

const count = z.int().min(0).max(1_000_000);

const retryDefaults = z.strictObject({
  max_retries_failure: count.exactOptional(),
  max_retries_preemption: count.exactOptional(),
  initial_retry_delay_ms: z.number().min(0).exactOptional(),
  max_retry_delay_ms: z.number().min(0).exactOptional(),
  backoff_multiplier: z.number().min(1).exactOptional(),
  retry_on_exit_codes: z.array(z.int()).max(1000).exactOptional(),
  no_retry_on_exit_codes: z.array(z.int()).max(1000).exactOptional(),
  retry_on_timeout: z.boolean().exactOptional(),
  jitter: z.enum(['none', 'full', 'equal']).exactOptional(),
  jitter_seed: z.int().exactOptional(),
});

const overrides = schemaFor<RoutingOverrides>()(
  z.strictObject({
    maxLoops: count.exactOptional(),
    retryMax: count.exactOptional(),
    noFailureRouting: z.boolean().exactOptional(),
    context: z.strictObject({ pr: z.unknown(), files: z.unknown() }).exactOptional(),
  }),
);

const path = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'must not have a zero byte');

export const newWorkflow = z
  .strictObject({
    spec: z
      .union([z.string().min(1).max(MOST_SPEC_CHARACTERS), z.record(z.string(), z.unknown())])
      .describe('The text of a spec file, or a spec as an object.'),
    file_name: z
      .string()
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('Its extension tells the format of the text; YAML, which JSON is too, unless told.'),
    cwd: path
      .exactOptional()
      .describe('Where jobs run; a relative path is seen from where a worker was started.'),
    output_dir: path.exactOptional().describe('Where logs are kept; `output` unless told.'),
    retry_defaults: retryDefaults.exactOptional().describe('Stand behind those of the spec.'),
    overrides: overrides.exactOptional().describe('What counts instead of the routing of the spec.'),
  })
  .meta({ id: 'NewWorkflow' });
