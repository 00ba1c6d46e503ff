import type * as Re2 from 're2js';
import { lazyModule } from './lazy-module.ts';

const re2 = lazyModule<typeof Re2>('re2js');

/** Why `pattern` is no RE2 pattern, or undefined if it is one. */
export function patternError(pattern: string): string | undefined {
  try {
    re2().RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `not a valid pattern (RE2 syntax): ${(error as Error).message.replace(/^error parsing regexp: /, '')}`;
  }
}

/** Those of the patterns that are found in the text. The patterns must be valid. */
export function foundPatterns(patterns: readonly string[], text: string): string[] {
  return patterns.filter((pattern) => re2().RE2JS.compile(pattern).matcher(text).find());
}

/** The indexes of the names that `pattern` matches as a whole, ascending. The pattern must be valid. */
export function matchingIndexes(pattern: string, names: readonly string[]): number[] {
  const compiled = re2().RE2JS.compile(pattern);
  const found: number[] = [];
  for (const [index, name] of names.entries()) {
    if (compiled.matches(name)) found.push(index);
  }
  return found;
}
