import { z } from 'zod';
import { commandText, timeLimit } from './scalars.ts';

export const postSchema = z.union(
  [
    commandText,
    z
      .strictObject({
        command: commandText.describe('Run after every attempt, successful or not.'),
        timeout: timeLimit.optional().meta({ default: '10m' }).describe('Time it may take.'),
      })
      .meta({
        id: 'Post',
        description:
          'A script that evaluates an attempt: 0 accepts, 42 is permanent, 43 aborts the workflow, anything else is a failure.',
      }),
  ],
  { error: 'expected a command, or an object with `command`' },
);

export type PostSpec = z.infer<typeof postSchema>;
