import { z } from 'zod';
import { nameText, positiveCount } from './scalars.ts';

const textOrNumber = z.union([z.string(), z.number()], { error: 'expected a text or a number' });

export const slurmSchedulerSchema = z
  .strictObject({
    name: nameText.describe('How jobs and actions refer to it.'),
    account: nameText.optional().describe('Account to charge.'),
    partition: nameText.optional().describe('Partition to use.'),
    nodes: positiveCount.optional().meta({ default: 1 }).describe('Nodes of one allocation.'),
    walltime: textOrNumber.optional().describe('Length of an allocation, as Slurm writes it (`04:00:00`).'),
    gres: z.string().optional().describe('Generic resources, such as `gpu:2`.'),
    mem: textOrNumber.optional().describe('Memory per node.'),
    qos: nameText.optional().describe('Quality of service.'),
    tmp: textOrNumber.optional().describe('Local disk per node.'),
    ntasks_per_node: positiveCount.optional().describe('Tasks per node.'),
    extra: z.string().optional().describe('More options for `sbatch`, as written.'),
  })
  .meta({ id: 'SlurmScheduler', description: 'Allocations in which workers run jobs.' });

export const slurmDefaultsSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], { error: 'expected a text, a number, true or false' }),
);
