import { z } from 'zod';
import { actionSchema } from './action-schema.ts';
import { failureHandlerSchema } from './failure-handler-schema.ts';
import { fileSchema } from './file-schema.ts';
import { jobSchema } from './job-schema.ts';
import { parametersSchema } from './parameters-schema.ts';
import { requirementSchema } from './requirement-schema.ts';
import { resourceMonitorSchema } from './resource-monitor-schema.ts';
import { retrySchema } from './retry-schema.ts';
import { routingSchema } from './routing-schema.ts';
import { environment, nameText, positiveCount } from './scalars.ts';
import { slurmDefaultsSchema, slurmSchedulerSchema } from './slurm-schema.ts';
import { stepSchema } from './step-schema.ts';
import { userDataSchema } from './user-data-schema.ts';

/** JavaScript sorts keys that are whole numbers, and the order of steps counts. */
const stepId = nameText.refine((id) => !/^(?:0|[1-9]\d*)$/.test(id), {
  error: 'a step id must not be a number, because numbers lose their order; write step-1',
});

/** The whole file: `jobs` or `steps`, and what they share. */
export const workflowSchema = z
  .strictObject({
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
    metadata: z.record(z.string(), z.unknown()).optional().describe('Anything else to keep with it.'),
    parameters: parametersSchema
      .optional()
      .describe('Sweeps that jobs, files and user data share with `use_parameters`.'),
    variables: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Values for `${variables.X}` in jobs and `{{ variables.X }}` in steps.'),
    env: environment.optional().describe('Environment variables of every job.'),
    files: z.array(fileSchema).optional().describe('Files that jobs read and write, by name.'),
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
      .describe('Allocations on a Slurm cluster, by name.'),
    slurm_defaults: slurmDefaultsSchema.optional().describe('Options of every allocation.'),
    resource_monitor: resourceMonitorSchema.optional().describe('Sampling of what jobs use.'),
    actions: z.array(actionSchema).optional().describe('Things to do at moments of the workflow.'),
    jobs: z.array(jobSchema).min(1).optional().describe('The jobs, as a list. Bare durations are seconds.'),
    steps: z
      .record(stepId, stepSchema)
      .refine((steps) => Object.keys(steps).length > 0, { error: 'there is no step' })
      .optional()
      .describe('The steps, by id. Bare durations are milliseconds.'),
  })
  .meta({ id: 'Workflow', description: 'A workflow: either `jobs` or `steps`, and what they share.' });

export type WorkflowSpec = z.infer<typeof workflowSchema>;
