import { z } from 'zod';
import { nameText } from './scalars.ts';

const value = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a text, a number, true or false',
});

export const parameterName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'a parameter name has letters, digits and _ only' });

const globSchema = z
  .strictObject({
    glob: nameText.describe('A pattern with `*`, `?` and `**`, relative to the spec.'),
    as: z
      .enum(['path', 'name', 'stem'])
      .optional()
      .meta({ default: 'path' })
      .describe(
        'The path, its last part, or that without the ending of the pattern (`a` of `data/a.fq` for `data/*.fq`).',
      ),
  })
  .meta({ id: 'GlobValues', description: 'Names of files as values of a parameter, sorted.' });

const linesSchema = z
  .strictObject({ lines: nameText.describe('Path of the file, relative to the spec.') })
  .meta({
    id: 'LineValues',
    description:
      'Lines of a file as values of a parameter, without empty ones and those that begin with `#`.',
  });

/** Values of a sweep, by parameter. */
export const parametersSchema = z.record(
  parameterName,
  z.union([z.string(), z.array(value), globSchema, linesSchema], {
    error:
      'expected a range such as "1:100" or "0:1:0.1", a text such as "[a,b]", a list, {glob: PATTERN} or {lines: FILE}',
  }),
);

const combinations = z.array(z.record(parameterName, value)).min(1);

export const tablePath = nameText;

/** Keys of everything that can be swept. */
export const sweepKeys = {
  parameters: parametersSchema
    .optional()
    .describe(
      'Values to sweep over: `"1:100"` and `"0:1:0.1"` (both ends included), `"[a,b]"`, a list, `{glob: "data/*.fq", as: stem}` or `{lines: samples.txt}`. `{i}`, `{i:03d}` and `{x:.2f}` in texts are replaced; `${i}` is left to the shell.',
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
  exclude: combinations
    .optional()
    .describe(
      'Combinations to leave out, as `{i: 3, x: a}`; one that names some parameters leaves out all with these.',
    ),
  include: combinations.optional().describe('Combinations to add, each with a value for every parameter.'),
  parameters_file: tablePath
    .optional()
    .describe(
      'A table instead of `parameters`: a CSV file with a header, a JSON list of objects, or JSON lines; relative to the spec. One for each row; columns are parameters.',
    ),
  use_parameters_file: z
    .boolean()
    .optional()
    .meta({ default: false })
    .describe('Sweep over the `parameters_file` of the workflow.'),
};
