import { z } from 'zod';
import { sweepKeys } from './parameters-schema.ts';
import { nameText } from './scalars.ts';

export const fileSchema = z
  .strictObject({
    name: nameText.describe('How jobs refer to the file.'),
    path: nameText.describe('Where it is, relative to where the workflow is run.'),
    ...sweepKeys,
  })
  .meta({ id: 'File', description: 'A file that jobs read or write; it makes dependencies between them.' });

export type FileSpec = z.infer<typeof fileSchema>;
