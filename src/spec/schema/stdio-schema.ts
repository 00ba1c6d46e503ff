import { z } from 'zod';
import { STDIO_MODES } from '../../core/job/stdio.ts';

export const stdioSchema = z
  .strictObject({
    mode: z
      .enum(STDIO_MODES)
      .optional()
      .meta({ default: 'separate' })
      .describe(
        '`separate`: stdout in a file `.o`, stderr in `.e`. `combined`: both in one file `.log`. `no_stdout`, `no_stderr` and `none` discard.',
      ),
    delete_on_success: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Removes the files of an attempt that succeeded.'),
  })
  .meta({ id: 'Stdio', description: 'Where stdout and stderr of a job are kept.' });

export type StdioSpec = z.infer<typeof stdioSchema>;
