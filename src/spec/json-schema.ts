import { z } from 'zod';
import { workflowSchema } from './schema/workflow-schema.ts';

/** The JSON Schema (draft 2020-12) of a spec, for editors: completion, hover texts, marks under mistakes. */
export function specJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(workflowSchema, { target: 'draft-2020-12', io: 'input' }),
    title: 'Holdfast workflow',
  };
}
