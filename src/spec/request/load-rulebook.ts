import type { Rulebook, RulebookRule } from '../../core/request/request-model.ts';
import { parseDuration } from '../../core/text/quantity.ts';
import { checkRule, MATCHERS } from '../check/check-failure-rules.ts';
import { Findings } from '../findings.ts';
import { codeRange, normaliseRule } from '../normalise/failure-handlers.ts';
import { patternError } from '../pattern.ts';
import type { Problem } from '../problem.ts';
import { asObject, parseStructure, type SpecShape } from '../schema/reading/parse-structure.ts';
import { withoutNulls } from '../schema/reading/without-nulls.ts';
import { type RulebookSpec, rulebookSchema } from '../schema/rulebook-schema.ts';
import { readSource } from '../source/read-source.ts';
import { foundProblems, syntaxProblems } from '../source-problems.ts';

export type LoadedRulebook = { ok: true; rulebook: Rulebook } | { ok: false; problems: Problem[] };

const RULEBOOK_MATCHERS = [...MATCHERS, 'report_codes', 'message', 'holds'];

const RULEBOOK: SpecShape<RulebookSpec> = {
  schema: rulebookSchema,
  standIn: (spec) => {
    spec.rules = Array.isArray(spec.rules) ? spec.rules.map(asObject) : [{ match_all_exit_codes: true }];
  },
  wholeKey: (path) => path.slice(0, 3),
};

/** The rules of a rulebook, or every mistake in it. `fileName` decides on the notation. */
export function loadRulebook(text: string, fileName: string): LoadedRulebook {
  const source = readSource(text, fileName);
  if (!source.ok) return { ok: false, problems: syntaxProblems(text, fileName, source.mistakes) };
  const findings = new Findings();
  const value = withoutNulls(source.value, rulebookSchema);
  const spec = parseStructure(value, RULEBOOK, findings);
  const rules = (spec?.rules ?? []).map((rule, index): RulebookRule => {
    const path = ['rules', index];
    checkRule(rule, value as object, path, RULEBOOK_MATCHERS, findings);
    if (rule.bad_items !== undefined && rule.bad_items !== 'none' && rule.category !== 'data') {
      findings.error([...path, 'bad_items'], 'has an effect only with `category: data`');
    }
    for (const key of ['message', 'holds'] as const) {
      const problem = rule[key] === undefined ? undefined : patternError(rule[key]);
      if (problem !== undefined) findings.error([...path, key], problem);
    }
    return {
      ...normaliseRule(rule, (written) =>
        written === undefined ? null : (parseDuration(written, 1000) ?? null),
      ),
      reportCodes: (rule.report_codes ?? []).map(codeRange),
      message: rule.message ?? null,
      holds: rule.holds ?? null,
      badItems: rule.bad_items ?? 'reported',
    };
  });
  if (findings.errors.length > 0) {
    return { ok: false, problems: foundProblems(findings.errors, fileName, source.locate) };
  }
  return { ok: true, rulebook: { name: fileName, rules } };
}
