/** Of a job, by its name and its scope. */
export function keyOf({ name, scope }: { name: string; scope: string }): string {
  return scope === '' ? name : `${name}\0${scope}`;
}

/** `list[0]/parts[2]` → `list[*]/parts[*]`: the scope in which the spec has the jobs of an item. */
export function patternOf(scope: string): string {
  return scope === '' ? '' : scope.replaceAll(/\[\d+\](?=\/|$)/g, '[*]');
}

/** The step that puts out the list of a scope, and the scope that it is in. */
export function producerOfItems(scope: string): { name: string; scope: string } {
  const inner = scope.lastIndexOf(']/') + 1;
  const start = inner === 0 ? 0 : inner + 1;
  return { name: scope.slice(start, scope.lastIndexOf('[')), scope: scope.slice(0, inner) };
}

/** The outermost list that a scope is in: `list` of `list[*]/parts[*]`. */
export function outermostList(scope: string): string {
  const end = scope.indexOf(']/');
  const first = end < 0 ? scope : scope.slice(0, end + 1);
  return first.slice(0, first.lastIndexOf('['));
}
