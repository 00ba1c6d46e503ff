import { displayWidth } from './display-width.ts';

/**
 * Lines of at most `width` columns, broken between words; those after the first begin with `indent`. A word that is wider
 * stays whole.
 */
export function wrapWords(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let rest = text;
  while (displayWidth(rest) > width) {
    const room = fittingLength(rest, width);
    const cut = rest.slice(0, room + 1).lastIndexOf(' ');
    const at = cut > indent.length ? cut : rest.indexOf(' ', room);
    if (at === -1) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = indent + rest.slice(at + 1).trimStart();
  }
  return [...lines, rest];
}

/** How much of the text so many columns hold. */
function fittingLength(text: string, width: number): number {
  let length = 0;
  let used = 0;
  for (const char of text) {
    used += displayWidth(char);
    if (used > width) break;
    length += char.length;
  }
  return length;
}
