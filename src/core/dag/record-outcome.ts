import { type Outcome, outcome } from '../job/outcome.ts';
import type { PostRecord } from '../request/post-record.ts';

/** How the attempt of a post record ended. The record has no word for removed and never submitted jobs: both are lost. */
export function outcomeOfRecord({ job, classification }: PostRecord): Outcome {
  const { exit_code, exit_signal: signal } = job;
  if (exit_code === null && signal === null) {
    return /^timed out\b/.test(classification.reason)
      ? outcome({ timed_out: true })
      : outcome({ lost: true });
  }
  return outcome({ exit_code, signal });
}
