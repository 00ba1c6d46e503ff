import type * as Re2 from 're2js';
import { lazyModule } from './lazy-module.ts';
import { patternMistake } from './pattern-mistake.ts';

const re2 = lazyModule<typeof Re2>('re2js');

/** The time that a pattern takes grows with its length. */
const MOST_CHARACTERS = 1_000;

/** Why `pattern` is no RE2 pattern, or undefined if it is one. */
export function patternError(pattern: string): string | undefined {
  if (pattern.length > MOST_CHARACTERS) {
    return `a pattern has at most ${MOST_CHARACTERS} characters, this one has ${pattern.length}`;
  }
  try {
    re2().RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `not a valid pattern (RE2 syntax): ${patternMistake((error as Error).message)}`;
  }
}

/** Those of the patterns that are found in the text. The patterns must be valid. */
export function foundPatterns(patterns: readonly string[], text: string): string[] {
  return patterns.filter((pattern) => re2().RE2JS.compile(pattern).matcher(text).find());
}

/** The indexes of the names in which `pattern` is found, ascending. The pattern must be valid. */
export function matchingIndexes(pattern: string, names: readonly string[]): number[] {
  const compiled = re2().RE2JS.compile(pattern);
  const found: number[] = [];
  for (const [index, name] of names.entries()) {
    if (compiled.matcher(name).find()) found.push(index);
  }
  return found;
}

/** What the first group of the pattern, or else all of it, matches in each text; null where it is not found. */
export function firstGroups(pattern: string, texts: readonly string[]): (string | null)[] {
  const compiled = re2().RE2JS.compile(pattern);
  const group = compiled.groupCount() > 0 ? 1 : 0;
  return texts.map((text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? matcher.group(group) : null;
  });
}
