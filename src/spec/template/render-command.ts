import { assignments, valueText } from './bind-values.ts';
import { liquidEngine, templateMistake } from './liquid-engine.ts';
import { marker, placeValues } from './place-values.ts';
import { describeTemplateRefusal } from './refusals.ts';

/** What a template sees. */
export interface TemplateContext {
  /** Outputs of completed steps, by id. */
  outputs: Record<string, unknown>;
  variables: Record<string, unknown>;
}

export type Rendered = { ok: true; script: string } | { ok: false; error: string };

/**
 * A template → a bash script in which each value is data. Values are assigned to shell variables at
 * the top, and every placeholder becomes an expansion of its variable, quoted as its place demands.
 */
export function renderCommand(template: string, context: TemplateContext): Rendered {
  if (template.includes('\0')) return { ok: false, error: 'the template contains a NUL character' };
  const values: string[] = [];
  const engine = liquidEngine((value) => {
    values.push(asText(value));
    return marker(values.length);
  });
  let text: string;
  try {
    text = String(engine.parseAndRenderSync(template, { ...context }));
  } catch (error) {
    const { message, inside } = templateMistake(error);
    return { ok: false, error: inside ? `template line ${inside.line}: ${message}` : message };
  }
  const placed = placeValues(text);
  if (!placed.ok) {
    const problem = describeTemplateRefusal(placed.refusal);
    return { ok: false, error: `template line ${placed.line}: ${problem}` };
  }
  return { ok: true, script: assignments(values) + placed.script };
}

function asText(value: unknown): string {
  if (value === null || value === undefined) {
    throw new Error('the value is null; use `| default: …` if that can happen');
  }
  return valueText(value);
}
