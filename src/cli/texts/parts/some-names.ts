import { visibleText } from '../../../views/visible-text.ts';

/** `a, b, c and 9 more`. `count`: how many there are, where only some of the names are known. */
export function someNames(names: readonly string[], shown = 3, count = names.length): string {
  const some = names.slice(0, shown);
  const rest = count - some.length;
  return visibleText(some.join(', ')) + (rest > 0 ? ` and ${rest} more` : '');
}

/** `1 job`, `3 jobs`. */
export function jobsCounted(count: number): string {
  return `${count} ${count === 1 ? 'job' : 'jobs'}`;
}
