import { z } from 'zod';
import { WORKFLOW_EXECUTORS } from '../../core/allocation/executor.ts';
import type { RoutingOverrides } from '../../core/policy/routing-overrides.ts';
import { LONGEST_PATTERN } from '../../core/selection/selection.ts';
import { MOST_TARGETS } from '../../core/selection/until.ts';
import { schemaFor } from '../schema-for.ts';

/** The largest spec that any server reads; most take less. */
export const MOST_SPEC_CHARACTERS = 64 * 1024 * 1024;

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
    max_loops: count.exactOptional(),
    retry_max: count.exactOptional(),
    no_failure_routing: z.boolean().exactOptional(),
    ignore_missing_inputs: z.boolean().exactOptional(),
    context: z.strictObject({ pr: z.unknown(), files: z.unknown() }).exactOptional(),
  }),
);

export const path = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'must not have a zero byte');

export const specText = z
  .union([z.string().min(1).max(MOST_SPEC_CHARACTERS), z.record(z.string(), z.unknown())])
  .describe('The text of a spec file, or a spec as an object.');

const setting = z.union([z.string().max(1_000_000), z.number(), z.boolean()]);

export const settingsOfSpec = z
  .record(z.string().min(1).max(1000), z.union([setting, z.array(setting).max(1_000_000)]))
  .refine((settings) => Object.keys(settings).length <= 1000, 'must be at most 1000 values')
  .describe('Values of variables and parameters, instead of those that the spec has.');

/** At what a run is to end. */
export const targets = z
  .array(z.string().min(1).max(LONGEST_PATTERN))
  .min(1)
  .max(MOST_TARGETS)
  .describe('Jobs, patterns of jobs and declared output files; only what they need is run.');

/** The most items of one list. */
const MOST_ITEMS = 1_000_000;
const MOST_FILES = 100;

const fileName = z.string().min(1).max(4096);

/** A server cannot read the files of its clients. */
export const filesOfSpec = z
  .strictObject({
    texts: z
      .record(fileName, z.string().max(MOST_SPEC_CHARACTERS))
      .refine((texts) => Object.keys(texts).length <= MOST_FILES, `must be at most ${MOST_FILES} files`)
      .describe('Texts of files, by their paths in the spec.'),
    lists: z
      .record(fileName, z.array(fileName).max(MOST_ITEMS))
      .refine((lists) => Object.keys(lists).length <= MOST_FILES, `must be at most ${MOST_FILES} lists`)
      .describe('Files that match a pattern of the spec, by the pattern.'),
  })
  .describe('Files that the spec names.');

export const newWorkflowSchema = z
  .strictObject({
    spec: specText,
    file_name: z
      .string()
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('Its extension is the format of the text (default: YAML, of which JSON is a part).'),
    cwd: path
      .exactOptional()
      .describe('Where jobs run; a relative path is seen from where a worker was started.'),
    output_dir: path.exactOptional().describe('Where logs are kept (default: `output`).'),
    retry_defaults: retryDefaults
      .exactOptional()
      .describe('Fill in what the spec does not say; the configuration of the server fills in the rest.'),
    set: settingsOfSpec.exactOptional(),
    files: filesOfSpec.exactOptional(),
    executor: z
      .enum(WORKFLOW_EXECUTORS)
      .exactOptional()
      .describe(
        'Who runs its jobs (default: `slurm` if the spec has `slurm_schedulers` and the server a Slurm, else `workers`). `htcondor`: DAGMan; what it cannot do is refused with its place.',
      ),
    until: targets.exactOptional(),
    overrides: overrides
      .exactOptional()
      .describe('Overrides the routing of the spec and the check of its inputs.'),
  })
  .meta({ id: 'NewWorkflow' });
