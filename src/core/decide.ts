import { type Category, type Cause, causeOf, matchCode, type Outcome } from './outcome.ts';
import { formatDuration } from './quantity.ts';
import { type RetryPolicy, retryDelayMs } from './retry-policy.ts';

/** Everything a user wrote that decides what happens to one job. */
export interface Policy {
  retry: RetryPolicy;
  /** From the first start over all attempts; a retry that would start later is not made. */
  deadlineMs: number | null;
}

/** What the store knows of the job when an attempt ends, that attempt not included. */
export interface History {
  /** Failed attempts of this visit (never lost, stopped or canceled ones). */
  failures: number;
  /** Started attempts of this visit that were lost. */
  preemptions: number;
  /** Lost attempts directly before this one. */
  lossesInRow: number;
  /** When the first attempt of this visit started; null if none did. */
  firstStartedAt: number | null;
}

/** The attempt that ended. */
export interface Ended {
  outcome: Outcome;
  attemptId: number;
  /** null: it was claimed but never started. */
  startedAt: number | null;
  finishedAt: number;
  /** Seeds jitter; equal for equal attempts. */
  seed: number;
}

export type Verdict =
  | { kind: 'complete' }
  /** A retry that a budget paid for. */
  | { kind: 'retry'; notBefore: number }
  /** Back to ready without touching the failure budget: lost, stopped or never started. */
  | { kind: 'requeue'; notBefore: number | null }
  | { kind: 'fail'; status: 'failed' | 'terminated' }
  | { kind: 'cancel' };

export interface WalkStep {
  /** Name of the rule, also the anchor in docs/failure-policy.md. */
  rule: RuleName;
  applies: boolean;
  because: string;
}

export interface Decision {
  verdict: Verdict;
  cause: Cause | null;
  matchCode: number | null;
  category: Category | null;
  /** The rule that gave the verdict. */
  rule: RuleName;
  reason: string;
  /** Every rule that was asked, in order; the last one gave the verdict. */
  walk: WalkStep[];
}

interface Case {
  policy: Policy;
  history: History;
  ended: Ended;
  cause: Cause | null;
  code: number | null;
}

/** What a rule says: it does not apply, or a verdict with its reason. */
type Answer = { skip: string } | { verdict: Verdict; because: string };

/** After this many losses in a row a job is suspected of killing its workers, and backs off. */
const LOSSES_BEFORE_BACKOFF = 3;

/** The failure path. The first rule that applies decides; `explain` prints the walk. */
const RULES = {
  canceled: ({ cause }: Case): Answer =>
    cause === 'canceled'
      ? { verdict: { kind: 'cancel' }, because: 'canceled by a user, never retried' }
      : { skip: 'nobody canceled it' },

  stopped: ({ cause }: Case): Answer =>
    cause === 'stopped'
      ? { verdict: { kind: 'requeue', notBefore: null }, because: 'stopped, free of charge' }
      : { skip: 'it was not stopped' },

  success: ({ cause }: Case): Answer =>
    cause === null
      ? { verdict: { kind: 'complete' }, because: 'it succeeded' }
      : { skip: `it did not succeed (cause ${cause})` },

  lost: ({ cause, ended, history, policy }: Case): Answer => {
    if (cause !== 'lost') return { skip: 'its worker stayed alive' };
    if (ended.startedAt === null) {
      return {
        verdict: { kind: 'requeue', notBefore: null },
        because: 'claimed but never started, free of charge',
      };
    }
    const limit = policy.retry.max_retries_preemption;
    if (history.preemptions >= limit) {
      return {
        verdict: { kind: 'fail', status: 'failed' },
        because: `worker_lost: all ${limit} retries after a lost worker are used up`,
      };
    }
    const spent = `lost with its worker, preemption ${history.preemptions + 1} of ${limit}`;
    const losses = history.lossesInRow + 1;
    if (losses < LOSSES_BEFORE_BACKOFF) {
      return { verdict: { kind: 'requeue', notBefore: null }, because: spent };
    }
    const wait = retryDelayMs(policy.retry, losses - LOSSES_BEFORE_BACKOFF + 1, ended.seed);
    return {
      verdict: { kind: 'requeue', notBefore: ended.finishedAt + wait },
      because: `${spent}; ${losses} losses in a row look like a job that kills its workers, so it waits ${formatDuration(wait)}`,
    };
  },

  retry: ({ code, ended, history, policy }: Case): Answer => {
    const { retry, deadlineMs } = policy;
    const limit = retry.max_retries_failure;
    const failing = (because: string): Answer => ({ verdict: failedOrTerminated(ended.outcome), because });
    if (code !== null && retry.no_retry_on_exit_codes.includes(code)) {
      return failing(`code ${code} is in no_retry_on_exit_codes`);
    }
    if (limit === 0) return { skip: 'max_retries_failure is 0' };
    if (
      retry.retry_on_exit_codes.length > 0 &&
      (code === null || !retry.retry_on_exit_codes.includes(code))
    ) {
      return {
        skip: `code ${code ?? 'none'} is not in retry_on_exit_codes [${retry.retry_on_exit_codes.join(', ')}]`,
      };
    }
    if (history.failures >= limit) {
      return failing(`all ${limit} retries of max_retries_failure are used up`);
    }
    const number = history.failures + 1;
    const wait = retryDelayMs(retry, number, ended.seed);
    const notBefore = ended.finishedAt + wait;
    const firstStart = history.firstStartedAt ?? ended.startedAt;
    if (deadlineMs !== null && firstStart !== null && notBefore > firstStart + deadlineMs) {
      return failing(
        `deadline: the retry would start after ${formatDuration(deadlineMs)} from the first start`,
      );
    }
    return {
      verdict: { kind: 'retry', notBefore },
      because: `retry ${number} of ${limit} after ${formatDuration(wait)}`,
    };
  },

  otherwise: ({ ended }: Case): Answer => ({
    verdict: failedOrTerminated(ended.outcome),
    because: 'no retry applies',
  }),
} satisfies Record<string, (facts: Case) => Answer>;

export type RuleName = keyof typeof RULES;
export const RULE_NAMES = Object.keys(RULES) as RuleName[];

/** Pure and total: the same facts, policy and history always give the same decision. */
export function decide(ended: Ended, policy: Policy, history: History): Decision {
  const facts: Case = {
    ended,
    policy,
    history,
    cause: causeOf(ended.outcome),
    code: matchCode(ended.outcome),
  };
  const walk: WalkStep[] = [];
  for (const rule of RULE_NAMES) {
    const answer = RULES[rule](facts);
    if ('skip' in answer) {
      walk.push({ rule, applies: false, because: answer.skip });
      continue;
    }
    walk.push({ rule, applies: true, because: answer.because });
    return {
      verdict: answer.verdict,
      cause: facts.cause,
      matchCode: facts.code,
      category: categoryOf(facts.cause),
      rule,
      reason: answer.because,
      walk,
    };
  }
  throw new Error('the last rule applies to everything');
}

function categoryOf(cause: Cause | null): Category | null {
  switch (cause) {
    case null:
    case 'stopped':
    case 'canceled':
      return null;
    case 'lost':
    case 'spawn':
      return 'infrastructure';
    default:
      return 'transient';
  }
}

function failedOrTerminated(facts: Outcome): Verdict {
  const killed = facts.timedOut || facts.signal !== null;
  return { kind: 'fail', status: killed ? 'terminated' : 'failed' };
}
