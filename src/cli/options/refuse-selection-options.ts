import { HoldfastError } from '../../core/errors.ts';
import {
  type ChangedSelection,
  type SelectionProblem,
  selectionProblem,
} from '../../core/selection/selection-problem.ts';

const CHOICES = '--failed, --status, --fingerprint or --from';

/** In the words of the command line. */
const WORDS: Record<SelectionProblem, [argument: string, problem: string]> = {
  nothing: ['job', `name jobs, or choose them with ${CHOICES}`],
  only_without_from: ['--only', 'needs --from: the jobs without what is downstream'],
  only_with_filters: [
    '--only',
    'needs --from, without --failed, --status and --fingerprint: the jobs without what is downstream',
  ],
  only_without_jobs: ['--only', `needs jobs: name them, or choose them with ${CHOICES}`],
  two_choices: ['--failed-only', 'not with a choice of jobs; --failed chooses failed jobs among others'],
  limit_of_new_jobs: ['--max-retries', 'not with --from: jobs that start over have new budgets'],
  not_retryable: [
    '--status',
    'only running, failed and terminated jobs can be retried; --from starts jobs over in any status',
  ],
  awaiting_decision: [
    '--status',
    'only running, failed and terminated jobs can be retried; `holdfast resolve` retries or fails jobs that wait for a decision',
  ],
  ended: ['--status', 'such jobs have ended, and there is nothing to cancel'],
};

/** Before an engine is asked, which would refuse it in the words of requests. */
export function refuseSelectionOptions(
  change: 'retry' | 'cancel' | 'reset',
  selection: ChangedSelection,
): void {
  const found = selectionProblem(change, selection);
  if (found === null) return;
  const [argument, problem] = WORDS[found];
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
