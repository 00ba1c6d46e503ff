import { z } from 'zod';

const value = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a text, a number, true or false',
});

export const parameterName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'a parameter name has letters, digits and _ only' });

/** Values of a sweep, by parameter. */
export const parametersSchema = z.record(
  parameterName,
  z.union([z.string(), z.array(value)], {
    error: 'expected a range such as "1:100" or "0:1:0.1", a text such as "[a,b]", or a list',
  }),
);

/** Keys of everything that can be swept. */
export const sweepKeys = {
  parameters: parametersSchema
    .optional()
    .describe(
      'Values to sweep over: `"1:100"` and `"0:1:0.1"` (both ends included), `"[a,b]"`, or a list. `{i}`, `{i:03d}` and `{x:.2f}` in texts are replaced; `${i}` is left to the shell.',
    ),
  parameter_mode: z
    .enum(['product', 'zip'])
    .optional()
    .meta({ default: 'product' })
    .describe('How several parameters combine: every combination (the first varies slowest), or in step.'),
  use_parameters: z
    .array(parameterName)
    .optional()
    .describe('Names of workflow `parameters` to sweep over, before its own.'),
};
