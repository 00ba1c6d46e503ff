/** The forEach jobs whose items a job runs in, outermost first; none at the root. */
export type ScopePath = readonly number[];

export const ROOT: ScopePath = [];

/** Whether what runs in `inner` also runs in `outer`; every scope encloses itself. */
export function encloses(outer: ScopePath, inner: ScopePath): boolean {
  return outer.every((producer, depth) => producer === inner[depth]);
}

export function isSameScope(a: ScopePath, b: ScopePath): boolean {
  return a.length === b.length && encloses(a, b);
}

/** The innermost scope that encloses both. */
export function commonScope(a: ScopePath, b: ScopePath): ScopePath {
  const differs = a.findIndex((producer, depth) => producer !== b[depth]);
  return differs < 0 ? a : a.slice(0, differs);
}

/** `list[*]/parts[*]`. */
export function scopePattern(path: ScopePath, jobs: readonly { name: string }[]): string {
  return path.map((producer) => `${jobs[producer]!.name}[*]`).join('/');
}
