import { z } from 'zod';
import { ACTION_TRIGGERS } from '../../core/action.ts';
import { commandText, count, nameText, positiveCount } from './scalars.ts';

export const actionSchema = z
  .strictObject({
    trigger_type: z.enum(ACTION_TRIGGERS).describe('When it happens.'),
    action_type: z
      .enum(['run_commands', 'schedule_nodes', 'auto_schedule_on_ready_jobs'])
      .describe('What is done.'),
    jobs: z.array(nameText).optional().describe('Jobs that the trigger watches.'),
    job_name_regexes: z.array(z.string()).optional().describe('Patterns (RE2) of jobs that it watches.'),
    commands: z.array(commandText).optional().describe('Commands of `run_commands`.'),
    scheduler: nameText.optional().describe('Scheduler of `schedule_nodes`.'),
    scheduler_type: z.enum(['slurm', 'local']).optional().describe('Kind of that scheduler.'),
    num_allocations: positiveCount.optional().meta({ default: 1 }).describe('Allocations to ask for.'),
    start_one_worker_per_node: z.boolean().optional().describe('One worker on each node, not one in all.'),
    max_parallel_jobs: count.optional().describe('Jobs each worker runs at the same time.'),
    persistent: z.boolean().optional().describe('Happens again each time the trigger does.'),
  })
  .meta({ id: 'Action', description: 'Something to do at a moment of the workflow.' });

export type ActionSpec = z.infer<typeof actionSchema>;
