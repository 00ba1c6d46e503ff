import { z } from 'zod';
import { nameText, positiveCount, sizeLimit, timeLimit } from './scalars.ts';

export const requirementKeys = {
  num_cpus: z.number().positive().optional().describe('CPUs the job occupies; parts of one are possible.'),
  memory: sizeLimit.optional().describe('Memory the job may use; more ends it (cause oom).'),
  num_gpus: z.int().min(0).optional().meta({ default: 0 }).describe('GPUs the job occupies.'),
  num_nodes: positiveCount.optional().meta({ default: 1 }).describe('Machines the job spans.'),
  runtime: timeLimit.optional().describe('Time one attempt may take; more ends it (cause timeout).'),
};

export const inlineRequirementSchema = z
  .strictObject(requirementKeys)
  .meta({ id: 'InlineRequirement', description: 'What one job needs, written at the job.' });

export const requirementSchema = z
  .strictObject({ name: nameText.describe('How jobs refer to it.'), ...requirementKeys })
  .meta({ id: 'ResourceRequirement', description: 'What jobs need to run; limits are enforced.' });

export type RequirementSpec = z.infer<typeof inlineRequirementSchema>;
