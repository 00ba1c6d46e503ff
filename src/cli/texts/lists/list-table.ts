import type { TextStyle } from '../../terminal/text-style.ts';
import { type Column, textTable } from '../../terminal/text-table.ts';

/** A table that fits the terminal, or one line if there are no rows. */
export function listTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  style: TextStyle,
  empty: string,
): string[] {
  return rows.length === 0 ? [empty] : textTable(columns, rows, style.width, style.paint);
}
