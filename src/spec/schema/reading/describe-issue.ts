import type { z } from 'zod';
import type { SpecPath } from '../../problem.ts';
import { didYouMean } from '../../suggest.ts';
import { foreignKeyHint, foreignShapeHint } from './foreign-keys.ts';

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
  null: 'nothing',
};

/** What is wrong and what to write instead; one line for each unknown key. Given to zod as its error map. */
export function describeIssue(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return 'this key is required';
      const quotes = issue.expected === 'string' ? quotesHint(issue.input) : '';
      return `expected ${WORDS[issue.expected] ?? 'something else'}, got ${describeValue(issue.input)}${quotes}`;
    }
    case 'invalid_value': {
      if (issue.input === undefined) return `this key is required: ${issue.values.join(', ')}`;
      const values = issue.values.map(String);
      const hint = typeof issue.input === 'string' ? didYouMean(issue.input, values) : '';
      const wanted = values.length === 1 ? values[0] : `one of ${values.join(', ')}`;
      return `expected ${wanted}, got ${describeValue(issue.input)}${hint}`;
    }
    case 'unrecognized_keys': {
      const object = issue.inst as unknown as z.ZodObject | undefined;
      const known = Object.keys(object?.shape ?? {});
      const name = object?.meta()?.id;
      const hint = (key: string) => foreignKeyHint(name, key) || didYouMean(key, known);
      return issue.keys
        .slice(0, MOST_MISTAKES)
        .map((key) => `unknown key "${shortened(key)}"${hint(key)}`)
        .join('\n');
    }
    case 'too_small':
      if (issue.origin === 'array' && issue.minimum === 1) return 'the list must not be empty';
      if (hasLength(issue.origin)) return `must have at least ${issue.minimum} ${lengthUnit(issue.origin)}`;
      return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}, got ${describeValue(issue.input)}`;
    case 'too_big':
      if (hasLength(issue.origin)) return `must have at most ${issue.maximum} ${lengthUnit(issue.origin)}`;
      return `must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}, got ${describeValue(issue.input)}`;
    case 'invalid_key':
      return 'is not a possible key';
    default:
      return `cannot be ${describeValue(issue.input)}`;
  }
}

/** A file with more mistakes than these is probably not a spec. */
export const MOST_MISTAKES = 100;

/** One mistake per place: unknown keys apart, and unions as the alternative that was meant. */
export function structuralMistakes(issues: readonly z.core.$ZodIssue[]): StructuralMistake[] {
  return issues
    .slice(0, MOST_MISTAKES)
    .flatMap((issue) => mistakesOf(issue, issue.path as SpecPath))
    .slice(0, MOST_MISTAKES);
}

function mistakesOf(issue: z.core.$ZodIssue, path: SpecPath): StructuralMistake[] {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const messages = issue.message.split('\n');
      return issue.keys.slice(0, MOST_MISTAKES).map((key, index) => ({
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
  const message = `${issue.message}${foreignShapeHint(path, issue.message)}`;
  return [{ path, message, unknownKey: false }];
}

/** The value is of another kind than this alternative wants, so it cannot have been meant. */
function isOtherType(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.some(
    (issue) => issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value'),
  );
}

/** For a text that its notation took for something else: `1.0`, `yes`, `{sample}`. */
function quotesHint(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return '; put it in quotes';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const [entry, ...others] = Object.entries(value);
  return entry !== undefined && others.length === 0 && entry[1] === null
    ? `; put it in quotes: "{${entry[0]}}"`
    : '';
}

function hasLength(origin: string): boolean {
  return origin === 'string' || origin === 'array' || origin === 'set' || origin === 'file';
}

function lengthUnit(origin: string): string {
  return origin === 'string' ? 'characters' : 'items';
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function describeValue(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object with keys';
  return shortened(JSON.stringify(value) ?? String(value));
}
