import { displayWidth, ellipsizeEnd } from './display-width.ts';

/** Codes that begin and end each style on a terminal. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  inverse: [7, 27],
} as const;

export type Style = keyof typeof CODES;

/** Gives text a style, or leaves it alone where colours are off. */
export type Paint = (style: Style, text: string) => string;

export function createPaint(enabled: boolean): Paint {
  if (!enabled) return (_, text) => text;
  return (style, text) => `\x1b[${CODES[style][0]}m${text}\x1b[${CODES[style][1]}m`;
}

export interface Span {
  text: string;
  style?: Style | undefined;
}

/** A line whose colours are kept apart from its text, so that it can be measured and cut. */
export type StyledLine = Span[];

export function fitLine(line: StyledLine, columns: number): StyledLine {
  const fitted: StyledLine = [];
  let left = columns;
  for (const span of line) {
    const width = displayWidth(span.text);
    if (width <= left) {
      fitted.push(span);
      left -= width;
      continue;
    }
    // With no column left the cut has to show in the span before.
    if (left > 0) fitted.push({ ...span, text: ellipsizeEnd(span.text, left) });
    else if (fitted.length > 0) {
      const last = fitted[fitted.length - 1]!;
      fitted[fitted.length - 1] = { ...last, text: `${last.text.slice(0, -1)}…` };
    }
    break;
  }
  return fitted;
}

export function lineText(line: StyledLine): string {
  return line.map((span) => span.text).join('');
}

export function paintLine(line: StyledLine, paint: Paint): string {
  return line.map((span) => (span.style ? paint(span.style, span.text) : span.text)).join('');
}
