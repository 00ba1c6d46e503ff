import type { z } from 'zod';
import type { SpecPath } from '../problem.ts';
import { didYouMean } from '../suggest.ts';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

export interface StructuralMistake {
  path: SpecPath;
  message: string;
  /** An unknown key, to be pointed at and removed by itself. */
  unknownKey: boolean;
}

const WORDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with keys',
  record: 'an object with keys',
};

/** What is wrong and what to write instead; one line for each unknown key. Given to zod as its error map. */
export function describeIssue(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return 'this key is required';
      const quotes = issue.expected === 'string' && isScalar(issue.input) ? '; put it in quotes' : '';
      return `expected ${WORDS[issue.expected] ?? issue.expected}, got ${describeValue(issue.input)}${quotes}`;
    }
    case 'invalid_value': {
      const values = issue.values.map(String);
      const hint = typeof issue.input === 'string' ? didYouMean(issue.input, values) : '';
      const wanted = values.length === 1 ? values[0] : `one of ${values.join(', ')}`;
      return `expected ${wanted}, got ${describeValue(issue.input)}${hint}`;
    }
    case 'unrecognized_keys': {
      const known = Object.keys((issue.inst as unknown as z.ZodObject | undefined)?.shape ?? {});
      return issue.keys.map((key) => `unknown key "${key}"${didYouMean(key, known)}`).join('\n');
    }
    case 'too_small':
      if (issue.origin === 'array') return 'the list must not be empty';
      return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}, got ${describeValue(issue.input)}`;
    case 'too_big':
      return `must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}, got ${describeValue(issue.input)}`;
    case 'invalid_key':
      return 'is not a possible key';
    default:
      return `cannot be ${describeValue(issue.input)}`;
  }
}

/** One mistake per place: unknown keys apart, and unions as the alternative that was meant. */
export function structuralMistakes(issues: readonly z.core.$ZodIssue[]): StructuralMistake[] {
  return issues.flatMap((issue) => mistakesOf(issue, issue.path as SpecPath));
}

function mistakesOf(issue: z.core.$ZodIssue, path: SpecPath): StructuralMistake[] {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const messages = issue.message.split('\n');
      return issue.keys.map((key, index) => ({
        path: [...path, key],
        message: messages[index] ?? issue.message,
        unknownKey: true,
      }));
    }
    case 'invalid_union': {
      const meant = issue.errors.filter((alternative) => !isOtherType(alternative));
      if (meant.length !== 1) break;
      return meant[0]!.flatMap((inner) => mistakesOf(inner, [...path, ...(inner.path as SpecPath)]));
    }
    case 'invalid_key':
      return [{ path, message: issue.issues[0]?.message ?? issue.message, unknownKey: true }];
  }
  return [{ path, message: issue.message, unknownKey: false }];
}

/** The value is of another kind than this alternative wants, so it cannot have been meant. */
function isOtherType(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.some(
    (issue) => issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value'),
  );
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

function describeValue(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object with keys';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
