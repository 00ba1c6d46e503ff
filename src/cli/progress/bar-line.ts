import { displayWidth } from '../terminal/display-width.ts';
import type { StyledLine } from '../terminal/styled-line.ts';

/** `ended`: the good and the bad together. */
export function barLine(shares: { good: number; ended: number }, label: string, columns: number): StyledLine {
  const width = Math.max(0, columns - displayWidth(label));
  const good = Math.round(shares.good * width);
  const bad = Math.max(0, Math.round(shares.ended * width) - good);
  return [
    { text: '█'.repeat(good), style: 'green' },
    { text: '█'.repeat(bad), style: 'red' },
    { text: '░'.repeat(width - good - bad), style: 'dim' },
    { text: label },
  ];
}
