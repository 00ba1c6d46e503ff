import type { Cause } from '../job/outcome.ts';
import { formatDuration, formatSize } from '../text/quantity.ts';
import type { Policy } from './decision.ts';
import {
  DEFAULT_RULE,
  type FailureRule,
  isCatchAll,
  isSpecific,
  type ResourceRaise,
  withoutCodes,
} from './failure-rule.ts';
import { DEFAULT_RETRY, type RetryPolicy, retryDelayMs } from './retry-policy.ts';
import { type Routes, reattemptDelayMs } from './routes.ts';
import type { RoutePolicy } from './take-route.ts';

/** A policy in words, one sentence for each thing that can happen, in the order in which they are asked. */
export function describePolicy(policy: Policy, hasPost = false): string[] {
  const { handler, retry, deadlineMs, usePendingFailed } = policy;
  const lines: string[] = [];
  if (hasPost) lines.push('the post script classifies each attempt');
  if (retry.no_retry_on_exit_codes.length > 0) {
    lines.push(`${codes(retry.no_retry_on_exit_codes.map((code) => [code, code]))}: fails, never retried`);
  }
  if (handler === 'unreadable') return [...lines, 'any failure: fails, its failure handler cannot be read'];

  const rules = handler === null ? [] : inOrderOfMatching(handler.rules);
  // Whether something is decided already, so that what follows is about the rest.
  let decided = retry.no_retry_on_exit_codes.length > 0;
  for (const rule of rules) {
    const matchers = matchersOf(rule);
    const subject = rule.matchAllExitCodes
      ? [failures(decided), matchers].filter(Boolean).join(', with ')
      : matchers;
    lines.push(`${subject}: ${actionOf(rule)}`);
    decided ||= rule.mode === 'act' && !isPassedOn(rule);
  }
  const leftOver = rules.every((rule) => isSpecific(rule) || rule.mode === 'observe' || isPassedOn(rule));
  if (leftOver && retry.max_retries_failure > 0) lines.push(retryLine(retry, decided));
  const retriesAll =
    retry.max_retries_failure > 0 && retry.retry_on_exit_codes.length === 0 && retry.retry_on_timeout;
  const onFail = failLines(policy.routes);
  lines.push(...onFail);
  if (onFail.length > 0)
    lines.push(usePendingFailed ? 'waits for a decision when no rule applies' : 'then it fails');
  else if (leftOver && !retriesAll) {
    const anything = decided || retry.max_retries_failure > 0;
    lines.push(
      usePendingFailed
        ? 'waits for a decision when no rule applies'
        : anything
          ? 'everything else fails'
          : 'any failure is final',
    );
  }
  if (deadlineMs !== null)
    lines.push(`no retry starts later than ${formatDuration(deadlineMs)} after the first start`);
  if (retry.max_retries_preemption !== DEFAULT_RETRY.max_retries_preemption) {
    lines.push(
      retry.max_retries_preemption === 0
        ? 'a lost worker fails it'
        : `a lost worker is replaced ${upTo(retry.max_retries_preemption)}`,
    );
  }
  lines.push(...successLines(policy.routes));
  return lines;
}

/** Where failures lead, in the order in which it happens. */
function failLines(routes: RoutePolicy | null): string[] {
  const lines: string[] = [];
  const onFail = routes?.onFail ?? null;
  if (onFail === null) return lines;
  const run = stepsToRun(onFail);
  const max = Math.max(onFail.reattempt.max, run === null ? 0 : 1);
  if (max > 0) {
    const wait = formatDuration(reattemptDelayMs(onFail.reattempt, 1));
    const backoff = onFail.reattempt.mode === 'fixed' ? `after ${wait}` : `after ${wait}, then twice that`;
    lines.push(`on_fail: ${run === null ? '' : `runs ${run}, then `}re-attempts ${upTo(max)}, ${backoff}`);
  }
  const target = goal(onFail);
  if (target !== null) lines.push(`on_fail: ${max > 0 ? 'then ' : ''}goes back to ${target}`);
  return lines;
}

/** Where a success leads, and how far routes may go. */
function successLines(routes: RoutePolicy | null): string[] {
  if (routes === null) return [];
  const lines: string[] = [];
  const run = routes.onSuccess === null ? null : stepsToRun(routes.onSuccess);
  const target = routes.onSuccess === null ? null : goal(routes.onSuccess);
  if (run !== null) lines.push(`on_success: runs ${run}`);
  if (target !== null) lines.push(`on_success: goes back to ${target}`);
  lines.push(`at most ${routes.maxLoops} re-attempts and jumps of routes in its scope`);
  return lines;
}

function stepsToRun({ run, run_js: runJs }: Routes): string | null {
  const steps = [...run, ...(runJs === null ? [] : ['what run_js says'])];
  return steps.length === 0 ? null : steps.join(', ');
}

function goal({ goto, goto_js: gotoJs }: Routes): string | null {
  if (gotoJs === null) return goto;
  return goto === null ? 'what goto_js says' : `what goto_js says, or ${goto}`;
}

/**
 * Specific rules in the order written, then the catch-alls up to the first that takes everything. A rule that is both
 * appears twice: once for its codes, once without them.
 */
function inOrderOfMatching(rules: readonly FailureRule[]): FailureRule[] {
  const specific = rules.filter(isSpecific).map((rule) => ({ ...rule, matchAllExitCodes: false }));
  const general = rules.filter(isCatchAll).map(withoutCodes);
  const first = general.findIndex((rule) => rule.mode === 'act' && !isSpecific(rule));
  return [...specific, ...(first < 0 ? general : general.slice(0, first + 1))];
}

/** A rule that matches without a budget of its own leaves the failure to `retry`. */
function isPassedOn({ category, maxRetries, verdict }: FailureRule): boolean {
  return verdict === 'retry' && maxRetries === 0 && category !== 'permanent' && category !== 'data';
}

function actionOf(rule: FailureRule): string {
  if (rule.mode === 'observe') return 'only recorded';
  if (rule.category === 'permanent' || rule.category === 'data')
    return `fails, its category is ${rule.category}`;
  switch (rule.verdict) {
    case 'fail':
      return 'fails, never retried';
    case 'ask':
      return 'waits for a decision';
    case 'abort':
      return 'aborts the workflow';
    case 'accept':
      return 'counts as success';
  }
  if (isPassedOn(rule)) return 'left to `retry`, max_retries is 0';
  if (rule.maxRetries === 1) return 'fails, 1 execution in all';
  return [
    `up to ${rule.maxRetries} executions`,
    rule.delayMs === null || rule.delayMs === 0 ? null : `wait ${formatDuration(rule.delayMs)}`,
    rule.recoveryScript === null ? null : `run \`${rule.recoveryScript.trim()}\` first${limitOf(rule)}`,
    changeOf('memory', rule.memory, formatSize),
    changeOf('runtime', rule.runtime, formatDuration),
  ]
    .filter((part) => part !== null)
    .join('; ');
}

function changeOf(
  what: string,
  change: ResourceRaise | null,
  format: (value: number) => string,
): string | null {
  if (change === null) return null;
  const to = change.factor === null ? format(change.value ?? 0) : `x${change.factor}`;
  return `${what} ${to}${change.maximum === null ? '' : `, at most ${format(change.maximum)}`}`;
}

const CAUSE_WORDS: Partial<Record<Cause, string>> = {
  exit: 'a failing exit code',
  signal: 'a signal',
  timeout: 'a timeout',
  oom: 'out of memory',
  missing_output: 'a missing output',
  spawn: 'a command that cannot be started',
};

/** `exit 10 to 19 and 75, with stderr matching "busy"`. */
function matchersOf(rule: FailureRule): string {
  const parts = [
    rule.exitCodes.length > 0 ? codes(rule.exitCodes) : null,
    rule.signals.length > 0 ? list(rule.signals, 'or') : null,
    rule.causes.length > 0
      ? list(
          rule.causes.map((cause) => CAUSE_WORDS[cause] ?? cause),
          'or',
        )
      : null,
    rule.categories.length > 0 ? `a failure called ${list(rule.categories, 'or')}` : null,
    rule.stderr === null ? null : `stderr matching ${JSON.stringify(rule.stderr)}`,
  ];
  return parts.filter((part) => part !== null).join(', with ');
}

function retryLine(retry: RetryPolicy, others: boolean): string {
  const { max_retries_failure: limit, retry_on_exit_codes: allowed } = retry;
  const subject = allowed.length > 0 ? codes(allowed.map((code) => [code, code])) : failures(others);
  const exception = retry.retry_on_timeout ? '' : ' but a timeout';
  return `${subject}${exception}: retried ${upTo(limit)}${retryWaits(retry)}`;
}

const WAITS_SHOWN = 3;

/** `, after 1s, 2s, 4s …`: the first waits without jitter. */
export function retryWaits(retry: RetryPolicy): string {
  const plain: RetryPolicy = { ...retry, jitter: 'none' };
  const waits = Array.from({ length: Math.min(retry.max_retries_failure, WAITS_SHOWN) }, (_, index) =>
    retryDelayMs(plain, index + 1, 0),
  );
  if (waits.every((wait) => wait === 0)) return ', at once';
  const jitter = retry.jitter === 'none' ? '' : ` (${retry.jitter} jitter)`;
  if (new Set(waits).size === 1 && retryDelayMs(plain, retry.max_retries_failure, 0) === waits[0]) {
    return `, after ${formatDuration(waits[0]!)}${waits.length > 1 ? ' each' : ''}${jitter}`;
  }
  const more = retry.max_retries_failure > WAITS_SHOWN ? ' …' : '';
  return `, after ${waits.map(formatDuration).join(', ')}${more}${jitter}`;
}

function codes(ranges: readonly (readonly [number, number])[]): string {
  return `exit ${list(
    ranges.map(([low, high]) => (low === high ? String(low) : `${low} to ${high}`)),
    'and',
  )}`;
}

function failures(other: boolean): string {
  return other ? 'any other failure' : 'any failure';
}

function list(words: readonly string[], joint: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`;
}

export function upTo(count: number): string {
  return count === 1 ? 'once' : `up to ${count} times`;
}

function limitOf({ recoveryTimeoutMs }: FailureRule): string {
  const isDefault = recoveryTimeoutMs === DEFAULT_RULE.recoveryTimeoutMs;
  return isDefault ? '' : ` (for at most ${formatDuration(recoveryTimeoutMs)})`;
}
