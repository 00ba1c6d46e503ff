import type { Category, Cause, Outcome } from '../job/outcome.ts';

/** A new value, or a factor on the old one, and what it never goes beyond. */
export interface ResourceRaise {
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
  /** A pattern that was looked for before: facts say whether it was found. */
  stderr: string | null;
  causes: Cause[];
  categories: Category[];
  recoveryScript: string | null;
  /** How long the script may run. */
  recoveryTimeoutMs: number;
  /** Executions in all. */
  maxRetries: number;
  category: Category | null;
  delayMs: number | null;
  memory: ResourceRaise | null;
  runtime: ResourceRaise | null;
  verdict: RuleVerdict;
  /** `observe`: record that it applied, and continue. */
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
  recoveryTimeoutMs: 10 * 60_000,
  maxRetries: 3,
  category: null,
  delayMs: null,
  memory: null,
  runtime: null,
  verdict: 'retry',
  mode: 'act',
};

/** Matchers of a rulebook, whose rules also see the report of a job and why a batch system held it. */
interface ReportMatchers {
  /** Ranges of the code in the report, both ends included. */
  reportCodes: [number, number][];
  /** Patterns, as `stderr`. */
  message: string | null;
  holds: string | null;
}

/** A rule of a failure handler or of a rulebook. */
type MatchableRule = FailureRule & Partial<ReportMatchers>;

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
  /** What only rulebooks look at; absent: there is nothing of it. */
  reportCode?: number | null;
  messageMatches?: readonly string[];
  holdMatches?: readonly string[];
}

/** A rule is specific if it has any matcher besides `match_all_exit_codes`. */
export function isSpecific(rule: MatchableRule): boolean {
  return (
    rule.exitCodes.length > 0 ||
    rule.signals.length > 0 ||
    rule.stderr !== null ||
    rule.causes.length > 0 ||
    rule.categories.length > 0 ||
    (rule.reportCodes ?? []).length > 0 ||
    (rule.message ?? null) !== null ||
    (rule.holds ?? null) !== null
  );
}

export interface RuleMatch<R extends FailureRule = FailureRule> {
  /** Position in the handler, from 1. */
  number: number;
  rule: R;
}

/**
 * A rule for what no specific rule takes. With `exit_codes` beside `match_all_exit_codes` a rule is both: specific for
 * its codes, and this for all other codes.
 */
export function isCatchAll(rule: FailureRule): boolean {
  return rule.matchAllExitCodes && (rule.exitCodes.length > 0 || !isSpecific(rule));
}

/** The matchers that a catch-all still has: all but its codes. */
export function withoutCodes(rule: MatchableRule): MatchableRule {
  return rule.exitCodes.length === 0 ? rule : { ...rule, exitCodes: [] };
}

/** The first specific rule that matches, else the first catch-all; and the observing ones passed over. */
export function matchRules<R extends MatchableRule>(
  rules: readonly R[],
  facts: MatchFacts,
): { match: RuleMatch<R> | null; observed: RuleMatch<R>[] } {
  const observed: RuleMatch<R>[] = [];
  const match =
    findActing(rules, observed, (rule) => isSpecific(rule) && holds(rule, facts)) ??
    findActing(
      rules,
      observed,
      // An observing rule that matched as a specific one is not recorded a second time.
      (rule) =>
        isCatchAll(rule) && !(isSpecific(rule) && holds(rule, facts)) && holds(withoutCodes(rule), facts),
    );
  return { match, observed };
}

function findActing<R extends MatchableRule>(
  rules: readonly R[],
  observed: RuleMatch<R>[],
  applies: (rule: R) => boolean,
): RuleMatch<R> | null {
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
function holds(rule: MatchableRule, facts: MatchFacts): boolean {
  const { outcome, code, cause, category } = facts;
  return (
    isIn(code, rule.exitCodes) &&
    (rule.signals.length === 0 || (outcome.signal !== null && rule.signals.includes(outcome.signal))) &&
    isFound(rule.stderr, facts.stderrMatches) &&
    (rule.causes.length === 0 || rule.causes.includes(cause)) &&
    (rule.categories.length === 0 || rule.categories.includes(category)) &&
    isIn(facts.reportCode ?? null, rule.reportCodes ?? []) &&
    isFound(rule.message ?? null, facts.messageMatches ?? []) &&
    isFound(rule.holds ?? null, facts.holdMatches ?? [])
  );
}

function isIn(code: number | null, ranges: readonly [number, number][]): boolean {
  return ranges.length === 0 || (code !== null && ranges.some(([low, high]) => low <= code && code <= high));
}

function isFound(pattern: string | null, found: readonly string[]): boolean {
  return pattern === null || found.includes(pattern);
}

/** The value after the change, never beyond its maximum nor below what there is; null if there is nothing to change. */
export function changed(change: ResourceRaise | null, current: number | null): number | null {
  if (change === null) return null;
  const wanted = change.value ?? (current === null ? null : Math.round(current * change.factor!));
  if (wanted === null) return null;
  return change.maximum === null ? wanted : Math.max(Math.min(wanted, change.maximum), current ?? 0);
}
