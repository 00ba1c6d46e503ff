import type { Rulebook } from '../request/request-model.ts';

/** A rulebook in the form in which rules are matched, so that the post step needs no reader of notations. */
export function compiledRulebookText({ name, rules }: Rulebook): string {
  return `${JSON.stringify({ name, compiled_rules: rules }, null, 2)}\n`;
}

/** null: it is a rulebook as people write them, or none. */
export function readCompiledRulebook(text: string): Rulebook | null {
  if (!text.includes('"compiled_rules"')) return null;
  try {
    const { name, compiled_rules: rules } = JSON.parse(text) as {
      name: string;
      compiled_rules?: Rulebook['rules'];
    };
    return Array.isArray(rules) ? { name, rules } : null;
  } catch {
    return null;
  }
}
