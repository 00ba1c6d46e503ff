import type { Category, Outcome } from '../../core/job/outcome.ts';
import { causeOf, describeOutcome } from '../../core/job/outcome.ts';
import { crashedPost, type PostResult } from '../../core/job/post-result.ts';
import { harmlessLine } from '../../core/text/harmless-line.ts';
import { parseDuration, parseSize } from '../../core/text/quantity.ts';
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
  if (outcome.exit_code === null || (cause !== null && cause !== 'exit')) {
    return crashedPost(describeOutcome(outcome));
  }
  const said = lastObject(await readTail(stdoutPath, BYTES));
  const result: PostResult = { ...crashedPost(''), exit_code: outcome.exit_code, problem: null };
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
  result.bad_inputs = read('bad_inputs', (value) => (isTexts(value) ? value : undefined)) ?? [];
  // A limit of nothing would end the next attempt at once.
  result.memory_bytes = read('memory', (value) =>
    isTextOrNumber(value) ? parseSize(value) || undefined : undefined,
  );
  result.runtime_ms = read('runtime', (value) =>
    isTextOrNumber(value) ? parseDuration(value, 1000) || undefined : undefined,
  );
  result.delay_ms = read('delay', (value) =>
    isTextOrNumber(value) ? parseDuration(value, 1000) : undefined,
  );
  result.reason = read('reason', (value) =>
    typeof value === 'string' ? harmlessLine(value, 1000) : undefined,
  );
  result.message = read('message', (value) =>
    typeof value === 'string' ? harmlessLine(value, 1000) : undefined,
  );
  result.report_code = read('report_code', (value) =>
    Number.isSafeInteger(value) ? (value as number) : undefined,
  );
  const problem = read('problem', (value) =>
    typeof value === 'string' ? harmlessLine(value, 2000) : undefined,
  );
  const unusable = problems.length === 0 ? null : `it printed what cannot be used: ${problems.join(', ')}`;
  result.problem = [problem, unusable].filter((each) => each !== null).join('; ') || null;
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
