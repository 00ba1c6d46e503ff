import { z } from 'zod';
import { LONGEST_PATTERN, MOST_PATTERNS } from '../../core/selection/selection.ts';
import { agentLimits } from '../schemas/resolution.ts';
import { id, jobInBody, jobStatus, reason } from '../schemas/scalars.ts';

const dryRun = z.boolean().exactOptional().describe('true: return what would be changed, change nothing.');
/** A name is at most this long, and a request at most 8 MB. */
const MOST_NAMED = 100_000;

/** Which jobs of a workflow a change is for; the keys of a request that has one, beside its own. */
const selection = {
  jobs: z
    .array(jobInBody)
    .max(MOST_NAMED)
    .exactOptional()
    .describe('Numbers, names or labels. A name means every job of that name, also in forEach items.'),
  patterns: z
    .array(z.string().min(1).max(LONGEST_PATTERN))
    .max(MOST_PATTERNS)
    .exactOptional()
    .describe(
      'Patterns for labels such as `sim_*` or `p@list[*]`: `*` is any text, `?` one character, `\\` takes the next character as it is. One that matches no job is an error.',
    ),
  statuses: z
    .array(jobStatus)
    .min(1)
    .max(20)
    .exactOptional()
    .describe('Of the jobs named otherwise, or of all jobs: only those in these statuses.'),
  fingerprint: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('Only failed jobs whose failure looks like this.'),
  from: z
    .array(jobInBody)
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('These jobs and everything downstream of them.'),
  only: z.boolean().exactOptional().describe('true: without what is downstream.'),
};

export const retryJobsRequest = z
  .strictObject({
    ...selection,
    max_retries: z
      .int()
      .min(0)
      .exactOptional()
      .describe('Jobs that have had this many attempts are not retried.'),
    run_id: id.exactOptional().describe('Refused if this is not the current run.'),
    reason: reason.exactOptional(),
    agent: agentLimits
      .exactOptional()
      .describe('Present if an agent retries: each job is a decision of its own.'),
    dry_run: dryRun,
  })
  .meta({ id: 'RetryJobsRequest' });

export const retryJobsResult = z
  .object({
    dry_run: z.boolean(),
    /** `retry`: one more attempt in the same run. `again`: from these jobs on, in the same run. `new_run`: in a new one. */
    mode: z.enum(['retry', 'again', 'new_run', 'nothing']),
    /** The run in which the jobs run. */
    run_id: id,
    jobs: z.array(
      z.object({
        id,
        /** The label. */
        name: z.string(),
        /** Before the change. */
        status: jobStatus,
        /** The next attempt. */
        attempt_id: z.int(),
      }),
    ),
    /** Jobs that were canceled because of these, and wait for them again. */
    revived: z.array(id),
  })
  .meta({ id: 'RetryJobsResult' });

export const cancelRequest = z
  .strictObject({ ...selection, reason: reason.exactOptional(), dry_run: dryRun })
  .describe('Without a selection, all jobs that have not ended.')
  .meta({ id: 'CancelRequest' });

export const cancelResult = z
  .object({
    /** Canceled at once: they were not running. */
    canceled: z.array(id),
    /** Being stopped by their workers. */
    stopping: z.array(id),
    /** Errands of actions that had begun, being stopped by their workers; only if the whole workflow is canceled. */
    actions: z.array(id),
  })
  .meta({ id: 'CancelResult' });

export const resetRequest = z
  .strictObject({
    ...selection,
    failed_only: z
      .boolean()
      .exactOptional()
      .describe('Only jobs that did not succeed, and what is downstream of them (default: all jobs).'),
    dry_run: dryRun,
  })
  .describe('A selection starts over with everything downstream of it, unless `only` is true.')
  .meta({ id: 'ResetRequest' });

export const resetResult = z
  .object({
    /** The run that begins with it. */
    run_id: id,
    jobs: z.array(z.object({ id, name: z.string(), status: jobStatus })),
  })
  .meta({ id: 'ResetResult' });
