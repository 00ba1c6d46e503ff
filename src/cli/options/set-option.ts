import { HoldfastError } from '../../core/errors.ts';
import { readSource } from '../../spec/source/read-source.ts';
import type { SpecSettings } from '../../spec/variables/apply-settings.ts';
import type { Invocation } from '../command-context.ts';
import type { CommandOption } from '../command-entry.ts';

export const SET_OPTION: CommandOption = [
  '--set <name=value>',
  'value of a variable or parameter of the spec; can be repeated',
  'repeated',
];

/** `--set n=5 --set "samples=[a, b]"`: values are read as in YAML. */
export function settingsOption({ lists }: Pick<Invocation, 'lists'>): SpecSettings {
  const settings = new Map<string, SpecSettings[string]>();
  for (const written of lists.set ?? []) {
    const at = written.indexOf('=');
    const name = written.slice(0, at).trim();
    if (at < 0 || name === '') throw refused(`expected NAME=VALUE, got ${JSON.stringify(written)}`);
    if (settings.has(name)) throw refused(`"${name}" is given twice`);
    settings.set(name, typedValue(written.slice(at + 1)));
  }
  return Object.fromEntries(settings);
}

/** A stored workflow has its values. */
export function refuseSettings(set: SpecSettings): void {
  if (Object.keys(set).length > 0)
    throw refused('is for a spec; a stored workflow keeps the values that it has');
}

/** A number, true, false, or a list of such values and texts; everything else is a text as it is. */
function typedValue(text: string): SpecSettings[string] {
  const source = readSource(text, 'value.yaml');
  const value = source.ok ? source.value : text;
  if (isValue(value)) return value;
  return Array.isArray(value) && value.every(isValue) ? value : text;
}

function isValue(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function refused(problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: '--set', problem });
}
