import type { Category } from './outcome.ts';

/** Exit codes of a post step that mean more than success or failure. */
export interface PostCodes {
  /** The failure is permanent: no retry. */
  permanent_code: number;
  /** The whole workflow is aborted. */
  abort_code: number;
}

export const DEFAULT_POST_CODES: PostCodes = { permanent_code: 42, abort_code: 43 };

/** What the post step of an attempt returned. */
export interface PostResult {
  /** null: it crashed, timed out or was cut off, which counts as transient. */
  exit_code: number | null;
  /** What it printed about the failure, if it did. */
  category: Category | null;
  bad_inputs: string[];
  memory_bytes: number | null;
  runtime_ms: number | null;
  delay_ms: number | null;
  /** Which rule gave the result, and why, in one sentence; null if it gave no reason. */
  reason: string | null;
  /** `exit_code` and `error_message` of the job's report; null without them. */
  report_code: number | null;
  message: string | null;
  /** Why it counts as crashed, or what of it could not be used or written. */
  problem: string | null;
  /** The end of stderr of an attempt that failed; null: it did not fail, or left none. */
  log_tail: string | null;
}

/** What lists and events show of it: without the log. */
export function withoutTail({ log_tail: _, ...post }: PostResult): Omit<PostResult, 'log_tail'> {
  return post;
}

/** A post step that was not finished. */
export function crashedPost(problem: string): PostResult {
  return {
    exit_code: null,
    category: null,
    bad_inputs: [],
    memory_bytes: null,
    runtime_ms: null,
    delay_ms: null,
    reason: null,
    report_code: null,
    message: null,
    problem,
    log_tail: null,
  };
}
