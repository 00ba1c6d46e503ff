import { didYouMean } from '../../spec/suggest.ts';
import { isObject, jsonOrNothing } from './notify-targets.ts';

export type Parsed<T> = { value: T } | { problem: string };

/** A setting that is an object with some of these keys, from YAML or as JSON; null: it is switched off. */
export function parseKeys(raw: unknown, keys: readonly string[]): Parsed<Record<string, unknown> | null> {
  const written = typeof raw === 'string' ? jsonOrNothing(raw) : raw;
  if (written === null) return { value: null };
  if (!isObject(written)) return { problem: `must have ${keys.join(', ')}` };
  const unknown = Object.keys(written).find((key) => !keys.includes(key));
  if (unknown === undefined) return { value: written };
  return {
    problem: `there is no key ${unknown}${didYouMean(unknown, keys) || `; there are ${keys.join(', ')}`}`,
  };
}
