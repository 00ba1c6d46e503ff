import type { Cause, Outcome } from './outcome.ts';
import type { PostCodes } from './post-result.ts';

/** What a post script finds in the JSON file that `HOLDFAST_OUTCOME` names. */
export interface AttemptOutcome extends PostCodes {
  /** The job, with its scope in a forEach. */
  node: string;
  run: number;
  /** From 1 in each run. */
  attempt: number;
  max_retries: number;
  /** Failures that count against `max_retries`, this attempt not included. */
  failures_before: number;
  outcome: Outcome;
  /** null: it succeeded. */
  cause: Cause | null;
  match_code: number | null;
  started_at_ms: number | null;
  finished_at_ms: number;
  /** null: it was too short to be measured. */
  usage: { peak_rss_bytes: number; cpu_seconds: number } | null;
  site: string;
  logs: { stdout: string; stderr: string };
  /** Path of the report that the job may have written. */
  report: string;
  items: string[];
  /** What the attempt was allowed to use; null: without limit. */
  memory_bytes: number | null;
  runtime_ms: number | null;
}
