import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import { didYouMean } from '../suggest.ts';
import type { Binding } from './placeholders.ts';

/** Combinations that a sweep leaves out, and others that it has besides. */
export interface Choice {
  include?: Binding[] | undefined;
  exclude?: Binding[] | undefined;
}

/** A value is the same however it was written: `1` and `"1"` name the same job. */
const isSame = (a: Binding[string], b: Binding[string]) => String(a) === String(b);

export function chosenCombinations(
  all: readonly Binding[],
  names: readonly string[],
  { include = [], exclude = [] }: Choice,
  path: SpecPath,
  findings: Findings,
): readonly Binding[] {
  const isKnown = (combination: Binding, at: SpecPath): boolean => {
    const unknown = Object.keys(combination).find((name) => !names.includes(name));
    if (unknown === undefined) return true;
    findings.error(at, `there is no parameter "${unknown}"${didYouMean(unknown, names)}`);
    return false;
  };
  let chosen = all;
  for (const [index, combination] of exclude.entries()) {
    const at = [...path, 'exclude', index];
    if (!isKnown(combination, at)) continue;
    const wanted = Object.entries(combination);
    const left = chosen.filter((binding) => wanted.some(([name, value]) => !isSame(binding[name]!, value)));
    if (left.length === chosen.length) findings.warn(at, 'excludes nothing');
    chosen = left;
  }
  const added: Binding[] = [];
  for (const [index, combination] of include.entries()) {
    const at = [...path, 'include', index];
    if (!isKnown(combination, at)) continue;
    const missing = names.find((name) => !Object.hasOwn(combination, name));
    if (missing !== undefined) findings.error(at, `has no value for the parameter "${missing}"`);
    else added.push(Object.fromEntries(names.map((name) => [name, combination[name]!])));
  }
  if (chosen.length + added.length > 0) return added.length === 0 ? chosen : [...chosen, ...added];
  findings.error([...path, 'exclude'], 'leaves no combination of the parameters');
  return all;
}
