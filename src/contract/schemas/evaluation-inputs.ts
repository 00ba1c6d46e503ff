import { z } from 'zod';
import type { EvaluationInputs, ForeachInput } from '../../core/job/evaluation.ts';
import { schemaFor } from '../schema-for.ts';
import { jobStatus } from './scalars.ts';

export const anything = z.record(z.string(), z.unknown());

export const foreach = schemaFor<ForeachInput>()(
  z.object({
    key: z.union([z.string(), z.number()]),
    index: z.int(),
    total: z.int(),
    path: z.string(),
  }),
);

export const failures = z.record(
  z.string(),
  z.array(
    z.object({
      key: z.union([z.string(), z.number()]),
      index: z.int(),
      status: jobStatus,
      error: z.string(),
    }),
  ),
);

export const evaluationInputs = schemaFor<EvaluationInputs>()(
  z
    .object({
      step: z.object({ id: z.string(), tags: z.array(z.string()), group: z.string().nullable() }),
      attempt: z.int(),
      loop: z.int(),
      error: z
        .object({
          message: z.string(),
          code: z.int().nullable(),
          exitCode: z.int().nullable(),
          stdout: z.string(),
          stderr: z.string(),
        })
        .nullable(),
      foreach: foreach.nullable(),
      outputs: anything,
      failures,
      variables: anything,
      outputs_history: z.record(z.string(), z.array(z.unknown())),
      output: z.unknown(),
      pr: z.unknown(),
      files: z.unknown(),
      env: z.record(z.string(), z.string()),
    })
    .meta({ id: 'EvaluationInputs' }),
);
