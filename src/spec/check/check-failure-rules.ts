import {
  type FailureHandler,
  type FailureRule,
  isCatchAll,
  isSpecific,
} from '../../core/policy/failure-rule.ts';
import { parseDuration } from '../../core/text/quantity.ts';
import type { Findings } from '../findings.ts';
import { patternError } from '../pattern.ts';
import type { SpecPath } from '../problem.ts';
import type { FailureRuleSpec } from '../schema/failure-handler-schema.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';

export const MATCHERS = ['exit_codes', 'signals', 'stderr', 'causes', 'categories'] as const;

/** What a rule says of its retry. */
const RETRY_KEYS = ['recovery_script', 'max_retries', 'delay', 'memory', 'runtime'] as const;

/** What rules must say beyond their shape. */
export function checkFailureRules(spec: WorkflowSpec, written: object, findings: Findings): void {
  for (const [index, handler] of (spec.failure_handlers ?? []).entries()) {
    for (const [number, rule] of handler.rules.entries()) {
      const path = ['failure_handlers', index, 'rules', number];
      checkRule(rule, written, path, MATCHERS, findings);
      if (rule.verdict === 'ask' && !spec.use_pending_failed) {
        findings.error([...path, 'verdict'], '`ask` needs `use_pending_failed: true` in the workflow');
      }
      if (rule.timeout !== undefined) checkScriptTimeout(rule, path, findings);
    }
  }
}

/** What a rule must say, be it of a failure handler or of a rulebook. */
export function checkRule(
  rule: Partial<FailureRuleSpec>,
  written: object,
  path: SpecPath,
  matchers: readonly string[],
  findings: Findings,
): void {
  if (!rule.match_all_exit_codes && !mentions(written, path, matchers)) {
    findings.error(path, `the rule matches nothing: give it ${matchers.join(', ')} or match_all_exit_codes`);
  }
  const problem = rule.stderr === undefined ? undefined : patternError(rule.stderr);
  if (problem) findings.error([...path, 'stderr'], problem);
  for (const key of ['memory', 'runtime'] as const) {
    if (rule[`max_${key}`] !== undefined && rule[key] === undefined) {
      findings.error([...path, `max_${key}`], `limits \`${key}\`, which the rule does not change`);
    }
  }
  const { verdict = 'retry', mode = 'act' } = rule;
  if (verdict === 'retry' || mode === 'observe') return;
  for (const key of RETRY_KEYS) {
    if (rule[key] !== undefined)
      findings.error([...path, key], `is for a retry, and the rule says \`verdict: ${verdict}\``);
  }
}

function checkScriptTimeout(rule: FailureRuleSpec, path: SpecPath, findings: Findings): void {
  const place = [...path, 'timeout'];
  if (rule.recovery_script === undefined) {
    findings.error(place, 'limits `recovery_script`, which the rule does not have');
  }
  if (parseDuration(rule.timeout!, 1) === 0) findings.error(place, 'must be longer than 0');
}

/** Whether a key was written, be it right or wrong. */
function mentions(written: unknown, path: SpecPath, keys: readonly string[]): boolean {
  let value = written;
  for (const part of path) value = (value as Record<string | number, unknown> | undefined)?.[part];
  return typeof value === 'object' && value !== null && keys.some((key) => Object.hasOwn(value, key));
}

/** Reports handlers that no job uses, and rules that can never fire. */
export function warnOfIdleRules(
  handlers: readonly FailureHandler[],
  used: ReadonlySet<string | null>,
  findings: Findings,
): void {
  for (const [index, { name, rules }] of handlers.entries()) {
    const path = ['failure_handlers', index];
    if (!used.has(name)) findings.warn(path, `no job uses "${name}"`);
    for (const [position, rule] of rules.entries()) {
      const reason = idleReason(rule, rules.slice(0, position));
      if (reason !== undefined)
        findings.warn([...path, 'rules', position], `the rule can never fire: ${reason}`);
      else if (rule.matchAllExitCodes && !isCatchAll(rule)) {
        findings.warn(
          [...path, 'rules', position, 'match_all_exit_codes'],
          'has no effect: all other matchers of the rule must hold',
        );
      }
      warnOfUnmadeRetry(rule, [...path, 'rules', position], findings);
    }
  }
}

/** `max_retries` counts executions, so that 1 leaves no retry; 0 leaves it to `retry:`, which knows none of these. */
function warnOfUnmadeRetry(rule: FailureRule, path: SpecPath, findings: Findings): void {
  if (rule.maxRetries > 1 || rule.verdict !== 'retry') return;
  const { recoveryScript: recovery_script, delayMs: delay, memory, runtime } = rule;
  for (const [key, value] of Object.entries({ recovery_script, delay, memory, runtime })) {
    if (value !== null)
      findings.warn(
        [...path, key],
        `has no effect: with \`max_retries: ${rule.maxRetries}\` the rule retries nothing (it counts executions, the first included)`,
      );
  }
}

/** Why nothing is left for a rule after those before it. */
function idleReason(rule: FailureRule, before: readonly FailureRule[]): string | undefined {
  if (!isSpecific(rule)) {
    if (!rule.matchAllExitCodes) return 'its matchers are empty';
    const first = before.findIndex(
      (other) => isCatchAll(other) && !isSpecific({ ...other, exitCodes: [] }) && other.mode === 'act',
    );
    return first < 0 ? undefined : `rule ${first + 1} already matches everything that is left`;
  }
  if (rule.exitCodes.length === 0 || isCatchAll(rule)) return undefined;
  const takers = before
    .map((other, index) => ({ other, number: index + 1 }))
    .filter(({ other }) => takesItsCodes(other));
  const covers = (ranges: [number, number][]) =>
    rule.exitCodes.every((range) =>
      isCovered(
        range,
        ranges.toSorted(([a], [b]) => a - b),
      ),
    );
  const one = takers.find(({ other }) => covers(other.exitCodes));
  if (one) return `rule ${one.number} takes all its exit codes`;
  return covers(takers.flatMap(({ other }) => other.exitCodes))
    ? `rules ${takers.map(({ number }) => number).join(', ')} take all its exit codes`
    : undefined;
}

/** A rule that acts on its exit codes whatever else is true. */
function takesItsCodes(rule: FailureRule): boolean {
  return rule.mode === 'act' && rule.exitCodes.length > 0 && !isSpecific({ ...rule, exitCodes: [] });
}

/** Whether ranges, sorted by their start, leave no code of this one out. */
function isCovered([low, high]: [number, number], sorted: readonly [number, number][]): boolean {
  let next = low;
  for (const [from, to] of sorted) {
    if (from > next) break;
    next = Math.max(next, to + 1);
  }
  return next > high;
}
