import { z } from 'zod';
import type { AttemptRecord } from '../contract/records/records.ts';
import type { DecisionRecord, PastDecisions } from '../contract/records/resolution.ts';
import { attemptRuntime } from '../views/attempt.ts';
import { type TextGuard, untrustedText } from './untrusted-text.ts';

// Failures, attempts and decisions as several tools return them.

export const shownAttempt = z.object({
  run_id: z.int(),
  attempt_id: z.int(),
  state: z.string(),
  cause: z.string().nullable(),
  match_code: z.int().nullable().describe('Exit code; 128+N for signal N, 152 timeout, 137 out of memory.'),
  category: z.string().nullable(),
  verdict: z.string().nullable(),
  error: z.string().nullable(),
  ran_ms: z.number().nullable(),
  peak_rss_bytes: z.number().nullable(),
  reason: untrustedText.nullable(),
});

export function toShownAttempt(attempt: AttemptRecord, guard: TextGuard): z.infer<typeof shownAttempt> {
  const { finished_at_ms: finished } = attempt;
  return {
    run_id: attempt.run_id,
    attempt_id: attempt.attempt_id,
    state: attempt.state,
    cause: attempt.cause,
    match_code: attempt.match_code,
    category: attempt.category,
    verdict: attempt.verdict,
    error: attempt.error === null ? null : guard.line(attempt.error),
    ran_ms: finished === null ? null : attemptRuntime(attempt, finished),
    peak_rss_bytes: attempt.usage?.peak_rss_bytes ?? null,
    reason: guard.reason(attempt.reason),
  };
}

export const shownDecision = z.object({
  job_id: z.int(),
  name: z.string(),
  run_id: z.int(),
  attempt_id: z.int(),
  action: z.enum(['retry', 'fail']),
  actor: z.string(),
  confidence: z.number().nullable(),
  became: z
    .enum(['succeeded', 'failed_again', 'open'])
    .nullable()
    .describe('What came of the retry; null for a decision to fail.'),
  reason: untrustedText.nullable(),
});

export function toShownDecision(decision: DecisionRecord, guard: TextGuard): z.infer<typeof shownDecision> {
  const { job_id, run_id, attempt_id, action, confidence, became } = decision;
  return {
    job_id,
    name: guard.line(decision.job_name),
    run_id,
    attempt_id,
    action,
    actor: guard.line(decision.actor),
    confidence,
    became,
    reason: guard.reason(decision.reason),
  };
}

export const shownDecisions = z
  .object({
    retried: z.int(),
    succeeded: z.int(),
    failed_again: z.int(),
    failed: z.int(),
    latest: z.array(shownDecision).describe('Those of this workflow; the counts are of all workflows.'),
  })
  .describe('Earlier decisions about failures that look alike, and what came of them.');

/** The numbers count every workflow; names and reasons are of the given one only. */
export function toPastDecisions(
  past: PastDecisions,
  workflowId: number,
  guard: TextGuard,
): z.infer<typeof shownDecisions> {
  const { retried, succeeded, failed_again, failed } = past;
  const own = past.latest.filter((each) => each.workflow_id === workflowId);
  return {
    retried,
    succeeded,
    failed_again,
    failed,
    latest: own.map((each) => toShownDecision(each, guard)),
  };
}

/** Jobs whose names and reasons `toPastDecisions` returns. */
export function pastJobs(past: PastDecisions, workflowId: number): number[] {
  return past.latest.filter((each) => each.workflow_id === workflowId).map(({ job_id }) => job_id);
}
