import {
  DEFAULT_RULE,
  type FailureHandler,
  type FailureRule,
  type ResourceRaise,
} from '../../core/policy/failure-rule.ts';
import { parseSize } from '../../core/text/quantity.ts';
import type { SpecPath } from '../problem.ts';
import type { FailureRuleSpec } from '../schema/failure-handler-schema.ts';
import type { SpecContext } from './spec-context.ts';

/** The failure handlers of a workflow with every default filled in. */
export function normaliseHandlers(context: SpecContext): FailureHandler[] {
  return (context.spec.failure_handlers ?? []).map(({ name, rules }, index) => ({
    name,
    rules: rules.map((rule, number) => ({
      ...normaliseRule(rule, (value) => context.milliseconds(value)),
      recoveryScript:
        rule.recovery_script === undefined
          ? null
          : context.script(rule.recovery_script, {}, scriptPath(index, number)),
    })),
  }));
}

function scriptPath(handler: number, rule: number): SpecPath {
  return ['failure_handlers', handler, 'rules', rule, 'recovery_script'];
}

/** A rule of a failure handler or of a rulebook, without its script. */
export function normaliseRule(
  rule: Partial<FailureRuleSpec>,
  milliseconds: (value: string | number | undefined) => number | null,
): FailureRule {
  const bytes = (value: string | number) => parseSize(value) ?? null;
  return {
    exitCodes: (rule.exit_codes ?? []).map(codeRange),
    matchAllExitCodes: rule.match_all_exit_codes ?? false,
    signals: (rule.signals ?? []).map(signalName),
    stderr: rule.stderr ?? null,
    causes: rule.causes ?? [],
    categories: rule.categories ?? [],
    recoveryScript: null,
    recoveryTimeoutMs: milliseconds(rule.timeout) ?? DEFAULT_RULE.recoveryTimeoutMs,
    maxRetries: rule.max_retries ?? DEFAULT_RULE.maxRetries,
    category: rule.category ?? null,
    delayMs: milliseconds(rule.delay),
    memory: resourceChange(rule.memory, rule.max_memory, bytes),
    runtime: resourceChange(rule.runtime, rule.max_runtime, milliseconds),
    verdict: rule.verdict ?? DEFAULT_RULE.verdict,
    mode: rule.mode ?? DEFAULT_RULE.mode,
  };
}

export function codeRange(written: number | string): [number, number] {
  if (typeof written === 'number') return [written, written];
  const [low, high] = written.split('-').map(Number);
  return [low!, high!];
}

function signalName(written: string): string {
  return `SIG${written.toUpperCase().replace(/^SIG/, '')}`;
}

/** `x1.5` is a factor; anything else is the new value. */
function resourceChange(
  change: string | number | undefined,
  maximum: string | number | undefined,
  read: (value: string | number) => number | null,
): ResourceRaise | null {
  if (change === undefined) return null;
  const factor = typeof change === 'string' && change.startsWith('x') ? Number(change.slice(1)) : null;
  return {
    factor,
    value: factor === null ? read(change) : null,
    maximum: maximum === undefined ? null : read(maximum),
  };
}
