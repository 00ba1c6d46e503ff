import { SharedValue } from '../app/shared-value.ts';

/** Filters of a list, with a name. */
export interface SavedView {
  name: string;
  filters: Record<string, string>;
}

/** Lists with saved views, and the names of their filters in the address. */
export const VIEW_FILTERS = { home: ['name', 'show'], jobs: ['name', 'status'] } as const;
export type ViewList = keyof typeof VIEW_FILTERS;

const KEY = 'holdfast-views';
const LONGEST_NAME = 60;
const LONGEST_FILTER = 500;
const MOST_VIEWS = 30;

type Views = Record<ViewList, SavedView[]>;

const views = new SharedValue<Views>(read());

addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) views.set(read());
});

export const useSavedViews = views.use;

/** Another view with the same name is replaced. */
export function saveView(list: ViewList, view: SavedView): void {
  const others = views.value[list].filter(({ name }) => name !== view.name);
  write({ ...views.value, [list]: [...others, view].slice(-MOST_VIEWS) });
}

export function deleteView(list: ViewList, name: string): void {
  write({ ...views.value, [list]: views.value[list].filter((view) => view.name !== name) });
}

function write(next: Views): void {
  views.set(next);
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // They are kept until the page is closed.
  }
}

function read(): Views {
  let text: string | null = null;
  try {
    text = localStorage.getItem(KEY);
  } catch {
    // A browser may refuse to store anything.
  }
  return readViews(text);
}

/** What is stored may come from anywhere: only what could have been saved here is taken. */
export function readViews(text: string | null): Views {
  let stored: unknown = null;
  try {
    stored = JSON.parse(text ?? 'null');
  } catch {
    // As if nothing was stored.
  }
  return { home: viewsOf('home', stored), jobs: viewsOf('jobs', stored) };
}

function viewsOf(list: ViewList, stored: unknown): SavedView[] {
  const found = isObject(stored) ? stored[list] : null;
  if (!Array.isArray(found)) return [];
  const byName = new Map<string, SavedView>();
  for (const each of found as unknown[]) {
    if (!isObject(each) || typeof each.name !== 'string' || !isObject(each.filters)) continue;
    const { filters } = each;
    const name = each.name.trim().slice(0, LONGEST_NAME);
    const kept = VIEW_FILTERS[list].flatMap((filter) => {
      const value = Object.hasOwn(filters, filter) ? filters[filter] : null;
      return typeof value === 'string' && value !== '' ? [[filter, value.slice(0, LONGEST_FILTER)]] : [];
    });
    if (name !== '' && kept.length > 0) byName.set(name, { name, filters: Object.fromEntries(kept) });
  }
  return [...byName.values()].slice(-MOST_VIEWS);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
