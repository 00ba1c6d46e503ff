import type { Category, Cause, Outcome } from './outcome.ts';

/** A new value, or a factor on the old one, and what it never goes beyond. */
export interface ResourceChange {
  factor: number | null;
  value: number | null;
  maximum: number | null;
}

export type RuleVerdict = 'retry' | 'fail' | 'ask' | 'abort' | 'accept';

/** One rule of a failure handler, normalised. Empty lists and nulls match everything. */
export interface FailureRule {
  /** Ranges of match codes, both ends included. */
  exitCodes: [number, number][];
  matchAllExitCodes: boolean;
  signals: string[];
  /** A pattern that was looked for before: facts tell whether it was found. */
  stderr: string | null;
  causes: Cause[];
  categories: Category[];
  recoveryScript: string | null;
  /** Executions in all. */
  maxRetries: number;
  category: Category | null;
  delayMs: number | null;
  memory: ResourceChange | null;
  runtime: ResourceChange | null;
  verdict: RuleVerdict;
  /** `observe`: record that it applied, and go on. */
  mode: 'act' | 'observe';
}

/** A rule that says nothing: it matches nothing by itself, and retries. */
export const DEFAULT_RULE: FailureRule = {
  exitCodes: [],
  matchAllExitCodes: false,
  signals: [],
  stderr: null,
  causes: [],
  categories: [],
  recoveryScript: null,
  maxRetries: 3,
  category: null,
  delayMs: null,
  memory: null,
  runtime: null,
  verdict: 'retry',
  mode: 'act',
};

export interface FailureHandler {
  name: string;
  rules: FailureRule[];
}

/** What rules are matched against. */
export interface MatchFacts {
  outcome: Outcome;
  code: number | null;
  cause: Cause;
  category: Category;
  /** Patterns of rules that were found in stderr. */
  stderrMatches: readonly string[];
}

/** A rule is specific if it has any matcher besides `match_all_exit_codes`. */
export function isSpecific(rule: FailureRule): boolean {
  return (
    rule.exitCodes.length > 0 ||
    rule.signals.length > 0 ||
    rule.stderr !== null ||
    rule.causes.length > 0 ||
    rule.categories.length > 0
  );
}

export interface RuleMatch {
  /** Position in the handler, from 1. */
  number: number;
  rule: FailureRule;
}

/** The first specific rule that matches, else the first for everything; and the observing ones passed over. */
export function matchRules(
  rules: readonly FailureRule[],
  facts: MatchFacts,
): { match: RuleMatch | null; observed: RuleMatch[] } {
  const observed: RuleMatch[] = [];
  const match =
    findActing(rules, observed, (rule) => isSpecific(rule) && holds(rule, facts)) ??
    findActing(rules, observed, (rule) => rule.matchAllExitCodes && !isSpecific(rule));
  return { match, observed };
}

function findActing(
  rules: readonly FailureRule[],
  observed: RuleMatch[],
  applies: (rule: FailureRule) => boolean,
): RuleMatch | null {
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index]!;
    if (!applies(rule)) continue;
    const match = { number: index + 1, rule };
    if (rule.mode === 'act') return match;
    observed.push(match);
  }
  return null;
}

/** All matchers that the rule has must hold. */
function holds(rule: FailureRule, { outcome, code, cause, category, stderrMatches }: MatchFacts): boolean {
  return (
    (rule.exitCodes.length === 0 ||
      (code !== null && rule.exitCodes.some(([low, high]) => low <= code && code <= high))) &&
    (rule.signals.length === 0 || (outcome.signal !== null && rule.signals.includes(outcome.signal))) &&
    (rule.stderr === null || stderrMatches.includes(rule.stderr)) &&
    (rule.causes.length === 0 || rule.causes.includes(cause)) &&
    (rule.categories.length === 0 || rule.categories.includes(category))
  );
}

/** The value after the change, never beyond its maximum nor below what there is; null if there is nothing to change. */
export function changed(change: ResourceChange | null, current: number | null): number | null {
  if (change === null) return null;
  const wanted = change.value ?? (current === null ? null : Math.round(current * change.factor!));
  if (wanted === null) return null;
  return change.maximum === null ? wanted : Math.max(Math.min(wanted, change.maximum), current ?? 0);
}
