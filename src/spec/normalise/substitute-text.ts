import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import { didYouMean } from '../suggest.ts';
import { type Binding, placeholderFiller } from '../sweep/placeholders.ts';

const VARIABLE = /\$\{variables\.([^}]+)\}/g;

/** Replaces sweep placeholders and `${variables.X}` in what jobs say. */
export class TextSubstitution {
  readonly #variables: Record<string, unknown>;
  readonly #findings: Findings;

  constructor(variables: Record<string, unknown>, findings: Findings) {
    this.#variables = variables;
    this.#findings = findings;
  }

  fill(text: string, binding: Binding, path: SpecPath): string {
    return text.includes('{') ? this.filler(text, path)(binding) : text;
  }

  /** The same for all expansions of a sweep. */
  filler(text: string, path: SpecPath): (binding: Binding) => string {
    if (!text.includes('{')) return () => text;
    const fillIn = placeholderFiller(text);
    const onProblem = (problem: string) => this.#findings.expansionError(path, problem);
    return (binding) => {
      const filled = this.#variablesIn(fillIn(binding, onProblem), path);
      if (filled.includes('\0')) onProblem('a value with a NUL character cannot be used here');
      return filled;
    };
  }

  #variablesIn(text: string, path: SpecPath): string {
    if (!text.includes('${variables.')) return text;
    return text.replace(VARIABLE, (written, name: string) => {
      const value = lookUp(this.#variables, name);
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
        return String(value);
      }
      this.#findings.error(
        path,
        value === undefined
          ? `\`variables\` have no "${name}"${didYouMean(name, Object.keys(this.#variables))}`
          : `${written} is not a text, number or boolean, so it cannot be put into a text`,
      );
      return written;
    });
  }
}

/** `a.b` is key `b` of the object `a`, unless there is a key `a.b`. */
function lookUp(values: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name];
  let value: unknown = values;
  for (const key of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
