import { HoldfastError } from '../../core/errors.ts';
import {
  type ChangedSelection,
  type SelectionProblem,
  selectionProblem,
} from '../../core/selection/selection-problem.ts';

/** In the words of requests. */
const WORDS: Record<SelectionProblem, [argument: string, problem: string]> = {
  nothing: ['selection', 'names no jobs; give names, patterns, statuses or from'],
  only_without_from: ['only', 'belongs to from: the jobs without what is downstream'],
  only_with_filters: [
    'only',
    'belongs to from, without statuses and fingerprint: the jobs without what is downstream',
  ],
  only_without_jobs: ['only', 'names no jobs'],
  two_choices: ['failed_only', 'is a selection of its own; statuses choose failed jobs among others'],
  limit_of_new_jobs: ['max_retries', 'jobs that start over have new budgets'],
  not_retryable: [
    'statuses',
    'only running, failed and terminated jobs can be retried; `from` starts jobs over in any status',
  ],
  awaiting_decision: [
    'statuses',
    'only running, failed and terminated jobs can be retried; `holdfast resolve` retries or fails jobs that wait for a decision',
  ],
  ended: ['statuses', 'such jobs have ended, and there is nothing to cancel'],
};

export function refuseSelection(change: 'retry' | 'cancel' | 'reset', selection: ChangedSelection): void {
  const found = selectionProblem(change, selection);
  if (found === null) return;
  const [argument, problem] = WORDS[found];
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
