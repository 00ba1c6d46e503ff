import { z } from 'zod';
import { id, millis } from './scalars.ts';

/** How the run of a complete workflow ended. */
export const prunedState = z.enum(['completed', 'failed', 'canceled']);

export const removalSchema = z
  .object({
    workflow_id: id,
    name: z.string(),
    jobs: z.int(),
    attempts: z.int(),
    events: z.int(),
    files: z
      .object({ count: z.int(), bytes: z.number() })
      .describe('Logs and work directories on the machine of the engine; those on machines of workers stay.'),
  })
  .meta({ id: 'Removal' });

export const pruneRequest = z
  .strictObject({
    older_than_ms: z
      .number()
      .min(0)
      .max(1e13)
      .exactOptional()
      .describe('Only workflows that ended longer ago.'),
    keep: z.int().min(0).max(1e9).exactOptional().describe('How many of the last to end are kept.'),
    statuses: z
      .array(prunedState)
      .min(1)
      .max(3)
      .exactOptional()
      .describe('Only workflows that ended so (default: all).'),
    dry_run: z.boolean().exactOptional(),
  })
  .refine(({ older_than_ms, keep }) => older_than_ms !== undefined || keep !== undefined, {
    path: ['older_than_ms'],
    error: 'name older_than_ms, keep or both',
  })
  .meta({ id: 'PruneRequest' });

export const pruneResult = z
  .object({
    removed: z.array(removalSchema.extend({ finished_at_ms: millis, status: prunedState })),
    kept: z.int().describe('Complete workflows in these statuses that stay.'),
  })
  .meta({ id: 'PruneResult' });
