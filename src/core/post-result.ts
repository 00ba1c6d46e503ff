import type { Category } from './outcome.ts';

/** Exit codes of a post script that mean more than success or failure. */
export const POST_PERMANENT = 42;
export const POST_ABORT = 43;

/** What a post script said of an attempt. */
export interface PostResult {
  /** null: it crashed, timed out or was cut off, which counts as transient. */
  exitCode: number | null;
  /** What it printed about the failure, if it did. */
  category: Category | null;
  badInputs: string[];
  memoryBytes: number | null;
  runtimeMs: number | null;
  delayMs: number | null;
  /** Why it counts as crashed, or what it printed that could not be used. */
  problem: string | null;
}

/** A post script that did not get to say anything. */
export function crashedPost(problem: string): PostResult {
  return {
    exitCode: null,
    category: null,
    badInputs: [],
    memoryBytes: null,
    runtimeMs: null,
    delayMs: null,
    problem,
  };
}
