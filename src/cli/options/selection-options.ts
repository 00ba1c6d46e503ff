import type { RetryJobsRequest } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import { isPattern } from '../../core/selection/glob.ts';
import { LONGEST_PATTERN, MOST_PATTERNS } from '../../core/selection/selection.ts';
import type { Invocation } from '../command-context.ts';
import type { CommandOption } from '../command-entry.ts';
import { statusOption } from './status-option.ts';
import { jobRef } from './workflow-argument.ts';

/** The selection of jobs, as requests have it. */
export type GivenSelection = Pick<
  RetryJobsRequest,
  'jobs' | 'patterns' | 'statuses' | 'fingerprint' | 'from' | 'only'
>;

const FAILED: readonly JobStatus[] = ['failed', 'terminated', 'pending_failed'];

export const SELECTION_OPTIONS: CommandOption[] = [
  ['--failed', `the same as --status ${FAILED.join(',')}`],
  ['--status <statuses>', 'only jobs in these statuses, separated by commas'],
  ['--fingerprint <fingerprint>', 'only jobs whose failure looks like this'],
  ['--from <job>', 'this job and everything downstream of it; can be repeated', 'repeated'],
  ['--only', 'without what is downstream'],
];

export const SELECTION_HELP =
  'Jobs are named by number, name, label (p@list[0]) or pattern: * is any text, ? one character. Quote patterns:\nthe shell would expand them. Names, patterns and --from add jobs; --failed, --status and --fingerprint keep\nsome of them or, without names, of all jobs.';

/** The selection that names and options make; empty if there are none. */
export function selectionOf(names: readonly string[], { options, lists }: Invocation): GivenSelection {
  const patterns = names.filter(isPattern);
  const jobs = names.filter((name) => !isPattern(name)).map(jobRef);
  if (names.includes('')) throw invalid('job', 'a name must not be empty');
  if (patterns.length > MOST_PATTERNS) throw invalid('pattern', `at most ${MOST_PATTERNS} can be given`);
  if (patterns.some(({ length }) => length > LONGEST_PATTERN)) {
    throw invalid('pattern', `must not have more than ${LONGEST_PATTERN} characters`);
  }
  const statuses = statusesOf({ options });
  const { fingerprint } = options;
  return {
    ...(jobs.length > 0 && { jobs }),
    ...(patterns.length > 0 && { patterns }),
    ...(statuses !== undefined && { statuses }),
    ...(typeof fingerprint === 'string' && { fingerprint }),
    ...(lists.from !== undefined && { from: lists.from.map(fromJob) }),
    ...(options.only === true && { only: true }),
  };
}

function statusesOf(given: Pick<Invocation, 'options'>): JobStatus[] | undefined {
  if (given.options.failed !== true) return statusOption(given);
  if (given.options.status !== undefined)
    throw invalid('--failed', 'is a choice of statuses; --status is one too');
  return [...FAILED];
}

function fromJob(name: string) {
  if (name === '') throw invalid('--from', 'a name must not be empty');
  if (isPattern(name)) throw invalid('--from', `takes the name of one job, not a pattern such as ${name}`);
  return jobRef(name);
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
