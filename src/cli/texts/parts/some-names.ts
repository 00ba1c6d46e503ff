import { visibleText } from '../../../views/visible-text.ts';

/** `a, b, c and 9 more`. */
export function someNames(names: readonly string[], shown = 3): string {
  const rest = names.length - shown;
  return visibleText(names.slice(0, shown).join(', ')) + (rest > 0 ? ` and ${rest} more` : '');
}

/** `1 job`, `3 jobs`. */
export function jobsCounted(count: number): string {
  return `${count} ${count === 1 ? 'job' : 'jobs'}`;
}
