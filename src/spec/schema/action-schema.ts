import { z } from 'zod';
import { ACTION_TRIGGERS } from '../../core/model/action.ts';
import { commandText, nameText, positiveCount } from './scalars.ts';

export const actionSchema = z
  .strictObject({
    trigger_type: z.enum(ACTION_TRIGGERS).describe('When it runs.'),
    action_type: z
      .enum(['run_commands', 'schedule_nodes', 'auto_schedule_on_ready_jobs'])
      .describe(
        '`run_commands`, or ask Slurm for allocations: at the moment of the trigger (`schedule_nodes`), or as long as ready jobs have no worker (`auto_schedule_on_ready_jobs`).',
      ),
    jobs: z.array(nameText).optional().describe('Jobs that the trigger watches.'),
    job_name_regexes: z.array(z.string()).optional().describe('Patterns (RE2) of jobs that it watches.'),
    commands: z.array(commandText).optional().describe('Commands of `run_commands`.'),
    scheduler: nameText
      .optional()
      .describe('A name from `slurm_schedulers`, for the actions that ask for allocations.'),
    scheduler_type: z
      .enum(['slurm', 'local'])
      .optional()
      .describe('Kind of that scheduler; only `slurm` is possible.'),
    num_allocations: positiveCount
      .optional()
      .meta({ default: 1 })
      .describe('Allocations to ask for; of `auto_schedule_on_ready_jobs`, most at the same time.'),
    start_one_worker_per_node: z.boolean().optional().describe('One worker on each node, not one in all.'),
    max_parallel_jobs: positiveCount.optional().describe('Jobs each worker runs at the same time.'),
    persistent: z
      .boolean()
      .optional()
      .describe(
        'Of `run_commands`: once on each worker of the run, not once in the run. Default: true for `on_worker_start` and `on_worker_complete`, else false. Of `schedule_nodes`: each time the trigger comes again.',
      ),
  })
  .meta({ id: 'Action', description: 'Something to do at a moment of the workflow.' });

export type ActionSpec = z.infer<typeof actionSchema>;
