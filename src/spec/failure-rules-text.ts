import type { FailureRule, ResourceRaise } from '../core/policy/failure-rule.ts';
import type { RulebookRule } from '../core/request/request-model.ts';
import { loadSpec } from './load-spec.ts';
import type { Problem } from './problem.ts';

/** The rules of a failure handler as JSON in the notation of specs, which is also that of the API. */
export function writeRules(rules: readonly FailureRule[]): string {
  return JSON.stringify(rules.map(writeRule));
}

function writeRule(rule: FailureRule & Partial<RulebookRule>): Record<string, unknown> {
  const some = <T>(list: readonly T[]) => (list.length === 0 ? undefined : list);
  const duration = (ms: number | null) => (ms === null ? undefined : `${ms}ms`);
  return {
    exit_codes: some(rule.exitCodes.map(rangeText)),
    report_codes: some((rule.reportCodes ?? []).map(rangeText)),
    match_all_exit_codes: rule.matchAllExitCodes || undefined,
    signals: some(rule.signals),
    stderr: rule.stderr ?? undefined,
    message: rule.message ?? undefined,
    holds: rule.holds ?? undefined,
    causes: some(rule.causes),
    categories: some(rule.categories),
    recovery_script: rule.recoveryScript ?? undefined,
    timeout: rule.recoveryScript === null ? undefined : duration(rule.recoveryTimeoutMs),
    max_retries: rule.maxRetries,
    category: rule.category ?? undefined,
    bad_items: rule.badItems ?? undefined,
    delay: duration(rule.delayMs),
    memory: changeText(rule.memory, (bytes) => bytes),
    max_memory: rule.memory?.maximum ?? undefined,
    runtime: changeText(rule.runtime, duration),
    max_runtime: duration(rule.runtime?.maximum ?? null),
    verdict: rule.verdict === 'retry' ? undefined : rule.verdict,
    mode: rule.mode === 'act' ? undefined : rule.mode,
  };
}

function rangeText([low, high]: readonly [number, number]): number | string {
  return low === high ? low : `${low}-${high}`;
}

function changeText<T>(change: ResourceRaise | null, write: (value: number) => T): T | string | undefined {
  if (change === null) return undefined;
  return change.factor === null ? write(change.value!) : `x${change.factor}`;
}

/**
 * Reads such a text, with all the checks of a spec. `usePendingFailed` says whether the workflow lets failures wait
 * for a decision, as `verdict: ask` needs. Problems have their path in the rules.
 */
export function readRules(
  name: string,
  text: string,
  usePendingFailed: boolean,
): { ok: true; rules: FailureRule[] } | { ok: false; problems: string[] } {
  let rules: unknown;
  try {
    rules = JSON.parse(text);
  } catch {
    return { ok: false, problems: ['rules: not JSON; write a list of rules'] };
  }
  const spec = {
    name: 'rules',
    use_pending_failed: usePendingFailed,
    failure_handlers: [{ name, rules }],
    jobs: [{ name: 'job', command: 'true', failure_handler: name }],
  };
  const loaded = loadSpec(JSON.stringify(spec), 'rules.json');
  if (!loaded.ok) return { ok: false, problems: loaded.problems.map(placeInRules) };
  return { ok: true, rules: loaded.model.failureHandlers[0]!.rules };
}

function placeInRules({ path, message }: Problem): string {
  return `${path.replace(/^failure_handlers(\[0\]|\.0)\.?/, '') || 'rules'}: ${message}`;
}
