import type { RoundBan, RoundDecision } from '../../../core/request/decide-round.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { Paint } from '../../terminal/styled-line.ts';

/** Every rule that was checked about a run of a round; an arrow marks the one that decided. */
export function walkLines({ walk }: RoundDecision, paint: Paint, indent = ''): string[] {
  const width = Math.max(0, ...walk.map(({ rule }) => rule.length));
  return walk.map(({ rule, applies, because }) => {
    const line = `${indent}${applies ? '→' : ' '} ${rule.padEnd(width)}  ${visibleText(because)}`;
    return applies ? line : paint('dim', line);
  });
}

/** Sites that were banned at the end of a run. */
export function banLines(bans: readonly RoundBan[], paint: Paint, indent = ''): string[] {
  return bans.map(({ site, reason, for_all }) => {
    const scope = for_all ? ' for all work' : '';
    return `${indent}${paint('yellow', 'banned')} site ${visibleText(site)}${scope}: ${visibleText(reason)}`;
  });
}
