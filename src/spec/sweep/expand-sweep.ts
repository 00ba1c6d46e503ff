import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import { didYouMean } from '../suggest.ts';
import { MAX_EXPANSIONS, type ParameterValue, parameterValues } from './parameter-values.ts';
import type { Binding } from './placeholders.ts';

/** The part of a job or file that says how it is swept. */
export interface Sweep {
  parameters?: Record<string, string | ParameterValue[]> | undefined;
  parameter_mode?: 'product' | 'zip' | undefined;
  use_parameters?: string[] | undefined;
}

type Dimension = { name: string; values: ParameterValue[] };

const ONCE: readonly Binding[] = [{}];

/** Parameters of the workflow, and which of them were used. */
export class SharedParameters {
  readonly #values = new Map<string, ParameterValue[]>();
  readonly #unused: Set<string>;

  constructor(parameters: Record<string, string | ParameterValue[]>, findings: Findings) {
    for (const [name, written] of Object.entries(parameters)) {
      this.#values.set(name, read(written, ['parameters', name], findings));
    }
    this.#unused = new Set(this.#values.keys());
  }

  get names(): Iterable<string> {
    return this.#values.keys();
  }

  get unused(): Iterable<string> {
    return this.#unused;
  }

  use(name: string): ParameterValue[] | undefined {
    this.#unused.delete(name);
    return this.#values.get(name);
  }
}

/** Every binding of a sweep, in a fixed order: the first parameter varies slowest. One, if nothing is swept. */
export function expandSweep(
  sweep: Sweep,
  path: SpecPath,
  shared: SharedParameters,
  findings: Findings,
): readonly Binding[] {
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
    return ONCE;
  }
  return sweep.parameter_mode === 'zip'
    ? zip(dimensions, path, findings)
    : product(dimensions, path, findings);
}

function read(written: string | ParameterValue[], path: SpecPath, findings: Findings): ParameterValue[] {
  const parsed = parameterValues(written);
  if ('values' in parsed) return parsed.values;
  findings.error(path, parsed.error);
  return [];
}

function zip(dimensions: Dimension[], path: SpecPath, findings: Findings): readonly Binding[] {
  const length = dimensions[0]!.values.length;
  if (dimensions.some(({ values }) => values.length !== length)) {
    const lengths = dimensions.map(({ name, values }) => `${name} has ${values.length}`).join(', ');
    findings.error([...path, 'parameter_mode'], `zip needs parameters of equal length, but ${lengths}`);
    return ONCE;
  }
  return Array.from({ length }, (_, index) =>
    Object.fromEntries(dimensions.map(({ name, values }) => [name, values[index]!])),
  );
}

function product(dimensions: Dimension[], path: SpecPath, findings: Findings): readonly Binding[] {
  const total = dimensions.reduce((sum, { values }) => sum * values.length, 1);
  if (total > MAX_EXPANSIONS) {
    findings.error(path, `the sweep has ${total} combinations, more than ${MAX_EXPANSIONS}`);
    return ONCE;
  }
  let bindings: Binding[] = [{}];
  for (const { name, values } of dimensions) {
    bindings = bindings.flatMap((binding) => values.map((value) => ({ ...binding, [name]: value })));
  }
  return bindings;
}
