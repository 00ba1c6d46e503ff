import { z } from 'zod';
import { id } from '../scalars.ts';
import { workflowStatus } from '../workflow-records.ts';

/** Jobs whose names differ in numbers only, such as those of a sweep or of the items of a forEach. */
const jobGroup = z
  .object({
    label: z.string().describe('Their name with `*` for numbers, as in `train_*` or `p@list[*]`.'),
    on_call: z.boolean().describe('They run only when a route calls them.'),
    jobs: z.int(),
    counts: workflowStatus.shape.counts,
    recovered: z.int().describe('Completed jobs of which an attempt of the run had failed or was lost.'),
    cpus_in_use: z.number().describe('CPUs that jobs under way were given; 1 for a job that asks for none.'),
    first_job_id: id,
    mean_success_ms: z
      .number()
      .nullable()
      .describe('Of their successes among the last of the run; null: none of these is theirs.'),
  })
  .meta({ id: 'GraphGroup' });

const index = z.int().min(0).describe('Position in `groups`.');

/** A workflow as a graph of groups: as small for 100,000 jobs as for ten. */
export const workflowGraph = z
  .object({
    groups: z.array(jobGroup).describe('In the order of their first jobs.'),
    edges: z
      .array(z.object({ from: index, to: index }))
      .describe('Some job of `to` waits for one of `from`.'),
    routes: z
      .array(
        z.object({
          from: index,
          to: index,
          key: z.enum(['on_fail', 'on_success']),
          kind: z.enum(['run', 'goto']),
        }),
      )
      .describe('Routes of the first job of each group, as far as they are written down.'),
    left_off: z.int().describe('Jobs of groups that are not in the answer.'),
  })
  .meta({ id: 'WorkflowGraph' });
