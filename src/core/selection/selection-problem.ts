import { TERMINAL_STATUSES } from '../job/job-status.ts';
import { RETRYABLE_STATUSES } from './retryable.ts';
import { hasFilters, isSelective, type Selection, startsOver } from './selection.ts';

/** A choice of jobs with what else decides whether it means something. */
export interface ChangedSelection extends Selection {
  max_retries?: number;
  failed_only?: boolean;
}

export type SelectionProblem =
  /** It names no jobs. */
  | 'nothing'
  /** `only` without `from`, to which it belongs. */
  | 'only_without_from'
  /** The same, or `only` with something that filters. */
  | 'only_with_filters'
  /** `only` without any jobs. */
  | 'only_without_jobs'
  | 'two_choices'
  /** Jobs that start over have no attempts yet. */
  | 'limit_of_new_jobs'
  | 'not_retryable'
  | 'awaiting_decision'
  | 'ended';

/** What is wrong with a choice of jobs before any job is looked at; null: nothing. Callers have words for it. */
export function selectionProblem(
  change: 'retry' | 'cancel' | 'reset',
  selection: ChangedSelection,
): SelectionProblem | null {
  const { from, only = false, statuses } = selection;
  switch (change) {
    case 'retry':
      if (!isSelective(selection)) return 'nothing';
      if (only && (from === undefined || hasFilters(selection))) return 'only_with_filters';
      if (selection.max_retries !== undefined && startsOver(selection)) return 'limit_of_new_jobs';
      if (statuses === undefined || statuses.some((status) => RETRYABLE_STATUSES.includes(status)))
        return null;
      return statuses.includes('pending_failed') ? 'awaiting_decision' : 'not_retryable';
    case 'cancel':
      if (only && from === undefined) return 'only_without_from';
      return statuses?.every((status) => TERMINAL_STATUSES.has(status)) === true ? 'ended' : null;
    case 'reset':
      if (selection.failed_only === true && isSelective(selection)) return 'two_choices';
      return only && !isSelective(selection) ? 'only_without_jobs' : null;
  }
}
