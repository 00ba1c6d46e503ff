import { visibleText } from '../../views/visible-text.ts';
import type { TextStyle } from './text-style.ts';

/** How one thing is printed on stdout, for each value of `--output`. Lists are also printed as CSV. */
export interface View<T> {
  /** For programs: printed as JSON, with keys in snake_case. */
  json(thing: T): unknown;
  /** Of a list: its records, for `--output csv` (default: the JSON). */
  rows?(thing: T): readonly object[];
  /** For people: lines. */
  table(thing: T, style: TextStyle): string[];
  /** Ids or names of a list, or the state of a single thing; one per line. */
  quiet(thing: T): (string | number)[];
}

/** The whole text, without the newline at its end. */
export function printedText<T>(
  view: View<T>,
  thing: T,
  output: 'table' | 'json' | 'quiet',
  style: TextStyle,
): string {
  if (output === 'json') return JSON.stringify(view.json(thing), null, 2);
  if (output === 'table') return view.table(thing, style).join('\n');
  // A name never spans lines, or one per line would mean nothing.
  return view
    .quiet(thing)
    .map((line) => visibleText(String(line)))
    .join('\n');
}
