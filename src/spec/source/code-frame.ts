import type { Place } from '../problem.ts';

const BEFORE = 60;
const WIDTH = 100;

/** The line of a place with a mark under it; a long line is cut around the place. */
export function codeFrame(text: string, { line, column }: Place): string {
  let start = 0;
  for (let row = 1; row < line; row++) start = text.indexOf('\n', start) + 1;
  const end = text.indexOf('\n', start);
  const written = text.slice(start, end === -1 ? undefined : end).replace(/\r$/, '');
  const from = Math.max(0, column - 1 - BEFORE);
  // One sign for each character, so that the mark stays under its place.
  const shown = written.slice(from, from + WIDTH).replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  const margin = String(line);
  const indent = ' '.repeat(Math.max(0, column - 1 - from));
  return `  ${margin} | ${shown}\n  ${' '.repeat(margin.length)} | ${indent}^`;
}
