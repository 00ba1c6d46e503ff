/** Texts up to this length are shown as they are. */
const SHORT = 120;
/** So much that is equal is kept before and after what is different. */
const AROUND = 30;

/** Two long texts without most of what they have in common at both ends, so that the difference can be seen. */
export function shortenPair(from: string, to: string): [from: string, to: string] {
  if (Math.max(from.length, to.length) <= SHORT) return [from, to];
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < most - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  return [shorten(from, start, end), shorten(to, start, end)];
}

function shorten(text: string, start: number, end: number): string {
  const from = wordStart(text, Math.max(0, start - AROUND));
  const to = wordEnd(text, Math.min(text.length, text.length - end + AROUND));
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}

/** Words stay whole where they begin and end near. */
function wordStart(text: string, at: number): number {
  const start = at === 0 ? 0 : text.lastIndexOf(' ', at) + 1;
  return at - start < AROUND ? start : at;
}

function wordEnd(text: string, at: number): number {
  const blank = text.indexOf(' ', at);
  const end = blank < 0 ? text.length : blank;
  return end - at < AROUND ? end : at;
}
