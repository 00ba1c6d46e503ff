import { z } from 'zod';
import { CLAIM_ORDERS } from '../../core/placement/claim-order.ts';
import { notifySchema } from '../notify/notify-schema.ts';
import { SPEC_KINDS } from '../read-kind.ts';
import { didYouMean } from '../suggest.ts';
import { actionSchema } from './action-schema.ts';
import { executionConfigSchema } from './execution-config-schema.ts';
import { failureHandlerSchema } from './failure-handler-schema.ts';
import { declaredFileKeys, fileSchema } from './file-schema.ts';
import { jobSpecSchema } from './job-schema.ts';
import { parametersSchema, tablePath } from './parameters-schema.ts';
import { requirementSchema } from './requirement-schema.ts';
import { resourceMonitorSchema } from './resource-monitor-schema.ts';
import { retrySchema } from './retry-schema.ts';
import { routingSchema } from './routing-schema.ts';
import { accessGroups, count, environment, nameText, positiveCount } from './scalars.ts';
import { shellSchema } from './shell-schema.ts';
import { slurmDefaultsSchema, slurmSchedulerSchema } from './slurm-schema.ts';
import { stepSchema } from './step-schema.ts';
import { userDataSchema } from './user-data-schema.ts';

/** JavaScript sorts keys that are whole numbers, and the order of steps counts. */
const stepId = nameText.refine((id) => !/^(?:0|[1-9]\d*)$/.test(id), {
  error: 'a step id must not be a number, because numbers lose their order; write step-1',
});

/** The whole file: `jobs` or `steps`, and what they share. */
export const workflowSpecSchema = z
  .strictObject({
    kind: z
      .literal('workflow', {
        error: ({ input }) =>
          `expected workflow or request, got ${JSON.stringify(input)}${didYouMean(String(input), SPEC_KINDS)}`,
      })
      .optional()
      .describe('`workflow`, or `request` for [a request](requests.md).'),
    version: z
      .union([z.literal('1.0'), z.literal('2.0'), z.literal(1), z.literal(2)], {
        error: 'expected "1.0" or "2.0"',
      })
      .optional()
      .describe('Version of the notation of `steps`.'),
    name: nameText.optional().describe('Name of the workflow; the name of the file unless given.'),
    description: z.string().optional().describe('What it is for.'),
    user: nameText.optional().describe('Who it belongs to.'),
    project: nameText.optional().describe('What it belongs to.'),
    metadata: z
      .union([z.record(z.string(), z.unknown()), z.string()], {
        error: 'expected an object with keys, or a text',
      })
      .optional()
      .describe('Anything else to keep with it: an object, or a text, which may be JSON.'),
    parameters: parametersSchema
      .optional()
      .describe('Sweeps that jobs, files and user data share with `use_parameters`.'),
    parameters_file: tablePath
      .optional()
      .describe('A table that jobs, files and user data share with `use_parameters_file: true`.'),
    variables: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Values for `{X}` in every text; also `${variables.X}` in jobs and `{{ variables.X }}` in steps.',
      ),
    env: environment.optional().describe('Environment variables of every job.'),
    shell: shellSchema
      .optional()
      .meta({ default: 'bash' })
      .describe(
        'What runs the commands of jobs and steps: `bash`, `strict` (`bash -euo pipefail -c`), or a command line of your own as a list, such as `[python3, -c]`. See [Shells](#shells).',
      ),
    files: z.array(fileSchema).optional().describe('Files that jobs read and write, by name.'),
    ...declaredFileKeys,
    user_data: z.array(userDataSchema).optional().describe('Small values that jobs read and set, by name.'),
    resource_requirements: z
      .array(requirementSchema)
      .optional()
      .describe('What jobs need, by name. At a job: a name, or an object.'),
    limits: z
      .record(nameText, positiveCount)
      .optional()
      .describe('How much of each named resource there is, over all jobs.'),
    max_parallel: positiveCount.optional().describe('Jobs that may run at the same time.'),
    jobs_sort_method: z
      .enum(CLAIM_ORDERS)
      .optional()
      .meta({ default: 'none' })
      .describe(
        'Which of the ready jobs of one priority start first: those that ask for the most GPUs, then the most runtime or memory. `none`: as written.',
      ),
    execution_config: executionConfigSchema.optional().describe('How jobs are started and ended.'),
    failure_handlers: z
      .array(failureHandlerSchema)
      .optional()
      .describe('Rules for particular failures, by name.'),
    retry_defaults: retrySchema.optional().describe('What `retry` of a job fills in from.'),
    use_pending_failed: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('A failure that nothing here decides waits for a decision (`pending_failed`).'),
    routing: routingSchema.optional().describe('Settings of failure routing.'),
    order: z
      .enum(['written', 'graph'])
      .optional()
      .meta({ default: 'written' })
      .describe('Where no step has `depends_on`: one after another as written, or all at once (`graph`).'),
    slurm_schedulers: z
      .array(slurmSchedulerSchema)
      .optional()
      .describe('Allocations on a Slurm cluster, by name. See [Slurm](slurm.md).'),
    slurm_defaults: slurmDefaultsSchema
      .optional()
      .describe(
        'Options of `sbatch` for every allocation, by long name; keys of a scheduler take precedence.',
      ),
    resource_monitor: resourceMonitorSchema.optional().describe('Sampling of what jobs use.'),
    compute_node_expiration_buffer_seconds: count
      .optional()
      .meta({ default: 30 })
      .describe('Workers in allocations end their jobs, as timeouts, so long before the end.'),
    compute_node_wait_for_new_jobs_seconds: count
      .optional()
      .meta({ default: 300 })
      .describe('They leave when they have had nothing to do for so long.'),
    compute_node_ignore_workflow_completion: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('They stay when the workflow is complete.'),
    compute_node_wait_for_healthy_database_minutes: count
      .optional()
      .describe('Not used: the setting `lease` is how long workers keep jobs without contact.'),
    compute_node_min_time_for_new_jobs_seconds: count
      .optional()
      .meta({ default: 60 })
      .describe('They take no job when less than this is left of the allocation.'),
    enable_ro_crate: z.boolean().optional().describe('Not used: no RO-Crate is written.'),
    access_groups: accessGroups
      .optional()
      .describe(
        'On a server with tokens: groups whose members may see and change the workflow, as its owner may. (default: only the owner changes it, everybody sees it)',
      ),
    actions: z.array(actionSchema).optional().describe('Things to do at moments of the workflow.'),
    notify: z
      .array(notifySchema)
      .optional()
      .describe(
        'Who is notified of failures, decisions to make and ends. See [Notifications](notifications.md).',
      ),
    jobs: z
      .array(jobSpecSchema)
      .min(1)
      .optional()
      .describe('The jobs, as a list. Bare durations are seconds.'),
    steps: z
      .record(stepId, stepSchema)
      .refine((steps) => Object.keys(steps).length > 0, { error: 'there is no step' })
      .optional()
      .describe('The steps, by id. Bare durations are milliseconds.'),
  })
  .meta({ id: 'Workflow', description: 'A workflow: either `jobs` or `steps`, and what they share.' });

export type WorkflowSpec = z.infer<typeof workflowSpecSchema>;
