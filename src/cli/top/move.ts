import { visibleText } from '../../views/visible-text.ts';
import type { ScreenSize } from '../progress/progress-frame.ts';
import { bodyRows, lastOffset, listRowsShown, wrapLines } from './layout.ts';
import { listRows } from './list-rows.ts';
import type { Detail, ListScreen } from './top-state.ts';

export type Move = 'up' | 'down' | 'page up' | 'page down' | 'first' | 'last';

const MOVES: Readonly<Record<string, Move>> = {
  up: 'up',
  k: 'up',
  down: 'down',
  j: 'down',
  pageup: 'page up',
  pagedown: 'page down',
  ' ': 'page down',
  home: 'first',
  g: 'first',
  end: 'last',
  G: 'last',
};

/** undefined: the key moves nothing. */
export function moveOf(key: string): Move | undefined {
  return Object.hasOwn(MOVES, key) ? MOVES[key] : undefined;
}

/** Beyond the rows that were read comes another page, which has to be read. */
export function moveInList(
  screen: ListScreen,
  move: Move,
  size: ScreenSize,
): { screen: ListScreen; turned: boolean } {
  const shown = listRowsShown(size);
  const count = screen.data === null ? 0 : listRows(screen.data, 0).keys.length;
  const next = screen.data !== null && 'next' in screen.data ? screen.data.next : null;
  const wanted = screen.selected + steps(move, shown, count);
  if (wanted >= count && next !== null && screen.selected === count - 1) {
    return { screen: turned(screen, [...screen.pages, next], 0), turned: true };
  }
  if (move === 'first' && screen.pages.length > 1) {
    return { screen: turned(screen, [null], 0), turned: true };
  }
  if (wanted < 0 && screen.selected === 0 && screen.pages.length > 1) {
    return { screen: turned(screen, screen.pages.slice(0, -1), Number.MAX_SAFE_INTEGER), turned: true };
  }
  if (screen.data === null) return { screen, turned: false };
  return { screen: inSight({ ...screen, selected: wanted }, count, size), turned: false };
}

/** Another page, not read yet, with this row selected or the last one. */
function turned(screen: ListScreen, pages: ListScreen['pages'], selected: number): ListScreen {
  return { ...screen, pages, selected, offset: 0, data: null };
}

function steps(move: Move, shown: number, count: number): number {
  switch (move) {
    case 'up':
      return -1;
    case 'down':
      return 1;
    case 'page up':
      return -shown;
    case 'page down':
      return shown;
    case 'first':
      return -count;
    case 'last':
      return count;
  }
}

/** With a row selected that there is, and that row on the screen. */
export function inSight(screen: ListScreen, count: number, size: ScreenSize): ListScreen {
  const shown = listRowsShown(size);
  const selected = Math.max(0, Math.min(count - 1, screen.selected));
  const highest = Math.min(screen.offset, selected, lastOffset(count, shown));
  return { ...screen, selected, offset: Math.max(highest, selected - shown + 1) };
}

/** At the end of a log the screen stays at the end. */
export function moveInDetail(detail: Detail, move: Move, size: ScreenSize): Detail {
  const rows = bodyRows(size);
  const count = detailLines(detail, size).length;
  const end = lastOffset(count, rows);
  const offset = Math.max(0, (detail.offset ?? end) + steps(move, rows, count));
  return { ...detail, offset: offset >= end ? (detail.kind === 'log' ? null : end) : offset };
}

/** The lines of a detail as they are on the screen. */
export function detailLines(detail: Detail, { columns }: ScreenSize): string[] {
  return wrapLines((detail.lines ?? []).map(visibleText), columns);
}
