import { z } from 'zod';
import { newWorkflowSchema } from '../new-workflow.ts';

export const specCheckRequest = newWorkflowSchema
  .pick({ spec: true, file_name: true, retry_defaults: true, set: true, files: true })
  .meta({ id: 'SpecCheckRequest' });

const specPlace = z
  .object({ line: z.int(), column: z.int(), path: z.string(), message: z.string() })
  .meta({ id: 'SpecPlace' });

/** What `validate` and `plan` would print of a spec. */
export const specCheck = z
  .object({
    kind: z.enum(['workflow', 'request']),
    valid: z.boolean(),
    name: z.string().nullable().describe('null: the spec has mistakes.'),
    jobs: z.int().describe('How many jobs the workflow would have; 0 for a request.'),
    problems: z.array(specPlace).describe('Mistakes in the order of the text, at most 100.'),
    warnings: z.array(specPlace),
    notes: z.array(specPlace).describe('Keys that are accepted and have no effect here.'),
    groups: z
      .array(
        z.object({
          label: z.string().describe('Names of its jobs with `*` for numbers.'),
          jobs: z.int(),
          sample: z.string().describe('Name of its first job.'),
          on_call: z.boolean(),
          wave: z.int().describe('From 1; a group is in the wave after all that it waits for.'),
          after: z.array(z.string()).describe('Labels of groups that it waits for.'),
        }),
      )
      .describe('The plan in groups, by wave; at most 300.'),
    left_off: z.int().describe('Groups that are not in the answer.'),
  })
  .meta({ id: 'SpecCheck' });
