import type { ForeachInput, ItemFailure } from '../../core/job/evaluation.ts';
import { assignments, valueText } from './bind-values.ts';
import { liquidEngine, templateMistake } from './liquid-engine.ts';
import { missingValue } from './missing-value.ts';
import { marker, placeValues } from './place-values.ts';
import { describeTemplateRefusal } from './refusals.ts';

/** What a template sees. */
export interface TemplateContext {
  /** Outputs of completed steps, by id; lists in a reduce step, for what it joins. */
  outputs: Record<string, unknown>;
  variables: Record<string, unknown>;
  /** The item that the step runs for; null or absent outside of items. */
  foreach?: ForeachInput | null;
  /** In a reduce step, the items that did not succeed, by id of the step that it joins. */
  failures?: Record<string, ItemFailure[]>;
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
    const parsed = engine.parse(template);
    text = String(engine.renderSync(parsed, scopeOf(context, engine.globalVariableSegmentsSync(parsed))));
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

/**
 * The roots of a template. Steps that were checked to come before have no output where another branch was taken: what
 * is read of them is a missing value, not a mistake.
 */
function scopeOf(context: TemplateContext, reads: readonly unknown[][]): Record<string, unknown> {
  const outputs = { ...context.outputs };
  const failures: Record<string, unknown> = { ...context.failures };
  for (const [root, name] of reads) {
    if (typeof name !== 'string') continue;
    if (root === 'outputs' && !Object.hasOwn(outputs, name)) outputs[name] = missingValue();
    if (root === 'failures' && !Object.hasOwn(failures, name)) failures[name] = missingValue();
  }
  const { variables, foreach } = context;
  return { outputs, variables, failures, foreach: foreach ?? missingValue() };
}

function asText(value: unknown): string {
  if (value === missingValue()) return '';
  if (value === null || value === undefined) {
    throw new Error('the value is null; use `| default: …` if that can happen');
  }
  return valueText(value);
}
