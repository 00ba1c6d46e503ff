import { editDistance } from '../text/edit-distance.ts';
import { isPattern, longestLiteral } from './glob.ts';

/** Comparing is quadratic; past this much text a hint is not worth the wait. */
const BUDGET = 20_000_000;
const SHOWN = 3;

/** A few of the names that may have been meant by one that no job has, or by a pattern that none matches; nearest first. */
export function nearNames(wanted: string, names: Iterable<string>): string[] {
  const text = (isPattern(wanted) ? longestLiteral(wanted) : wanted).toLowerCase();
  if (text === '') return [];
  const limit = Math.max(1, Math.min(3, Math.floor(text.length / 3)));
  const near: { name: string; distance: number }[] = [];
  let spent = 0;
  for (const name of names) {
    const lower = name.toLowerCase();
    if (lower.includes(text)) near.push({ name, distance: 0 });
    else {
      // What follows the beginning of a name distinguishes the jobs of a sweep.
      const compared = isPattern(wanted) ? lower.slice(0, text.length) : lower;
      if (Math.abs(compared.length - text.length) > limit) continue;
      spent += compared.length * text.length;
      if (spent > BUDGET) break;
      const distance = editDistance(text, compared, limit + 1);
      if (distance <= limit) near.push({ name, distance });
    }
  }
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SHOWN)
    .map(({ name }) => name);
}

/** `; did you mean "a", "b" or "c"?` */
export function nearText(names: readonly string[]): string {
  if (names.length === 0) return '';
  const quoted = names.map((name) => `"${name}"`);
  const last = quoted.pop()!;
  return `; did you mean ${quoted.length === 0 ? '' : `${quoted.join(', ')} or `}${last}?`;
}
