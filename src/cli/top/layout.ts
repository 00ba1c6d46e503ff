import type { ScreenSize } from '../progress/progress-frame.ts';
import { displayWidth } from '../terminal/display-width.ts';

/** Title, tabs, summary, and at the end a line for notices and one for keys. */
const FRAME_ROWS = 5;
const TITLES = 1;

/** Below this nothing useful fits. */
export const SMALLEST: ScreenSize = { columns: 40, rows: 10 };

/** Lines between the summary and the notices. */
export function bodyRows(size: ScreenSize): number {
  return Math.max(1, size.rows - FRAME_ROWS);
}

/** Rows of a list below its titles. */
export function listRowsShown(size: ScreenSize): number {
  return Math.max(1, bodyRows(size) - TITLES);
}

/** Each line cut into pieces of at most so many columns. */
export function wrapLines(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => {
    if (displayWidth(line) <= columns) return [line];
    const pieces: string[] = [];
    let piece = '';
    let width = 0;
    for (const char of line) {
      const wide = displayWidth(char);
      if (width + wide > columns) {
        pieces.push(piece);
        piece = '';
        width = 0;
      }
      piece += char;
      width += wide;
    }
    return [...pieces, piece];
  });
}

/** The first line that can be on the screen such that the last one still fills it. */
export function lastOffset(lines: number, rows: number): number {
  return Math.max(0, lines - rows);
}
