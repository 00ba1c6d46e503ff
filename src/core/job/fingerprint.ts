import type { Cause } from './outcome.ts';

/** How many lines at the end of stderr distinguish failures. */
const LINES = 5;
const LINE_LENGTH = 200;

/**
 * Equal for failures that look alike: the cause, the match code and the end of stderr, with everything left out that
 * differs from one job to the next (numbers, addresses, paths, quoted names).
 */
export function fingerprint(cause: Cause, matchCode: number | null, stderrTail: string): string {
  const text = `${cause}\n${matchCode ?? ''}\n${normaliseStderr(stderrTail)}`;
  return hash(text);
}

/** The last lines of stderr in the form in which they are compared. */
export function normaliseStderr(tail: string): string {
  return tail
    .split(/\r?\n/)
    .map(normaliseLine)
    .filter((line) => line !== '')
    .slice(-LINES)
    .join('\n');
}

function normaliseLine(line: string): string {
  return line
    .slice(0, 4 * LINE_LENGTH)
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>')
    .replace(/\b0x[0-9a-f]+\b/gi, '<n>')
    .replace(/(?:\/[\w.@+-]+){2,}\/?/g, '<path>')
    .replace(/\b[0-9a-f]{12,}\b/gi, '<id>')
    .replace(/(["'`])(?:(?!\1).){1,80}\1/g, '<name>')
    .replace(/\d+(?:[.,:]\d+)*/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LINE_LENGTH);
}

/** 48 bits of FNV-1a in two halves: enough to distinguish the failures of one place, short enough to type. */
function hash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit ^ (low >>> 16), 0x85ebca6b);
  }
  return (low >>> 0).toString(16).padStart(8, '0') + ((high >>> 0) & 0xffff).toString(16).padStart(4, '0');
}
