import type { AttemptRecord } from '../contract/records/records.ts';
import { evaluationOf } from '../core/job/evaluation.ts';

/** How an attempt ended, in words; `-` while it runs. */
export function attemptOutcome(attempt: AttemptRecord): string {
  if (attempt.verdict === 'disable') return 'not run';
  const checked = evaluationOf(attempt.evaluations, 'fail_if');
  // Its exit code does not say why it failed.
  if (attempt.error === 'exit 0' && checked !== null)
    return `exit 0, but ${checked.ok ? 'its fail_if is true' : 'its fail_if cannot be evaluated'}`;
  return attempt.error ?? (attempt.state === 'SUCCEEDED' ? 'exit 0' : '-');
}

/** `exit 1 - retry 1 of 3 after 2s`; a reason often begins with the outcome, which is then not repeated. */
export function outcomeAndReason(outcome: string | null, reason: string | null): string {
  const parts = reason?.startsWith(outcome ?? '') ? [reason] : [outcome, reason];
  return parts.filter((part) => part !== null && part !== '').join(' - ');
}

/** How long it ran, up to `now` if it still does; null if it never started. */
export function attemptRuntime(
  { started_at_ms, finished_at_ms }: Pick<AttemptRecord, 'started_at_ms' | 'finished_at_ms'>,
  now: number,
): number | null {
  return started_at_ms === null ? null : Math.max(0, (finished_at_ms ?? now) - started_at_ms);
}
