import { visibleText } from '../../../views/visible-text.ts';
import { jobsCounted } from './some-names.ts';

/** `until merge: 7 jobs are not started`. */
export function untilText(until: readonly string[], count: number): string {
  return `until ${visibleText(until.join(', '))}: ${jobsCounted(count)} ${count === 1 ? 'is' : 'are'} not started`;
}
