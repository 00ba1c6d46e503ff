import { changed, type FailureHandler, matchRules, type RuleMatch } from './failure-rule.ts';
import { type Category, type Cause, causeOf, matchCode, type Outcome } from './outcome.ts';
import { POST_ABORT, POST_PERMANENT, type PostResult } from './post-result.ts';
import { formatDuration } from './quantity.ts';
import { type RetryPolicy, retryDelayMs } from './retry-policy.ts';

/** Everything a user wrote that decides what happens to one job. */
export interface Policy {
  /** null: the job has none. `unreadable`: it has one that cannot be used. */
  handler: FailureHandler | 'unreadable' | null;
  retry: RetryPolicy;
  /** From the first start over all attempts; a retry that would start later is not made. */
  deadlineMs: number | null;
  usePendingFailed: boolean;
  /** What the job may use now, for rules that change it. */
  memoryBytes: number | null;
  runtimeMs: number | null;
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
  /** null: the job has no post script, or it was not asked. */
  post: PostResult | null;
  /** Patterns of the handler that were found in stderr. */
  stderrMatches: readonly string[];
}

export type Verdict =
  | { kind: 'complete' }
  /** A retry that a budget paid for. */
  | { kind: 'retry'; notBefore: number }
  /** Back to ready without touching the failure budget: lost, stopped or never started. */
  | { kind: 'requeue'; notBefore: number | null }
  | { kind: 'fail'; status: 'failed' | 'terminated' }
  /** Fails and takes the whole workflow with it. */
  | { kind: 'abort'; status: 'failed' | 'terminated' }
  /** Waits for somebody to decide. */
  | { kind: 'ask' }
  | { kind: 'cancel' };

/** What became of the failure handler; null where it was not asked. */
export type HandlerOutcome = 'Retried' | 'NoHandler' | 'NoMatchingRule' | 'MaxRetriesExceeded' | 'Error';

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
  handlerOutcome: HandlerOutcome | null;
  /** To be run once before the retry. */
  recoveryScript: string | null;
  /** What the retry may use, where that changes. */
  memoryBytes: number | null;
  runtimeMs: number | null;
  /** Every rule that was asked, in order; the last one gave the verdict. */
  walk: WalkStep[];
}

interface Case {
  policy: Policy;
  history: History;
  ended: Ended;
  cause: Cause | null;
  code: number | null;
  /** The judgement, and who made it. */
  category: Category | null;
  match: RuleMatch | null;
  observed: RuleMatch[];
}

interface Verdicts {
  verdict: Verdict;
  because: string;
  handlerOutcome?: HandlerOutcome;
  recoveryScript?: string | null;
  memoryBytes?: number | null;
  runtimeMs?: number | null;
}

/** What a rule says: it does not apply, or a verdict with its reason. */
type Answer = { skip: string; handlerOutcome?: HandlerOutcome } | (Verdicts & { skip?: undefined });

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

  post: ({ ended: { post, outcome } }: Case): Answer => {
    if (post === null) return { skip: 'it has no post script' };
    if (post.exitCode === null)
      return { skip: `the post script crashed, which counts as transient: ${post.problem}` };
    if (post.exitCode === 0) return { verdict: { kind: 'complete' }, because: 'accepted by the post script' };
    if (post.exitCode === POST_ABORT) {
      return {
        verdict: { ...failedOrTerminated(outcome), kind: 'abort' },
        because: `aborted: the post script exited with ${POST_ABORT}`,
      };
    }
    const words = post.exitCode === POST_PERMANENT ? 'calls it permanent' : 'calls it a failure';
    const problem = post.problem === null ? '' : `; ${post.problem}`;
    return { skip: `the post script exited with ${post.exitCode} and ${words}${problem}` };
  },

  success: ({ cause }: Case): Answer =>
    cause === null
      ? { verdict: { kind: 'complete' }, because: 'it succeeded' }
      : { skip: `it did not succeed (cause ${cause})` },

  final: ({ category, code, ended, match, policy }: Case): Answer => {
    const failing = (because: string): Answer => ({ verdict: failedOrTerminated(ended.outcome), because });
    if (category === 'permanent' || category === 'data')
      return failing(`its category is ${category}: no retry would help`);
    if (match?.rule.verdict === 'fail')
      return failing(`rule ${match.number} of the failure handler says fail`);
    if (code !== null && policy.retry.no_retry_on_exit_codes.includes(code)) {
      return failing(`code ${code} is in no_retry_on_exit_codes`);
    }
    return { skip: 'nothing rules out a retry' };
  },

  handler: (facts: Case): Answer => {
    const { ended, history, match, observed, policy } = facts;
    if (policy.handler === null) return { skip: 'it has no failure handler', handlerOutcome: 'NoHandler' };
    if (policy.handler === 'unreadable') {
      return {
        verdict: failedOrTerminated(ended.outcome),
        because: 'its failure handler is missing or unreadable',
        handlerOutcome: 'Error',
      };
    }
    const seen =
      observed.length === 0 ? '' : observed.map(({ number }) => `; rule ${number} observed it`).join('');
    if (match === null) return { skip: `no rule matches${seen}`, handlerOutcome: 'NoMatchingRule' };
    const { rule, number } = match;
    const name = `rule ${number} of ${policy.handler.name}`;
    switch (rule.verdict) {
      case 'accept':
        return { verdict: { kind: 'complete' }, because: `accepted by ${name}` };
      case 'abort':
        return {
          verdict: { ...failedOrTerminated(ended.outcome), kind: 'abort' },
          because: `aborted by ${name}`,
        };
      case 'ask':
        // Without opt-in nobody could resolve it.
        return policy.usePendingFailed
          ? { verdict: { kind: 'ask' }, because: `${name} leaves it to somebody to decide` }
          : {
              verdict: failedOrTerminated(ended.outcome),
              because: `${name} says ask, but use_pending_failed is off`,
            };
    }
    if (rule.maxRetries === 0) return { skip: `${name} matches, and its max_retries is 0${seen}` };
    const executions = history.failures + 1;
    if (executions >= rule.maxRetries) {
      return {
        verdict: failedOrTerminated(ended.outcome),
        because: `${name}: all ${rule.maxRetries} executions are used up`,
        handlerOutcome: 'MaxRetriesExceeded',
      };
    }
    const wait = rule.delayMs ?? ended.post?.delayMs ?? 0;
    const answer = retryWithin(
      facts,
      wait,
      `${name}: execution ${executions + 1} of ${rule.maxRetries}${seen}`,
    );
    if (answer.verdict.kind !== 'retry') return answer;
    return {
      verdict: answer.verdict,
      because: answer.because,
      handlerOutcome: 'Retried',
      recoveryScript: rule.recoveryScript,
      memoryBytes: changed(rule.memory, policy.memoryBytes) ?? ended.post?.memoryBytes ?? null,
      runtimeMs: changed(rule.runtime, policy.runtimeMs) ?? ended.post?.runtimeMs ?? null,
    };
  },

  retry: (facts: Case): Answer => {
    const { cause, code, ended, history, policy } = facts;
    const { retry } = policy;
    const limit = retry.max_retries_failure;
    if (limit === 0) return { skip: 'max_retries_failure is 0' };
    if (cause === 'timeout' && !retry.retry_on_timeout)
      return { skip: 'a timeout is not retried (retry_on_timeout is false)' };
    if (
      retry.retry_on_exit_codes.length > 0 &&
      (code === null || !retry.retry_on_exit_codes.includes(code))
    ) {
      return {
        skip: `code ${code ?? 'none'} is not in retry_on_exit_codes [${retry.retry_on_exit_codes.join(', ')}]`,
      };
    }
    if (history.failures >= limit) {
      return {
        verdict: failedOrTerminated(ended.outcome),
        because: `all ${limit} retries of max_retries_failure are used up`,
      };
    }
    const number = history.failures + 1;
    const wait = ended.post?.delayMs ?? retryDelayMs(retry, number, ended.seed);
    const answer = retryWithin(facts, wait, `retry ${number} of ${limit}`);
    if (answer.verdict.kind !== 'retry' || ended.post === null) return answer;
    return {
      verdict: answer.verdict,
      because: answer.because,
      memoryBytes: ended.post.memoryBytes,
      runtimeMs: ended.post.runtimeMs,
    };
  },

  ask: ({ policy }: Case): Answer =>
    policy.usePendingFailed
      ? { verdict: { kind: 'ask' }, because: 'nothing the workflow says applies: somebody has to decide' }
      : { skip: 'use_pending_failed is off' },

  otherwise: ({ ended }: Case): Answer => ({
    verdict: failedOrTerminated(ended.outcome),
    because: 'no retry applies',
  }),
} satisfies Record<string, (facts: Case) => Answer>;

export type RuleName = keyof typeof RULES;
export const RULE_NAMES = Object.keys(RULES) as RuleName[];

/** Pure and total: the same facts, policy and history always give the same decision. */
export function decide(ended: Ended, policy: Policy, history: History): Decision {
  const facts = judge(ended, policy, history);
  const walk: WalkStep[] = [];
  let handlerOutcome: HandlerOutcome | null = null;
  for (const rule of RULE_NAMES) {
    const answer: Answer = RULES[rule](facts);
    handlerOutcome = answer.handlerOutcome ?? handlerOutcome;
    if (answer.skip !== undefined) {
      walk.push({ rule, applies: false, because: answer.skip });
      continue;
    }
    walk.push({ rule, applies: true, because: answer.because });
    return {
      verdict: answer.verdict,
      cause: facts.cause,
      matchCode: facts.code,
      category: facts.category,
      rule,
      reason: answer.because,
      handlerOutcome,
      recoveryScript: answer.recoveryScript ?? null,
      memoryBytes: answer.memoryBytes ?? null,
      runtimeMs: answer.runtimeMs ?? null,
      walk,
    };
  }
  throw new Error('the last rule applies to everything');
}

/** Puts together what the rules look at: cause, match code, the matching rule, category. */
function judge(ended: Ended, policy: Policy, history: History): Case {
  const { outcome, post } = ended;
  // A post script that does not accept makes a failure of what succeeded.
  const cause = causeOf(outcome) ?? (post === null || post.exitCode === 0 ? null : 'exit');
  const code = matchCode(outcome);
  const word =
    post?.exitCode === POST_PERMANENT ? (post.category === 'data' ? 'data' : 'permanent') : post?.category;
  const builtIn = categoryOf(cause);
  const judged = builtIn === null ? null : (word ?? builtIn);
  const rules = policy.handler === null || policy.handler === 'unreadable' ? [] : policy.handler.rules;
  const { match, observed } =
    cause === null || judged === null || cause === 'lost'
      ? { match: null, observed: [] }
      : matchRules(rules, { outcome, code, cause, category: judged, stderrMatches: ended.stderrMatches });
  const category = judged === null ? null : (word ?? match?.rule.category ?? judged);
  return { ended, policy, history, cause, code, category, match, observed };
}

/** A retry after the wait, unless the deadline is reached by then. */
function retryWithin({ ended, history, policy }: Case, wait: number, what: string): Verdicts {
  const notBefore = ended.finishedAt + wait;
  const firstStart = history.firstStartedAt ?? ended.startedAt;
  const { deadlineMs } = policy;
  if (deadlineMs !== null && firstStart !== null && notBefore >= firstStart + deadlineMs) {
    return {
      verdict: failedOrTerminated(ended.outcome),
      because: `deadline: the retry would start after ${formatDuration(deadlineMs)} from the first start`,
    };
  }
  return {
    verdict: { kind: 'retry', notBefore },
    because: wait > 0 ? `${what} after ${formatDuration(wait)}` : `${what}, at once`,
  };
}

/** The built-in judgement: never permanent, never data. */
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

function failedOrTerminated(facts: Outcome): { kind: 'fail'; status: 'failed' | 'terminated' } {
  // Out of memory is told by its cause; the signal is only how it was ended.
  const killed = facts.timedOut || (facts.signal !== null && !facts.oom);
  return { kind: 'fail', status: killed ? 'terminated' : 'failed' };
}
