import { HoldfastError } from '../../core/errors.ts';
import { JOB_STATUSES, type JobStatus } from '../../core/job/job-status.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { didYouMean } from '../../spec/suggest.ts';
import type { Invocation } from '../command-context.ts';

/** The statuses of `--status`, separated by commas, by their names or as they are shown; undefined without the option. */
export function statusOption({ options }: Pick<Invocation, 'options'>): JobStatus[] | undefined {
  if (typeof options.status !== 'string') return undefined;
  return options.status.split(',').map((word) => {
    const status = JOB_STATUSES.find((each) => each === word.trim() || shownStatus(each) === word.trim());
    if (status !== undefined) return status;
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--status',
      problem: `no job status is called ${word}${didYouMean(word, JOB_STATUSES)} (${JOB_STATUSES.join(', ')})`,
    });
  });
}
