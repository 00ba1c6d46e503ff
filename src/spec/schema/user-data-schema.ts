import { z } from 'zod';
import { sweepKeys } from './parameters-schema.ts';
import { nameText } from './scalars.ts';

export const userDataSchema = z
  .strictObject({
    name: nameText.describe('How jobs refer to the value.'),
    data: z.unknown().optional().describe('Its first value, any JSON; none unless given.'),
    is_ephemeral: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Put back to its first value when the job that sets it starts over in a new run.'),
    ...sweepKeys,
  })
  .meta({ id: 'UserData', description: 'A small value that jobs pass to each other through the store.' });

export type UserDataSpec = z.infer<typeof userDataSchema>;
