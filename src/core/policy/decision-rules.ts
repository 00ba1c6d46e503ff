import { type Category, type Cause, describeOutcome, isUnexplained, type Outcome } from '../job/outcome.ts';
import { formatDuration, formatSize } from '../text/quantity.ts';
import type { Ended, HandlerOutcome, History, OpenCode, Policy, RuleName, Verdict } from './decision.ts';
import { changed, type RuleMatch } from './failure-rule.ts';
import { retryDelayMs } from './retry-policy.ts';
import { routeFailure, routeSuccess } from './take-route.ts';

export interface Case {
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

export interface Verdicts {
  verdict: Verdict;
  because: string;
  /** The attempt succeeded, or its failure was accepted: it is free of charge, wherever it leads. */
  accepted?: true;
  handlerOutcome?: HandlerOutcome;
  recoveryScript?: string | null;
  recoveryTimeoutMs?: number | null;
  memoryBytes?: number | null;
  runtimeMs?: number | null;
}

/**
 * What a rule says: it does not apply, code has to be evaluated first, or a verdict with its reason. A failure that `routes` may still turn into
 * something else says `unlessRouted`: whether the same thing may be done again, or only after something changed.
 */
export type RuleAnswer =
  | { skip: string; open?: undefined; handlerOutcome?: HandlerOutcome }
  | { open: OpenCode; skip?: undefined; handlerOutcome?: undefined }
  | (Verdicts & { skip?: undefined; open?: undefined; unlessRouted?: 'repeat' | 'change' });

/** After this many losses in a row a job is suspected of killing its workers, and backs off. */
const LOSSES_BEFORE_BACKOFF = 3;

/** The failure path. The first rule that applies decides; `explain` prints the walk. */
export const RULES = {
  canceled: ({ cause, ended }: Case): RuleAnswer => {
    if (cause !== 'canceled') return { skip: 'it was not canceled' };
    if (ended.retried === null) {
      return { verdict: { kind: 'cancel' }, because: `${ended.cancelReason ?? 'canceled'}; never retried` };
    }
    if (ended.superseded) return { skip: 'it was ended to be retried' };
    return { verdict: { kind: 'retry', notBefore: ended.finishedAt, run: [] }, because: ended.retried };
  },

  superseded: ({ ended }: Case): RuleAnswer =>
    ended.superseded
      ? { verdict: { kind: 'supersede' }, because: 'a goto overtook it: free of charge' }
      : { skip: 'no goto overtook it' },

  stopped: ({ cause }: Case): RuleAnswer =>
    cause === 'stopped'
      ? { verdict: { kind: 'requeue', notBefore: null }, because: 'stopped, free of charge' }
      : { skip: 'it was not stopped' },

  lost: ({ cause, ended, history, policy }: Case): RuleAnswer => {
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
        because:
          limit === 0
            ? 'worker_lost: no retries allowed after a lost worker'
            : `worker_lost: no retries left after a lost worker (${limit} of ${limit} used)`,
      };
    }
    const spent = `${describeOutcome(ended.outcome)}, preemption ${history.preemptions + 1} of ${limit}`;
    const losses = isUnexplained(ended.outcome) ? history.lossesInRow + 1 : 0;
    if (losses < LOSSES_BEFORE_BACKOFF) {
      return { verdict: { kind: 'requeue', notBefore: null }, because: spent };
    }
    const wait = retryDelayMs(policy.retry, losses - LOSSES_BEFORE_BACKOFF + 1, ended.seed);
    return {
      verdict: { kind: 'requeue', notBefore: ended.finishedAt + wait },
      because: `${spent}; ${losses} losses in a row look like a job that kills its workers, so it waits ${formatDuration(wait)}`,
    };
  },

  condition: ({ ended }: Case): RuleAnswer =>
    ended.disabled
      ? { verdict: { kind: 'disable' }, because: 'its `if` is false' }
      : { skip: 'no `if` keeps it from running' },

  post: (facts: Case): RuleAnswer => {
    const { failIf, post, outcome } = facts.ended;
    if (post === null) return { skip: 'it has no post script' };
    if (post.exit_code === null)
      return { skip: `the post script crashed, which counts as transient: ${post.problem}` };
    const { permanent_code: permanent, abort_code: abort } = facts.policy.postCodes;
    const reason = post.reason === null ? '' : `: ${post.reason}`;
    if (post.exit_code === 0 && failIf !== null) {
      return { skip: `the post script exited with 0 and accepts what the command did, but ${failIf}` };
    }
    if (post.exit_code === 0) return succeed(facts, `accepted by the post script${reason}`);
    if (post.exit_code === abort) {
      return {
        verdict: { ...failedOrTerminated(outcome), kind: 'abort' },
        because: `aborted: the post script exited with ${abort}${reason}`,
      };
    }
    const words = post.exit_code === permanent ? 'calls it permanent' : 'calls it a failure';
    const problem = post.problem === null ? '' : `; ${post.problem}`;
    return { skip: `the post script exited with ${post.exit_code} and ${words}${reason}${problem}` };
  },

  success: (facts: Case): RuleAnswer =>
    facts.cause === null
      ? succeed(facts, 'it succeeded')
      : { skip: facts.ended.failIf ?? `it did not succeed (cause ${facts.cause})` },

  final: ({ category, code, ended, match, policy }: Case): RuleAnswer => {
    const failing = (because: string): RuleAnswer => ({
      verdict: failedOrTerminated(ended.outcome),
      because,
      unlessRouted: 'change',
    });
    if (category === 'permanent' || category === 'data')
      return failing(`its category is ${category}: no retry would help`);
    if (match?.rule.verdict === 'fail')
      return failing(`rule ${match.number} of the failure handler says fail`);
    if (code !== null && policy.retry.no_retry_on_exit_codes.includes(code)) {
      return failing(`code ${code} is in no_retry_on_exit_codes`);
    }
    return { skip: 'nothing rules out a retry' };
  },

  handler: (facts: Case): RuleAnswer => {
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
        return succeed(facts, `accepted by ${name}`);
      case 'abort':
        return {
          verdict: { ...failedOrTerminated(ended.outcome), kind: 'abort' },
          because: `aborted by ${name}`,
        };
      case 'ask':
        // Without opt-in nobody could resolve it.
        return policy.usePendingFailed
          ? { verdict: { kind: 'ask' }, because: `${name} asks for a decision` }
          : {
              verdict: failedOrTerminated(ended.outcome),
              because: `${name} says ask, but use_pending_failed is off`,
              unlessRouted: 'repeat',
            };
    }
    if (rule.maxRetries === 0) return { skip: `${name} matches, and its max_retries is 0${seen}` };
    const executions = history.failures + 1;
    if (executions >= rule.maxRetries) {
      return {
        verdict: failedOrTerminated(ended.outcome),
        because: `${name}: no executions left (${rule.maxRetries} of ${rule.maxRetries} used)`,
        handlerOutcome: 'MaxRetriesExceeded',
        unlessRouted: 'repeat',
      };
    }
    const wait = rule.delayMs ?? ended.post?.delay_ms ?? 0;
    const answer = retryWithin(
      facts,
      wait,
      `${name}: execution ${executions + 1} of ${rule.maxRetries}${seen}`,
    );
    if (answer.verdict.kind !== 'retry') return answer;
    return {
      ...withResources(facts, answer, {
        memoryBytes: changed(rule.memory, policy.memoryBytes) ?? ended.post?.memory_bytes ?? null,
        runtimeMs: changed(rule.runtime, policy.runtimeMs) ?? ended.post?.runtime_ms ?? null,
      }),
      handlerOutcome: 'Retried',
      recoveryScript: rule.recoveryScript,
      recoveryTimeoutMs: rule.recoveryScript === null ? null : rule.recoveryTimeoutMs,
    };
  },

  retry: (facts: Case): RuleAnswer => {
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
        because: `no retries left (${limit} of ${limit} used)`,
        unlessRouted: 'repeat',
      };
    }
    const number = history.failures + 1;
    const wait = ended.post?.delay_ms ?? retryDelayMs(retry, number, ended.seed);
    const answer = retryWithin(facts, wait, `retry ${number} of ${limit}`);
    if (answer.verdict.kind !== 'retry' || ended.post === null) return answer;
    const { memory_bytes: memoryBytes, runtime_ms: runtimeMs } = ended.post;
    return withResources(facts, answer, { memoryBytes, runtimeMs });
  },

  routes: (facts: Case): RuleAnswer => routed(facts, null),

  ask: ({ policy }: Case): RuleAnswer =>
    policy.usePendingFailed
      ? { verdict: { kind: 'ask' }, because: 'no rule matches' }
      : { skip: 'use_pending_failed is off' },

  otherwise: ({ ended }: Case): RuleAnswer => ({
    verdict: failedOrTerminated(ended.outcome),
    because: 'no retry applies',
  }),
} satisfies Record<RuleName, (facts: Case) => RuleAnswer>;

/** A success leads where `on_success` says. */
function succeed({ ended, history, policy }: Case, because: string): RuleAnswer {
  const complete: RuleAnswer = { verdict: { kind: 'complete' }, because, accepted: true };
  if (policy.routes === null) return complete;
  const route = routeSuccess(policy.routes, ended.dynamic, history.loops, false);
  switch (route.kind) {
    case 'evaluate':
      return { open: { keys: route.keys, failed: false } };
    case 'call':
      return { verdict: { kind: 'call', run: route.run }, because: route.because, accepted: true };
    case 'goto': {
      const verdict: Verdict = { kind: 'goto', target: route.target, status: 'completed' };
      return { verdict, because: route.because, accepted: true };
    }
    case 'loop_abort': {
      const verdict: Verdict = { kind: 'loop_abort', status: 'failed' };
      return { verdict, because: route.because, accepted: true };
    }
    default:
      return complete;
  }
}

/** A failure leads where `on_fail` says; `final` says why repeating it unchanged would not help. */
export function routed(facts: Case, final: string | null): RuleAnswer {
  const { ended, history, policy } = facts;
  if (policy.routes === null) return { skip: 'it has no on_fail' };
  const route = routeFailure(policy.routes, ended.dynamic, history, final);
  const end = failedOrTerminated(ended.outcome);
  switch (route.kind) {
    case 'none':
      return { skip: route.because };
    case 'evaluate':
      return { open: { keys: route.keys, failed: true } };
    case 'used_up':
      return { verdict: end, because: route.because };
    case 'goto':
      return { verdict: { ...end, kind: 'goto', target: route.target }, because: route.because };
    case 'loop_abort':
      return { verdict: { ...end, kind: 'loop_abort' }, because: route.because };
    case 'retry': {
      const answer = retryWithin(facts, route.delayMs, route.because, route.run);
      if (answer.verdict.kind === 'retry') return answer;
      // Past the deadline there are no re-attempts left, only a jump.
      const spent = { ...history, reattempts: Number.POSITIVE_INFINITY };
      const jump = routed({ ...facts, history: spent }, final);
      const jumps = 'verdict' in jump && jump.verdict.kind !== 'fail';
      return jumps ? jump : { verdict: end, because: answer.because };
    }
    case 'call':
      throw new Error('a failure calls nothing but remediation');
  }
}

/** A retry after the wait, unless the deadline is reached by then. */
function retryWithin(
  { ended, history, policy }: Case,
  wait: number,
  what: string,
  run: string[] = [],
): Verdicts & { unlessRouted?: 'repeat' } {
  const notBefore = ended.finishedAt + wait;
  const firstStart = history.firstStartedAt ?? ended.startedAt;
  const { deadlineMs } = policy;
  if (deadlineMs !== null && firstStart !== null && notBefore >= firstStart + deadlineMs) {
    return {
      verdict: failedOrTerminated(ended.outcome),
      because: `deadline: the retry would start after ${formatDuration(deadlineMs)} from the first start`,
      unlessRouted: 'repeat',
    };
  }
  return {
    verdict: { kind: 'retry', notBefore, run },
    because: wait > 0 ? `${what} after ${formatDuration(wait)}` : `${what}, at once`,
  };
}

/** A retry that may use these, where they are not null; the reason names what is new. */
function withResources(
  { policy }: Case,
  { verdict, because }: Verdicts,
  resources: { memoryBytes: number | null; runtimeMs: number | null },
): Verdicts {
  const { memoryBytes, runtimeMs } = resources;
  const changes = [
    ...(memoryBytes === null || memoryBytes === policy.memoryBytes
      ? []
      : [`${formatSize(memoryBytes)} of memory`]),
    ...(runtimeMs === null || runtimeMs === policy.runtimeMs
      ? []
      : [`a runtime of ${formatDuration(runtimeMs)}`]),
  ];
  const resourcesText = changes.length === 0 ? '' : `, with ${changes.join(' and ')}`;
  return { verdict, because: `${because}${resourcesText}`, ...resources };
}

export function failedOrTerminated(facts: Outcome): { kind: 'fail'; status: 'failed' | 'terminated' } {
  // Out of memory is known by its cause; the signal is only how it was ended.
  const killed = facts.timed_out || (facts.signal !== null && !facts.oom);
  return { kind: 'fail', status: killed ? 'terminated' : 'failed' };
}
