import type { NewItem } from '../../core/request/request-model.ts';
import { firstGroups } from '../pattern.ts';

/** An item, and where it is listed: a line of a file, or an index of a list. */
interface ListedItem extends NewItem {
  at: number;
}

export interface ItemMistake {
  at: number;
  message: string;
}

export type ReadItems = { ok: true; items: NewItem[] } | { ok: false; mistakes: ItemMistake[] };

/** More mistakes of one list are not reported one by one. */
const MOST_MISTAKES = 20;

/**
 * One item a line. Empty lines and lines that begin with # are passed over. A second column is the group: after a tab,
 * or, in paths without blanks, after blanks.
 */
export function readItemLines(text: string, groupBy: string | null): ReadItems {
  const listed: ListedItem[] = [];
  const mistakes: ItemMistake[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const tab = raw.indexOf('\t');
    // Blanks before a tab are part of the path only inside of it.
    const columns = tab > 0 && raw.slice(0, tab).trim() !== '' ? tabColumns(raw, tab) : line.split(/\s+/);
    if (columns.length > 2) {
      mistakes.push({
        at: index + 1,
        message: `has ${columns.length} columns; a path with blanks needs a tab behind it, and then its group or nothing`,
      });
    } else {
      listed.push({ at: index + 1, path: columns[0]!, group: columns[1] || null });
    }
  }
  return checked(listed, mistakes, groupBy, (at) => `is already in line ${at}`);
}

function tabColumns(line: string, tab: number): string[] {
  return [line.slice(0, tab), ...line.slice(tab + 1).split('\t')].map((column) => column.trim());
}

/** Items as paths, such as the files that a pattern matched. */
export function readItemList(paths: readonly string[], groupBy: string | null): ReadItems {
  const listed = paths.map((path, at) => ({ at, path, group: null }));
  return checked(listed, [], groupBy, (at) => `is already item ${at + 1} of the list`);
}

function checked(
  listed: ListedItem[],
  mistakes: ItemMistake[],
  groupBy: string | null,
  isAlready: (at: number) => string,
): ReadItems {
  const first = new Map<string, number>();
  for (const { path, at } of listed) {
    const before = first.get(path);
    if (before !== undefined) {
      mistakes.push({
        at,
        message: `${JSON.stringify(path)} ${isAlready(before)}; an item is processed once`,
      });
    } else first.set(path, at);
    const problem = pathProblem(path);
    if (problem !== null) mistakes.push({ at, message: `${JSON.stringify(path)} ${problem}` });
  }
  if (mistakes.length > 0) {
    const shown = mistakes.toSorted((a, b) => a.at - b.at).slice(0, MOST_MISTAKES);
    const hidden = mistakes.length - shown.length;
    if (hidden > 0) shown.at(-1)!.message += ` (and ${hidden} more mistakes in this list)`;
    return { ok: false, mistakes: shown };
  }
  const groups =
    groupBy === null
      ? null
      : firstGroups(
          groupBy,
          listed.map(({ path }) => path),
        );
  return {
    ok: true,
    items: listed.map(({ path, group }, index) => ({ path, group: group ?? groups?.[index] ?? null })),
  };
}

/** Names that could not be listed one a line, or not be given to a program. */
function pathProblem(path: string): string | null {
  if (/[\n\r]/.test(path)) return 'has a line end in its name, which an item cannot have';
  if (path.includes('\0')) return 'has a NUL character, which no program can be given';
  // Where bytes are not UTF-8, reading has put this character.
  if (path.includes('\u{FFFD}')) return 'is not UTF-8';
  return null;
}
