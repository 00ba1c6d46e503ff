import type { Place } from '../problem.ts';

/** How a text is written: as it is, in quotes, or as a block under a line of its own (`|`, `>`). */
export type Notation = 'plain' | 'single' | 'double' | 'block';

const ESCAPE = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|\r?\n|[\s\S])/y;
const SHORT_ESCAPES: Record<string, string> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

/**
 * The offset in `written` of a place in the text that it stands for. Folding and indents move white space only, so
 * the n-th visible character of the text is the n-th visible one of its notation.
 */
export function offsetInside(written: string, notation: Notation, text: string, inside: Place): number {
  const wanted = visibleBefore(text, offsetOf(text, inside));
  let seen = 0;
  let end = 0;
  for (const { at, length, units } of pieces(written, notation)) {
    for (const unit of units) {
      if (!isVisible(unit)) continue;
      if (wanted.isVisible && seen === wanted.count) return at;
      seen += 1;
      end = at + length;
      if (!wanted.isVisible && seen === wanted.count) return end;
    }
  }
  return end;
}

/** Where in the text a place is; the end of its line if it has no such column. */
function offsetOf(text: string, { line, column }: Place): number {
  const lines = text.split('\n');
  if (line > lines.length) return text.length;
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return before + Math.min(column - 1, lines[line - 1]!.length);
}

/** How many visible characters are in front of an offset, or of the next visible one in its line. */
function visibleBefore(text: string, offset: number): { count: number; isVisible: boolean } {
  let count = 0;
  for (const unit of units(text.slice(0, offset))) if (isVisible(unit)) count += 1;
  return { count, isVisible: /^[^\S\n]*\S/.test(text.slice(offset)) };
}

interface Piece {
  at: number;
  length: number;
  /** What it stands for. */
  units: string[];
}

function* pieces(written: string, notation: Notation): Generator<Piece> {
  const isQuoted = notation === 'single' || notation === 'double';
  const end = isQuoted ? written.length - 1 : written.length;
  let at = notation === 'block' ? endOfLine(written) : isQuoted ? 1 : 0;
  while (at < end) {
    const piece = pieceAt(written, at, notation);
    yield piece;
    at += piece.length;
  }
}

function pieceAt(written: string, at: number, notation: Notation): Piece {
  if (notation === 'single' && written.startsWith("''", at)) return { at, length: 2, units: ["'"] };
  ESCAPE.lastIndex = at;
  const found = notation === 'double' ? ESCAPE.exec(written)?.[0] : undefined;
  if (found === undefined) return { at, length: 1, units: [written[at]!] };
  return { at, length: found.length, units: units(unescaped(found.slice(1))) };
}

function unescaped(code: string): string {
  if (/^[xuU][\da-fA-F]/.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
  return /^\r?\n$/.test(code) ? '' : (SHORT_ESCAPES[code] ?? code);
}

function endOfLine(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end + 1;
}

function units(text: string): string[] {
  return text.split('');
}

function isVisible(unit: string): boolean {
  return /\S/.test(unit);
}
