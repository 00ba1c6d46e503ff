import { z } from 'zod';

/** What every refusal looks like. */
export const errorBody = z
  .object({
    error: z.object({
      code: z.string().describe('One of the codes of the list of errors; BUG for an unexpected one.'),
      message: z.string(),
      hint: z.string().describe('What to do next.'),
      fields: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .exactOptional()
        .describe('Every part of the request that is wrong.'),
    }),
  })
  .meta({ id: 'Error' });

export type ErrorBody = z.output<typeof errorBody>;
