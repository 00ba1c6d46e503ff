import { z } from 'zod';
import { FINGERPRINT_MODES } from '../../core/files/file-mark.ts';
import { sweepKeys } from './parameters-schema.ts';
import { nameText, sizeLimit } from './scalars.ts';

export const fileSchema = z
  .strictObject({
    name: nameText.describe('How jobs refer to the file.'),
    path: nameText.describe('Where it is; a relative path is seen from the directory in which the job runs.'),
    st_mtime: z
      .number()
      .optional()
      .describe('Time of its last change. Not used: whether a file exists is looked up when it matters.'),
    identifier: nameText.optional().describe('Its identifier in an RO-Crate. Not used.'),
    ...sweepKeys,
  })
  .meta({ id: 'File', description: 'A file that jobs read or write; it makes dependencies between them.' });

export type FileSpec = z.infer<typeof fileSchema>;

const fingerprint = z.enum(FINGERPRINT_MODES, { error: 'expected content, metadata or off' });
const keepFailedOutputs = z.union([z.boolean(), z.literal('aside')], {
  error: 'expected true, false or aside',
});

/** What a workflow says about the declared files of all its jobs. */
export const declaredFileKeys = {
  fingerprint: fingerprint
    .optional()
    .meta({ default: 'content' })
    .describe(
      'How declared files are compared to find jobs that are [out of date](fix-and-resume.md#files-by-content): by `content`, by `metadata` (size and time), or not at all (`off`).',
    ),
  fingerprint_max_size: sizeLimit
    .optional()
    .meta({ default: '256m' })
    .describe('Larger files are compared by size and time only.'),
  keep_failed_outputs: keepFailedOutputs
    .optional()
    .meta({ default: true })
    .describe(
      'Declared outputs that a failed attempt created stay (`true`), are removed (`false`), or are renamed (`aside`) to `PATH.failed-rRUN-aATTEMPT`.',
    ),
};

/** The same of one job, instead of what its workflow says. */
export const ownDeclaredFileKeys = {
  fingerprint: fingerprint.optional().describe('`fingerprint` of the workflow, for this job.'),
  fingerprint_max_size: sizeLimit
    .optional()
    .describe('`fingerprint_max_size` of the workflow, for this job.'),
  keep_failed_outputs: keepFailedOutputs
    .optional()
    .describe('`keep_failed_outputs` of the workflow, for this job.'),
};
