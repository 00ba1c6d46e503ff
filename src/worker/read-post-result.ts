import type { Category, Outcome } from '../core/outcome.ts';
import { causeOf, describeOutcome } from '../core/outcome.ts';
import { crashedPost, type PostResult } from '../core/post-result.ts';
import { parseDuration, parseSize } from '../core/quantity.ts';
import { readTail } from './read-tail.ts';

const BYTES = 64 * 1024;
const CATEGORIES: readonly string[] = [
  'transient',
  'permanent',
  'data',
  'infrastructure',
] satisfies Category[];

/** What a post script said: by its exit code, and by a JSON object on its last line if it printed one. */
export async function readPostResult(outcome: Outcome, stdoutPath: string): Promise<PostResult> {
  const cause = causeOf(outcome);
  if (outcome.exitCode === null || (cause !== null && cause !== 'exit')) {
    return crashedPost(describeOutcome(outcome));
  }
  const said = lastObject(await readTail(stdoutPath, BYTES));
  const result: PostResult = { ...crashedPost(''), exitCode: outcome.exitCode, problem: null };
  const problems: string[] = [];
  const read = <T>(key: string, parse: (value: unknown) => T | undefined): T | null => {
    const value = said[key];
    if (value === undefined || value === null) return null;
    const parsed = parse(value);
    if (parsed === undefined) problems.push(`${key} ${JSON.stringify(value)}`);
    return parsed ?? null;
  };
  result.category = read('category', (value) =>
    CATEGORIES.includes(String(value)) ? (value as Category) : undefined,
  );
  result.badInputs = read('bad_inputs', (value) => (isTexts(value) ? value : undefined)) ?? [];
  result.memoryBytes = read('memory', (value) => (isTextOrNumber(value) ? parseSize(value) : undefined));
  result.runtimeMs = read('runtime', (value) =>
    isTextOrNumber(value) ? parseDuration(value, 1000) : undefined,
  );
  result.delayMs = read('delay', (value) => (isTextOrNumber(value) ? parseDuration(value, 1000) : undefined));
  if (problems.length > 0) result.problem = `it printed what cannot be used: ${problems.join(', ')}`;
  return result;
}

/** The last line that is a JSON object; what else a script prints is none of our business. */
function lastObject(text: string): Record<string, unknown> {
  for (const line of text.split('\n').reverse()) {
    if (!line.trimStart().startsWith('{')) continue;
    try {
      return JSON.parse(line) as Record<string, unknown>;
    } catch {
      // Not an object after all; an earlier line may be one.
    }
  }
  return {};
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isTextOrNumber(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
