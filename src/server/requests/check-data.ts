import type { FieldProblem } from './request-error.ts';

/** Deeper than anything that means something, and not so deep that walking it is a danger. */
const DEEPEST = 200;
const LONGEST_PATH = 500;

/**
 * What is wrong with plain data whatever it means; null if nothing. No database stores a zero byte in a text, and no
 * command can have one.
 */
export function checkData(
  value: unknown,
  path: string,
  { zeroBytes }: { zeroBytes: 'refused' | 'allowed' },
): FieldProblem | null {
  const problem = problemIn(value, zeroBytes === 'refused', 0);
  return problem && { ...problem, path: `${path}${problem.path}`.slice(0, LONGEST_PATH) };
}

/** Its path is put together only where there is a problem: a body may have millions of parts. */
function problemIn(value: unknown, refusesZeroBytes: boolean, depth: number): FieldProblem | null {
  if (typeof value === 'string') {
    return refusesZeroBytes && value.includes('\0') ? { path: '', message: 'has a zero byte' } : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depth > DEEPEST) return { path: '', message: 'is nested too deeply' };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = problemIn(value[index], refusesZeroBytes, depth + 1);
      if (problem !== null) return { ...problem, path: `[${index}]${problem.path}` };
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    const problem =
      problemIn(key, refusesZeroBytes, depth) ??
      problemIn((value as Record<string, unknown>)[key], refusesZeroBytes, depth + 1);
    if (problem !== null) return { ...problem, path: `.${key}${problem.path}`.slice(0, LONGEST_PATH) };
  }
  return null;
}
