import { type Outcome, outcome } from '../core/job/outcome.ts';
import { crashedPost, type PostResult } from '../core/job/post-result.ts';
import type { JobReport } from '../core/request/job-report.ts';
import { didYouMean } from '../spec/suggest.ts';
import { invalidOption } from './invalid-option.ts';
import { type OutcomeReader, parseOutcomes, type SimulatedOutcome } from './simulated-outcome.ts';

/** How an attempt of a request is supposed to end. */
export interface RequestOutcome extends SimulatedOutcome {
  /** What stderr is supposed to have; the rulebook is applied to it. */
  stderr: string;
  /** The report of the job; null without one. */
  report: JobReport | null;
  /** `ok`, or exit code 0. */
  isSuccess: boolean;
  /** The bad item; '' where any item of the unit is meant, null where the data are good. */
  badItem: string | null;
}

/** Exit codes of the post step that mean something. */
export interface PostCodesOf {
  permanent_code: number;
  abort_code: number;
}

/** Outcomes by the category that the post step gives them. */
const NAMED = ['ok', 'fail', 'permanent', 'data', 'infrastructure', 'abort'] as const;

type Named = (typeof NAMED)[number];

/** Larger codes arrive in the report of a job only. */
const MOST_EXIT_CODE = 255;

/**
 * Outcomes separated by commas: the words above, or what `parseOutcomes` reads. A number above 255 is the code of a
 * report, whose message follows a colon.
 */
export function readRequestOutcomes(
  option: string,
  text: string,
  codes: PostCodesOf,
  reader: OutcomeReader,
): RequestOutcome[] {
  return text.split(',').map((written) => readOne(option, written.trim(), codes, reader));
}

function readOne(option: string, given: string, codes: PostCodesOf, reader: OutcomeReader): RequestOutcome {
  const [, word = '', rest = ''] = /^([^:]*):?(.*)$/s.exec(given)!;
  const plain = { given, started: true, stderrMatches: [], stderr: '', report: null, badItem: null };
  if (isNamed(word)) {
    if (rest !== '' && word !== 'data') invalidOption(option, `${given}: only data is followed by an item`);
    return {
      ...plain,
      outcome: outcome({ exit_code: word === 'ok' ? 0 : 1 }),
      post: postOf(word, codes),
      isSuccess: word === 'ok',
      badItem: word === 'data' ? rest : null,
    };
  }
  if (/^\d+$/.test(word) && Number(word) > MOST_EXIT_CODE) {
    const report = { ...EMPTY_REPORT, exit_code: Number(word), error_message: rest === '' ? null : rest };
    return { ...plain, outcome: outcome({ exit_code: 1 }), post: null, report, isSuccess: false };
  }
  try {
    const [read] = parseOutcomes(given, reader);
    return {
      ...plain,
      ...read!,
      stderr: rest,
      isSuccess: isZero(read!.outcome) && (read!.post?.exit_code ?? 0) === 0,
    };
  } catch {
    return invalidOption(
      option,
      `${given === '' ? 'an empty text' : given} is no outcome; write ${NAMED.join(', ')}, data:ITEM, an exit code, a signal such as SEGV, ${OTHERS.join(', ')}${didYouMean(word, [...NAMED, ...OTHERS])}`,
    );
  }
}

const OTHERS = ['oom', 'timeout', 'lost', 'spawn', 'missing_output'];

const EMPTY_REPORT: JobReport = {
  exit_code: null,
  error_message: null,
  steps: {},
  input_files: [],
  bad_input_files: null,
  output_files: [],
  performance: {},
};

function isNamed(word: string): word is Named {
  return NAMED.some((name) => name === word);
}

function isZero({ exit_code, missing_outputs }: Outcome): boolean {
  return exit_code === 0 && missing_outputs.length === 0;
}

const CATEGORIES = {
  ok: null,
  fail: 'transient',
  permanent: 'permanent',
  data: 'data',
  infrastructure: 'infrastructure',
  abort: 'permanent',
} as const satisfies Record<Named, PostResult['category']>;

function postOf(word: Named, { permanent_code: permanent, abort_code: abort }: PostCodesOf): PostResult {
  const retry = [1, 2, 3].find((code) => code !== permanent && code !== abort)!;
  const exitCodes = { ok: 0, fail: retry, permanent, data: permanent, infrastructure: retry, abort };
  return {
    ...crashedPost(''),
    problem: null,
    exit_code: exitCodes[word],
    category: CATEGORIES[word],
    reason: word === 'ok' ? null : `simulated: ${word}`,
  };
}
