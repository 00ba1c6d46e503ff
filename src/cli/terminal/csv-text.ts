import type { View } from './view.ts';

/** Control characters that would move a cursor, or that readers of CSV stumble over; tabs and line ends stay. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Needs quotes: separators, quotes, line ends, and spaces at either end, which some readers drop. */
const QUOTED = /[",\r\n]|^\s|\s$/;

/**
 * A list as RFC 4180, one record per line below the names of its fields, with a plain newline after each. Null is an
 * empty field, an empty text is `""`; lists and objects are compact JSON.
 */
export function csvText<T>(view: View<T>, thing: T, columns: readonly string[]): string {
  const rows = (view.rows ?? view.json)(thing) as Record<string, unknown>[];
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((fields) => fields.map(csvField).join(','))
    .join('\n');
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const visible = text.replace(CONTROLS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return visible === '' || QUOTED.test(visible) ? `"${visible.replaceAll('"', '""')}"` : visible;
}
