import type { FieldProblem } from './request-error.ts';

/** Deeper than anything that means something, and not so deep that walking it is a danger. */
const DEEPEST = 200;

/**
 * What is wrong with plain data whatever it means; null if nothing. No database stores a zero byte in a text, and no
 * command can have one.
 */
export function checkData(
  value: unknown,
  path: string,
  { zeroBytes }: { zeroBytes: 'refused' | 'allowed' },
  depth = 0,
): FieldProblem | null {
  if (typeof value === 'string') {
    return zeroBytes === 'refused' && value.includes('\0') ? { path, message: 'has a zero byte' } : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depth > DEEPEST) return { path, message: 'is nested too deeply' };
  const isList = Array.isArray(value);
  for (const [key, each] of Object.entries(value)) {
    const place = isList ? `${path}[${key}]` : `${path}.${key}`;
    const problem =
      checkData(key, place, { zeroBytes }, depth) ?? checkData(each, place, { zeroBytes }, depth + 1);
    if (problem !== null) return { ...problem, path: problem.path.slice(0, 500) };
  }
  return null;
}
