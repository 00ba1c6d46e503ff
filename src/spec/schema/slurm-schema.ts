import { z } from 'zod';
import { nameText, positiveCount } from './scalars.ts';

const textOrNumber = z.union([z.string(), z.number()], { error: 'expected a text or a number' });

export const slurmSchedulerSchema = z
  .strictObject({
    name: nameText.describe('How jobs and actions refer to it. Its workers have the label `slurm:NAME`.'),
    account: nameText.optional().describe('Account to charge.'),
    partition: nameText.optional().describe('Partition to use.'),
    nodes: positiveCount.optional().meta({ default: 1 }).describe('Nodes of one allocation.'),
    walltime: textOrNumber
      .optional()
      .describe(
        'Length of an allocation, as Slurm writes it: `90` (minutes), `04:00:00`, `1-12`, `UNLIMITED`; or a duration such as `4h`.',
      ),
    gres: z.string().optional().describe('Generic resources, such as `gpu:2`.'),
    mem: textOrNumber
      .optional()
      .describe('Memory per node: megabytes, or with K, M, G, T; `0` is all of it.'),
    qos: nameText.optional().describe('Quality of service.'),
    tmp: textOrNumber.optional().describe('Local disk per node, written as memory is.'),
    ntasks_per_node: positiveCount
      .optional()
      .describe('Tasks per node. With `cpus-per-task`, the CPUs of a node.'),
    serialize_allocations: z
      .boolean()
      .optional()
      .describe('The next allocation begins when the one before has ended.'),
    extra: z
      .string()
      .optional()
      .describe('More options for `sbatch`, split into words as a shell does; nothing is expanded.'),
  })
  .meta({ id: 'SlurmScheduler', description: 'Allocations in which workers run jobs.' });

export type SlurmSchedulerSpec = z.infer<typeof slurmSchedulerSchema>;

export const slurmDefaultsSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], { error: 'expected a text, a number, true or false' }),
);
