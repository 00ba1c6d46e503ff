import { z } from 'zod';
import { filesOfSpec, path, settingsOfSpec, specText } from './new-workflow.ts';

export const newRequestSchema = z
  .strictObject({
    spec: specText,
    file_name: z
      .string()
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('Its extension names the format of the text (default: YAML, which includes JSON).'),
    /** The server cannot read the files of its clients, so what the spec names is sent along. */
    files: filesOfSpec.exactOptional(),
    set: settingsOfSpec.exactOptional(),
    cwd: path
      .exactOptional()
      .describe('Where jobs run; a relative path starts where a worker was started (default: `.`).'),
    output_dir: path.exactOptional().describe('Where logs and outputs are kept (default: `output`).'),
  })
  .meta({ id: 'NewRequest' });
