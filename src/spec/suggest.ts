import { editDistance } from '../core/text/edit-distance.ts';

/** Comparing is quadratic; past this much text a hint is not worth the wait. */
const BUDGET = 2_000_000;

/** `; did you mean "x"?` for the candidate nearest to `name`, or nothing if none is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const wanted = name.toLowerCase();
  const limit = name.length < 2 ? 0 : Math.max(1, Math.min(3, Math.floor(name.length / 3)));
  let best: string | undefined;
  let bestDistance = limit + 1;
  let spent = 0;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    spent += candidate.length * name.length;
    if (spent > BUDGET) break;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best === undefined ? '' : `; did you mean "${best}"?`;
}
