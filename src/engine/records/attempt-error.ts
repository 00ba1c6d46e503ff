import { type Evaluation, failIfProblem } from '../../core/job/evaluation.ts';
import { describeOutcome, type Outcome } from '../../core/job/outcome.ts';

/** What is stored of how an attempt ended. */
export interface StoredEnd {
  outcome: string | null;
  cause: string | null;
  evaluations: string | null;
}

/** How an attempt failed, in words; null: it did not, or has not ended. */
export function attemptError({ outcome, cause, evaluations }: StoredEnd): string | null {
  if (outcome === null || cause === null) return null;
  const asked = evaluations === null ? [] : (JSON.parse(evaluations) as Evaluation[]);
  return failIfProblem(asked) ?? describeOutcome(JSON.parse(outcome) as Outcome);
}
