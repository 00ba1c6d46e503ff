import type { Findings } from '../findings.ts';
import type { ParameterValue } from '../sweep/parameter-values.ts';
import { type Binding, fillPlaceholders, placeholdersIn } from '../sweep/placeholders.ts';

/** Variables may be made of each other; a few lines of that can otherwise fill any memory. */
const MAX_LENGTH = 100_000;
const MAX_DEPTH = 100;

/** The `variables` of a spec: those that can be put into a text, and all of them. */
export interface VariableValues {
  /** Every variable, with `{name}` of others replaced in it. */
  all: Record<string, unknown>;
  /** Those that are a text, a number or a boolean. */
  scalars: Binding;
}

/** Replaces `{other}` in the values of variables, in any order; a circle is a mistake, and stays as written. */
export function resolveVariables(written: Record<string, unknown>, findings: Findings): VariableValues {
  const scalars: Record<string, ParameterValue> = Object.create(null);
  const open: string[] = [];
  const around = new Set<object>();

  const resolve = (name: string): void => {
    const value = written[name];
    if (name in scalars || !isScalar(value)) return;
    if (open.includes(name)) {
      const circle = [...open.slice(open.indexOf(name)), name].join(' → ');
      findings.error(['variables', open[0]!], `is made of itself: ${circle}`);
      return;
    }
    if (open.length >= MAX_DEPTH) {
      findings.error(['variables', open[0]!], `is made of more than ${MAX_DEPTH} others, one in another`);
      return;
    }
    open.push(name);
    scalars[name] = typeof value === 'string' ? fill(value, ['variables', name]) : value;
    open.pop();
  };

  const fill = (text: string, path: (string | number)[]): string => {
    let length = text.length;
    for (const placeholder of placeholdersIn(text)) {
      if (!Object.hasOwn(written, placeholder.name)) continue;
      resolve(placeholder.name);
      length += String(scalars[placeholder.name] ?? '').length;
    }
    if (length > MAX_LENGTH) {
      findings.error(path, `is longer than ${MAX_LENGTH} characters with the variables in it replaced`);
      return text;
    }
    return fillPlaceholders(text, scalars, (problem) => findings.error(path, problem));
  };

  const fillDeep = (value: unknown, path: (string | number)[]): unknown => {
    if (typeof value === 'string') return fill(value, path);
    // An alias of YAML can make an object part of itself.
    if (typeof value !== 'object' || value === null || around.has(value)) return value;
    around.add(value);
    const filled = Array.isArray(value)
      ? value.map((item, index) => fillDeep(item, [...path, index]))
      : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillDeep(item, [...path, key])]));
    around.delete(value);
    return filled;
  };

  const all: Record<string, unknown> = {};
  for (const name of Object.keys(written)) {
    resolve(name);
    const value = name in scalars ? scalars[name] : fillDeep(written[name], ['variables', name]);
    Object.defineProperty(all, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return { all, scalars };
}

function isScalar(value: unknown): value is ParameterValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
