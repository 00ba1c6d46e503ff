import { z } from 'zod';
import { attemptSchema } from '../job-records.ts';
import { id, jobStatus, millis } from '../scalars.ts';

const { state, category, verdict, error, claimed_at_ms, started_at_ms, finished_at_ms } = attemptSchema.shape;

const attemptSpan = z
  .object({
    run_id: id,
    attempt_id: z.int(),
    state,
    category,
    verdict,
    error,
    claimed_at_ms,
    started_at_ms,
    finished_at_ms,
    recovery: z
      .object({ from_ms: millis, to_ms: millis.nullable().describe('null: it has not ended.') })
      .nullable()
      .describe('The recovery script after the attempt; null: there was none.'),
  })
  .meta({ id: 'AttemptSpan' });

/** The history of a job. */
export const jobTimeline = z
  .object({
    job_id: id,
    name: z.string(),
    scope: z.string(),
    status: jobStatus,
    ready_at_ms: millis
      .nullable()
      .describe(
        'Since when it could run for the first time in the current run; null: it cannot yet, or has had more attempts than listed.',
      ),
    retry_available_at_ms: millis.describe('When the next retry may start; 0 if it need not wait.'),
    attempts: z.array(attemptSpan).describe('Oldest first; of each run at most the newest 20.'),
  })
  .meta({ id: 'JobTimeline' });
