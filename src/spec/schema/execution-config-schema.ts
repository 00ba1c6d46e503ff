import { z } from 'zod';
import { signalNumber } from '../../core/job/outcome.ts';
import { count, nameText } from './scalars.ts';
import { stdioSchema } from './stdio-schema.ts';

const signalName = z.string().refine((name) => signalNumber(name.toUpperCase()) > 0, {
  error: (issue) => `${JSON.stringify(issue.input)} is not a signal; write SIGTERM or TERM`,
});

export const executionConfigSchema = z
  .strictObject({
    mode: z
      .enum(['direct', 'slurm', 'auto'])
      .optional()
      .meta({ default: 'direct' })
      .describe(
        '`slurm` starts jobs with `srun`, as steps of the allocation of their worker; elsewhere, and with `auto`, they are started directly.',
      ),
    limit_resources: z
      .boolean()
      .optional()
      .meta({ default: true })
      .describe('`limit_resources` of jobs that do not have it.'),
    termination_signal: signalName
      .optional()
      .meta({ default: 'SIGTERM' })
      .describe('The signal that a job gets first when it has to end.'),
    sigterm_lead_seconds: count
      .optional()
      .describe('Seconds between that signal and SIGKILL (default: the setting `grace`).'),
    stdio: stdioSchema.optional().describe('Where the output of jobs is kept, unless a job says otherwise.'),
    timeout_exit_code: count
      .optional()
      .meta({ default: 152 })
      .describe('The match code of a timeout. It is always 152; another number gives a note.'),
    oom_exit_code: count
      .optional()
      .meta({ default: 137 })
      .describe('The match code of an attempt that ran out of memory. It is always 137.'),
    sigkill_headroom_seconds: count
      .optional()
      .describe(
        'Seconds between SIGKILL and the end of an allocation, unless `compute_node_expiration_buffer_seconds` is given.',
      ),
    staggered_start: z
      .boolean()
      .optional()
      .describe('Workers that start together always spread their starts; `false` gives a note.'),
    srun_termination_signal: z
      .string()
      .regex(/^(?:SIG)?[A-Z0-9+-]+(?:@\d+)?$/i, { error: 'expected a signal and seconds such as TERM@120' })
      .optional()
      .describe('`--signal` of `srun`, such as `TERM@120`. With `mode: slurm`.'),
    srun_mpi: nameText.optional().describe('`--mpi` of `srun`. With `mode: slurm`.'),
    enable_cpu_bind: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Lets `srun` bind jobs to CPUs. With `mode: slurm`.'),
  })
  .meta({ id: 'ExecutionConfig', description: 'How jobs are started and ended. For `jobs` only.' });
