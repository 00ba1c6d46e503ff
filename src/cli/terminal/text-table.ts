import { visibleText } from '../../views/visible-text.ts';
import { displayWidth, ellipsizeEnd, ellipsizeMiddle, padToWidth } from './display-width.ts';
import { type Paint, paintLine, type Style, type StyledLine } from './styled-line.ts';
import { wrapWords } from './wrap-words.ts';

export interface Column<T> {
  title: string;
  value: (row: T) => string | number | null;
  align?: 'left' | 'right';
  /** Where the cell is cut when the terminal is too narrow; a column without it keeps its width. */
  shrink?: 'middle' | 'end';
  /** For `foldingTable`: below its row where the terminal is too narrow, whole and without a title. */
  fold?: true;
  style?: (row: T) => Style | undefined;
}

/** A column that may shrink keeps at least this much. */
const MIN_SHRUNK = 8;
const GAP = '  ';

/** Lines of a table that fits `width` columns as far as its shrinkable columns allow. */
export function textTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
  paint: Paint,
): string[] {
  return tableLines(columns, rows, width).map((line) => paintLine(line, paint).trimEnd());
}

const BELOW = '    ';

/** The titles, then one text for each row, which spans lines where its columns had to be folded. */
export function foldingTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
  paint: Paint,
): string[] {
  const isWide = textTable(columns, rows, Number.POSITIVE_INFINITY, (_, text) => text).some(
    (line) => displayWidth(line) > width,
  );
  if (!isWide) return textTable(columns, rows, width, paint);
  const folded = columns.filter(({ fold }) => fold === true);
  const [titles, ...lines] = textTable(
    columns.filter(({ fold }) => fold !== true),
    rows,
    width,
    paint,
  );
  const below = (row: T) =>
    folded
      .map(({ value }) => value(row))
      .filter((cell) => cell !== null)
      .flatMap((cell) => wrapWords(BELOW + visibleText(String(cell)), width, BELOW));
  return [titles!, ...rows.map((row, index) => [lines[index]!, ...below(row)].join('\n'))];
}

/** The same lines with their styles kept apart from the text. */
export function tableLines<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
): StyledLine[] {
  const cells = rows.map((row) => columns.map((column) => visibleText(String(column.value(row) ?? '-'))));
  const widths = columns.map((column, index) =>
    cells.reduce((max, row) => Math.max(max, displayWidth(row[index]!)), displayWidth(column.title)),
  );
  shrink(columns, widths, width);

  const layout = (row: readonly string[], styleOf: (index: number) => Style | undefined): StyledLine =>
    columns.flatMap((column, index) => {
      const fitted = (column.shrink === 'middle' ? ellipsizeMiddle : ellipsizeEnd)(
        row[index]!,
        widths[index]!,
      );
      const last = index === columns.length - 1 && column.align !== 'right';
      const padded = last ? fitted : padToWidth(fitted, widths[index]!, column.align ?? 'left');
      const cell = { text: padded, style: styleOf(index) };
      return index === 0 ? [cell] : [{ text: GAP }, cell];
    });

  return [
    layout(
      columns.map((column) => column.title),
      () => 'dim',
    ),
    ...cells.map((row, number) => layout(row, (index) => columns[index]!.style?.(rows[number]!))),
  ];
}

/** Takes columns from the widest shrinkable column until all fit or none can give more. */
function shrink<T>(columns: readonly Column<T>[], widths: number[], width: number): void {
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width;
  while (excess > 0) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      if (column.shrink && widths[index]! > MIN_SHRUNK && (widest < 0 || widths[index]! > widths[widest]!)) {
        widest = index;
      }
    }
    if (widest < 0) return;
    widths[widest]! -= 1;
    excess -= 1;
  }
}
