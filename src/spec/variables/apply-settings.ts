import type { Findings } from '../findings.ts';
import { didYouMean } from '../suggest.ts';
import type { ParameterValue } from '../sweep/parameter-values.ts';
import { parameterValues } from '../sweep/parameter-values.ts';

/** Values that take the place of those of the spec, by the name of a variable or parameter. */
export type SpecSettings = Readonly<Record<string, ParameterValue | ParameterValue[]>>;

const SWEPT = ['jobs', 'files', 'user_data'] as const;

type Fields = Record<string, unknown>;

/**
 * A spec as it was read, with these values in it: of `variables`, and of every place where a parameter is given its
 * values. A name that the spec does not have is a mistake.
 */
export function applySettings(spec: unknown, settings: SpecSettings, findings: Findings): unknown {
  const names = Object.keys(settings);
  if (names.length === 0 || !isObject(spec)) return spec;
  const known = { variables: namesIn(spec.variables), parameters: parametersIn(spec) };
  const [variables, parameters]: [Fields, Fields] = [{}, {}];
  for (const name of names) {
    const isVariable = known.variables.has(name);
    const isParameter = known.parameters.has(name);
    const value = settings[name]!;
    if (isVariable && isParameter) {
      findings.error([], `--set ${name}: "${name}" is both a variable and a parameter; rename one of them`);
    } else if (isVariable) define(variables, name, value);
    else if (isParameter) define(parameters, name, valuesOf(value));
    else {
      const hint = didYouMean(name, [...known.variables, ...known.parameters]);
      findings.error([], `--set ${name}: the spec has no variable or parameter "${name}"${hint}`);
    }
  }
  const filled: Fields = { ...withParameters(spec, parameters) };
  if (isObject(spec.variables)) filled.variables = { ...spec.variables, ...variables };
  for (const section of SWEPT) {
    const entries = spec[section];
    if (Array.isArray(entries)) {
      filled[section] = entries.map((entry) => (isObject(entry) ? withParameters(entry, parameters) : entry));
    }
  }
  return filled;
}

/** One value stands for a list of one; a text may also be a range or a list, as in a spec. */
function valuesOf(value: ParameterValue | ParameterValue[]): string | ParameterValue[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' && 'values' in parameterValues(value) ? value : [value];
}

function withParameters(entry: Fields, parameters: Fields): Fields {
  const own = entry.parameters;
  if (!isObject(own)) return entry;
  const changed = Object.entries(own).map(([name, written]) => [
    name,
    Object.hasOwn(parameters, name) ? parameters[name] : written,
  ]);
  return { ...entry, parameters: Object.fromEntries(changed) };
}

function parametersIn(spec: Fields): Set<string> {
  const entries = SWEPT.flatMap((section) =>
    Array.isArray(spec[section]) ? (spec[section] as unknown[]) : [],
  );
  return new Set(
    [spec, ...entries].flatMap((entry) => (isObject(entry) ? [...namesIn(entry.parameters)] : [])),
  );
}

function namesIn(table: unknown): Set<string> {
  return new Set(isObject(table) ? Object.keys(table) : []);
}

function define(table: Fields, name: string, value: unknown): void {
  Object.defineProperty(table, name, { value, enumerable: true, configurable: true, writable: true });
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
