import { z } from 'zod';
import { type FileMark, MARK_KINDS, MARK_ROLES, MOST_MARKS } from '../../core/files/file-mark.ts';
import { type RestartReason, STALE_KINDS, type StaleReason } from '../../core/files/stale-reason.ts';
import { schemaFor } from '../schema-for.ts';
import { amount, id, jobStatus } from './scalars.ts';

const path = z
  .string()
  .min(1)
  .max(10_000)
  .regex(/^[^\0]*$/);

const markKeys = {
  path: path.describe('As declared.'),
  role: z.enum(MARK_ROLES),
  kind: z.enum(MARK_KINDS).describe('What it was; `other`: neither a file nor a directory.'),
  size: amount.nullable().describe('In bytes; of a directory, of all files in it.'),
  mtime_ns: z
    .string()
    .regex(/^-?\d{1,20}$/)
    .nullable()
    .describe('Modification time in nanoseconds since the epoch; of a directory the newest in it.'),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .describe('sha256 of the content; null: it was not read.'),
  problem: z.string().max(1000).nullable().describe('Why it was not read although it should have been.'),
};

/** Declared files of an attempt, as a worker reports them. */
export const reportedMarks = z
  .array(schemaFor<FileMark>()(z.strictObject(markKeys).meta({ id: 'FileMark' })))
  .max(MOST_MARKS);

/** Declared files of one job, as its newest attempt found and left them. */
export const jobMarks = z
  .object({
    job_id: id,
    name: z.string().describe('The label.'),
    status: jobStatus,
    run_id: id.nullable().describe('Of its newest attempt; null: there is none.'),
    attempt_id: z.int().nullable(),
    cwd: z
      .string()
      .nullable()
      .describe('Where relative paths are seen from, itself relative to the workflow.'),
    given: z.array(z.string()).describe('Inputs that no job writes.'),
    files: z.array(z.object(markKeys)),
  })
  .meta({ id: 'JobMarks' });

export const staleReasonSchema = schemaFor<StaleReason>()(
  z.strictObject({ kind: z.enum(STALE_KINDS), path }).meta({ id: 'StaleReason' }),
);

const restartReason = schemaFor<RestartReason>()(
  z
    .union([
      staleReasonSchema,
      z.object({ kind: z.literal('unsuccessful'), status: jobStatus }),
      z.object({ kind: z.literal('upstream'), job: z.string() }),
    ])
    .meta({ id: 'RestartReason' }),
);

export const reinitializeRequest = z
  .strictObject({
    stale: z
      .array(z.strictObject({ job_id: id, reason: staleReasonSchema }))
      .max(1_000_000)
      .describe(
        'Jobs that are out of date, each with the reason. What depends on them runs again, too, and so do jobs that did not succeed.',
      ),
    dry_run: z.boolean().exactOptional().describe('true: return what would be reset, without a change.'),
  })
  .meta({ id: 'ReinitializeRequest' });

export const reinitializeResult = z
  .object({
    /** The run that begins with it. */
    run_id: id,
    jobs: z.array(
      z.object({
        id,
        name: z.string().describe('The label.'),
        status: jobStatus.describe('What it was before.'),
        reason: restartReason.describe('Why it runs again.'),
      }),
    ),
  })
  .meta({ id: 'ReinitializeResult' });
