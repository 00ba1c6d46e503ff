import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import { didYouMean } from '../suggest.ts';
import { type Choice, chosenCombinations } from './chosen-combinations.ts';
import {
  MAX_EXPANSIONS,
  type ParameterValue,
  parameterCount,
  parameterValues,
  type WrittenValues,
} from './parameter-values.ts';
import type { Binding } from './placeholders.ts';

/** The part of a job or file that says how it is swept. */
export interface Sweep extends Choice {
  parameters?: Record<string, WrittenValues> | undefined;
  parameter_mode?: 'product' | 'zip' | undefined;
  use_parameters?: string[] | undefined;
}

type Dimension = { name: string; values: ParameterValue[] };

const ONCE: readonly Binding[] = [{}];
const CHOICES = ['include', 'exclude'] as const;

/** Parameters of the workflow, and which of them were used. */
export class SharedParameters {
  readonly #written: Map<string, WrittenValues>;
  readonly #values = new Map<string, ParameterValue[]>();
  readonly #unused: Set<string>;
  readonly #findings: Findings;

  constructor(parameters: Record<string, WrittenValues>, findings: Findings) {
    this.#written = new Map(Object.entries(parameters));
    this.#findings = findings;
    this.#unused = new Set(this.#written.keys());
    // Only mistakes are looked for now. The values of unused parameters are never made.
    for (const [name, written] of this.#written) if (parameterCount(written) === 1) this.#read(name, written);
  }

  get names(): Iterable<string> {
    return this.#written.keys();
  }

  get unused(): Iterable<string> {
    return this.#unused;
  }

  use(name: string): ParameterValue[] | undefined {
    this.#unused.delete(name);
    const written = this.#written.get(name);
    return this.#values.get(name) ?? (written === undefined ? undefined : this.#read(name, written));
  }

  #read(name: string, written: WrittenValues): ParameterValue[] {
    const values = read(written, ['parameters', name], this.#findings);
    this.#values.set(name, values);
    return values;
  }
}

/**
 * Every binding of a sweep, in a fixed order: the first parameter varies slowest. One, if nothing is swept. They are made
 * one by one: nobody needs all of them at once.
 */
export function expandSweep(
  sweep: Sweep,
  path: SpecPath,
  shared: SharedParameters,
  findings: Findings,
): Iterable<Binding> {
  const dimensions: Dimension[] = [];
  for (const [index, name] of (sweep.use_parameters ?? []).entries()) {
    const values = shared.use(name);
    const at = [...path, 'use_parameters', index];
    if (sweep.parameters && Object.hasOwn(sweep.parameters, name)) {
      findings.error(at, `"${name}" is also in its own \`parameters\`; keep one of them`);
    } else if (values) {
      dimensions.push({ name, values });
    } else {
      findings.error(at, `the workflow's \`parameters\` have no "${name}"${didYouMean(name, shared.names)}`);
    }
  }
  for (const [name, written] of Object.entries(sweep.parameters ?? {})) {
    dimensions.push({ name, values: read(written, [...path, 'parameters', name], findings) });
  }
  if (dimensions.length === 0 || dimensions.some(({ values }) => values.length === 0)) {
    if (sweep.parameter_mode !== undefined && dimensions.length === 0) {
      findings.error([...path, 'parameter_mode'], 'there are no parameters to combine');
    }
    const key = dimensions.length > 0 ? undefined : CHOICES.find((each) => sweep[each] !== undefined);
    if (key !== undefined) findings.error([...path, key], 'there are no parameters to combine');
    return ONCE;
  }
  const all =
    sweep.parameter_mode === 'zip' ? zip(dimensions, path, findings) : product(dimensions, path, findings);
  if (all === ONCE || CHOICES.every((key) => sweep[key] === undefined)) return all;
  const names = dimensions.map(({ name }) => name);
  return chosenCombinations([...all], names, sweep, path, findings);
}

function read(written: WrittenValues, path: SpecPath, findings: Findings): ParameterValue[] {
  const parsed = parameterValues(written);
  if ('values' in parsed) return parsed.values;
  findings.error(path, parsed.error);
  return [];
}

function zip(dimensions: Dimension[], path: SpecPath, findings: Findings): Iterable<Binding> {
  const length = dimensions[0]!.values.length;
  if (dimensions.some(({ values }) => values.length !== length)) {
    const lengths = dimensions.map(({ name, values }) => `${name} has ${values.length}`).join(', ');
    findings.error([...path, 'parameter_mode'], `zip needs parameters of equal length, but ${lengths}`);
    return ONCE;
  }
  return zipped(dimensions, length);
}

function* zipped(dimensions: readonly Dimension[], length: number): Generator<Binding> {
  for (let index = 0; index < length; index += 1) {
    yield Object.fromEntries(dimensions.map(({ name, values }) => [name, values[index]!]));
  }
}

function product(dimensions: Dimension[], path: SpecPath, findings: Findings): Iterable<Binding> {
  const total = dimensions.reduce((sum, { values }) => sum * values.length, 1);
  if (total > MAX_EXPANSIONS) {
    findings.error(path, `the sweep has ${total} combinations, more than ${MAX_EXPANSIONS}`);
    return ONCE;
  }
  return combined({}, dimensions);
}

function* combined(binding: Binding, [first, ...others]: readonly Dimension[]): Generator<Binding> {
  for (const value of first!.values) {
    const bound = { ...binding, [first!.name]: value };
    if (others.length === 0) yield bound;
    else yield* combined(bound, others);
  }
}
