import { PAGE_PATHS, type PageName } from '../../src/contract/pages/page-paths.ts';
import { SharedValue } from './shared-value.ts';

/** Where the browser is: a page with the numbers in its path, and the filters in its query. */
export interface Place {
  page: PageName | null;
  params: Record<string, string>;
  query: URLSearchParams;
}

const place = new SharedValue(readPlace());

function readPlace(): Place {
  const query = new URLSearchParams(location.search);
  for (const [page, path] of Object.entries(PAGE_PATHS)) {
    const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, parameterPattern)}$`);
    const match = pattern.exec(location.pathname);
    if (match !== null) return { page: page as PageName, params: { ...match.groups }, query };
  }
  return { page: null, params: {}, query };
}

/** Numbers that ids can be, and names of requests, which need no encoding. */
function parameterPattern(_: string, name: string): string {
  return `(?<${name}>${name.endsWith('_id') ? '\\d{1,15}' : '[\\w.@-]+'})`;
}

function moved(): void {
  place.set(readPlace());
}

addEventListener('popstate', moved);

export const usePlace = place.use;

/** `replace`: what a filter changes is no step back. */
export function goTo(url: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', url);
  else {
    history.pushState(null, '', url);
    scrollTo(0, 0);
  }
  moved();
}

/** Sets filters in the query; an empty one is removed. */
export function setQuery(changes: Record<string, string>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  goTo(`${location.pathname}${text === '' ? '' : `?${text}`}`, { replace: true });
}

export function pageUrl(
  page: PageName,
  params: Record<string, string | number> = {},
  query: Record<string, string> = {},
): string {
  const path = PAGE_PATHS[page].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}
