import {
  type Category,
  type Cause,
  causeOf,
  describeOutcome,
  matchCode,
  type Outcome,
} from '../job/outcome.ts';
import { changed, type FailureRule, matchRules, type RuleMatch } from '../policy/failure-rule.ts';
import { harmlessLine } from '../text/harmless-line.ts';
import type { ErrorSettings } from './error-settings.ts';
import { type JobReport, mentionedIn } from './job-report.ts';
import type { Classification, PostAction } from './post-record.ts';
import type { Rulebook, RulebookRule } from './request-model.ts';

/** Patterns of the rulebook that were found, by where they were looked for. */
export interface FoundPatterns {
  stderr: readonly string[];
  message: readonly string[];
  holds: readonly string[];
}

/** What is known of an attempt that has ended. */
export interface AttemptFacts {
  outcome: Outcome;
  report: JobReport | null;
  /** Why a batch system held the job; null if it did not. */
  hold_reason: string | null;
  /** Items that the job processes. */
  items: readonly string[];
  /** Failures that count against `max_retries`, this one not included. */
  failures_before: number;
  max_retries: number;
  /** What the attempt was allowed to use. */
  memory_bytes: number | null;
  runtime_ms: number | null;
  found: FoundPatterns;
}

export interface ClassifiedAttempt {
  exit_code: number;
  classification: Classification;
  /** What the next attempt may use, where that changes. */
  memory_bytes: number | null;
  runtime_ms: number | null;
  /** The wait before the next attempt that the rule sets; null: the retry policy decides. */
  delay_ms: number | null;
  bad_inputs: string[];
  final: boolean;
  /** The classification in words, harmless on a terminal. */
  sentence: string;
}

type PostSettings = Pick<ErrorSettings, 'unless_exit_code' | 'abort_dag_code'>;

/**
 * The first level of error handling: what kind of end an attempt came to, and the exit code of the post step. Pure. Rules
 * are matched against failures only; without a matching rule the built-in judgement applies.
 */
export function classifyAttempt(
  facts: AttemptFacts,
  rulebook: Rulebook | null,
  settings: PostSettings,
): ClassifiedAttempt {
  const cause = causeOfFailure(facts);
  if (cause === null) return succeeded(facts);
  const builtIn = builtInCategory(facts, cause);
  const { match } = matchRules(rulebook?.rules ?? [], {
    outcome: facts.outcome,
    code: matchCode(facts.outcome),
    cause,
    category: builtIn,
    stderrMatches: facts.found.stderr,
    reportCode: facts.report?.exit_code ?? null,
    messageMatches: facts.found.message,
    holdMatches: facts.found.holds,
  });
  const rule = match?.rule ?? null;
  const kind = kindOf(rule, builtIn);
  const isSpent = facts.failures_before >= facts.max_retries;
  const action = kind === 'retry' && isSpent ? 'retries_exhausted' : kind;
  const category = categoryFor(kind, rule?.category ?? builtIn);
  // Another failure may name a file as well, such as one on a disk that is away.
  const badInputs = rule === null || category !== 'data' ? [] : badItems(rule, facts);
  const mayRetry = kind === 'retry';
  const sentence = sentenceOf(facts, { action, category, match, badInputs });
  return {
    exit_code: exitCodeOf(kind, settings),
    classification: {
      category,
      retryable: mayRetry,
      bad_input_files: badInputs,
      action,
      rule: match?.number ?? null,
      reason: sentence,
    },
    memory_bytes: mayRetry ? changed(rule?.memory ?? null, facts.memory_bytes) : null,
    runtime_ms: mayRetry ? changed(rule?.runtime ?? null, facts.runtime_ms) : null,
    delay_ms: mayRetry ? (rule?.delayMs ?? null) : null,
    bad_inputs: badInputs,
    final: action !== 'retry',
    sentence,
  };
}

/** Patterns of a rulebook, and of a failure handler, each once, by where they are looked for. */
export function patternsOf(
  rulebook: Rulebook | null,
  handler: readonly FailureRule[] = [],
): { [K in keyof FoundPatterns]: string[] } {
  const rules: (FailureRule & Partial<RulebookRule>)[] = [...(rulebook?.rules ?? []), ...handler];
  const every = (key: keyof FoundPatterns) => [...new Set(rules.flatMap((rule) => rule[key] ?? []))];
  return { stderr: every('stderr'), message: every('message'), holds: every('holds') };
}

/** null: it succeeded. A job that ended with 0 failed all the same if its report says so, or if it was held. */
export function causeOfFailure({
  outcome,
  report,
  hold_reason,
}: Pick<AttemptFacts, 'outcome' | 'report' | 'hold_reason'>): Cause | null {
  const isReported = (report?.exit_code ?? 0) !== 0;
  return causeOf(outcome) ?? (isReported || hold_reason !== null ? 'exit' : null);
}

/** Never permanent, never data: only a rule gives these. */
function builtInCategory({ hold_reason }: AttemptFacts, cause: Cause): Category {
  return hold_reason !== null || cause === 'spawn' || cause === 'lost' ? 'infrastructure' : 'transient';
}

/** What the post step does, before retries are counted. */
type Kind = Exclude<PostAction, 'success' | 'retries_exhausted'>;

/** A person cannot be asked here, so `ask` is a retry. */
function kindOf(rule: RulebookRule | null, builtIn: Category): Kind {
  if (rule?.verdict === 'accept') return 'absorbed';
  if (rule?.verdict === 'abort') return 'abort';
  const category = rule?.category ?? builtIn;
  const isPermanent = rule?.verdict === 'fail' || category === 'permanent' || category === 'data';
  return isPermanent ? 'permanent_failure' : 'retry';
}

/** The engine, too, calls permanent what is not retried, except bad data. */
function categoryFor(kind: Kind, category: Category): Category {
  return kind === 'permanent_failure' && category !== 'data' ? 'permanent' : category;
}

function exitCodeOf(
  kind: Kind,
  { unless_exit_code: permanent, abort_dag_code: abort }: PostSettings,
): number {
  switch (kind) {
    case 'absorbed':
      return 0;
    case 'abort':
      return abort;
    case 'permanent_failure':
      return permanent;
    case 'retry':
      return [1, 2, 3].find((code) => code !== permanent && code !== abort)!;
  }
}

function badItems({ badItems: which }: RulebookRule, { report, items }: AttemptFacts): string[] {
  if (which === 'none') return [];
  const known = items.length > 0 ? [...items] : (report?.input_files ?? []);
  if (which === 'all') return known;
  if (report === null) return [];
  if (report.bad_input_files !== null && report.bad_input_files.length > 0) return report.bad_input_files;
  const candidates = report.input_files.length > 0 ? report.input_files : items;
  return mentionedIn(report.error_message ?? '', candidates);
}

function succeeded({ outcome }: AttemptFacts): ClassifiedAttempt {
  const sentence = `${describeOutcome(outcome)}: success`;
  return {
    exit_code: 0,
    classification: {
      category: null,
      retryable: false,
      bad_input_files: [],
      action: 'success',
      rule: null,
      reason: sentence,
    },
    memory_bytes: null,
    runtime_ms: null,
    delay_ms: null,
    bad_inputs: [],
    final: true,
    sentence,
  };
}

const SHOWN_INPUTS = 3;
const MOST_CHARACTERS = 500;

function sentenceOf(
  { outcome, report, hold_reason, failures_before, max_retries }: AttemptFacts,
  classification: {
    action: PostAction;
    category: Category;
    match: RuleMatch<RulebookRule> | null;
    badInputs: readonly string[];
  },
): string {
  const { action, category, match, badInputs } = classification;
  const code = report?.exit_code ?? 0;
  const what = [hold_reason === null ? describeOutcome(outcome) : `held (${hold_reason})`];
  if (code !== 0) what.push(`report code ${code}`);
  const by = match === null ? 'no rule matches' : `rule ${match.number}`;
  const used = `${Math.min(failures_before, max_retries)} of ${max_retries} used`;
  const next: Record<PostAction, string> = {
    success: 'success',
    absorbed: 'accepted',
    retry: `retry ${failures_before + 1} of ${max_retries}`,
    permanent_failure: 'not retried',
    retries_exhausted: max_retries === 0 ? 'no retries allowed' : `no retries left (${used})`,
    abort: 'the whole run is aborted',
  };
  const more = badInputs.length > SHOWN_INPUTS ? ` and ${badInputs.length - SHOWN_INPUTS} more` : '';
  const bad =
    badInputs.length === 0 ? '' : `; bad inputs: ${badInputs.slice(0, SHOWN_INPUTS).join(', ')}${more}`;
  return harmlessLine(`${what.join(', ')}: ${category} (${by}), ${next[action]}${bad}`, MOST_CHARACTERS);
}
