const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** Columns a terminal gives to the text: 2 for wide East Asian characters and emoji, 0 for combining marks. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  const code = char.codePointAt(0)!;
  if (code < 0x300) return 1;
  if (ZERO_WIDTH.test(char)) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

/** Shortened at its end to at most `width` columns. */
export function ellipsizeEnd(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${takeColumns([...text], width - 1)}…`;
}

/** Shortened in its middle: the ends of names distinguish them. */
export function ellipsizeMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 3) return ellipsizeEnd(text, width);
  const head = takeColumns([...text], Math.ceil((width - 1) / 2));
  const tail = [...takeColumns([...text].reverse(), width - 1 - displayWidth(head))].reverse().join('');
  return `${head}…${tail}`;
}

function takeColumns(chars: string[], width: number): string {
  let taken = '';
  let used = 0;
  for (const char of chars) {
    used += charWidth(char);
    if (used > width) break;
    taken += char;
  }
  return taken;
}

export function padToWidth(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + space : space + text;
}
