import { isErrorLine } from '../../core/text/error-line.ts';

const BEFORE = 10;
const AFTER = 10;

/** The last line that looks like an error, with the lines around it; null if none does. */
export function lastError(lines: readonly string[]): string[] | null {
  const index = lines.findLastIndex(isErrorLine);
  return index < 0 ? null : lines.slice(Math.max(0, index - BEFORE), index + AFTER + 1);
}
