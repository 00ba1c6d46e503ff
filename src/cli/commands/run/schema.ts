import { specJsonSchema } from '../../../spec/json-schema.ts';
import type { Command } from '../../command-context.ts';

export const schemaCommand: Command = async (context) => {
  context.print(JSON.stringify(specJsonSchema(), null, 2));
  return 0;
};
