import type { Random } from '../chaos/random.ts';
import { hostile } from './values.ts';

/** A copy with one thing in it replaced, removed, doubled or taken from elsewhere in it. */
export function mutateTree(value: unknown, random: Random, donors: readonly unknown[]): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0 || random.chance(0.1))
    return random.chance(0.5) ? random.pick(donors) : hostile(random);
  const keys = Object.keys(value);
  const key = random.pick(keys);
  if (Array.isArray(value)) {
    const copy = [...value];
    const at = Number(key);
    const how = random.next();
    if (how < 0.15) copy.splice(at, 1);
    else if (how < 0.3) copy.splice(at, 0, copy[at]);
    else copy[at] = mutateTree(copy[at], random, donors);
    return copy;
  }
  const copy = { ...value } as Record<string, unknown>;
  const how = random.next();
  if (how < 0.1) delete copy[key];
  else if (how < 0.2) copy[`${key}x`] = copy[key];
  else if (how < 0.3) copy[random.pick(keys)] = copy[key];
  else copy[key] = mutateTree(copy[key], random, donors);
  return copy;
}

/** Lines are removed, doubled, moved, indented or brought in from another text. */
export function mutateLines(text: string, random: Random, others: readonly string[]): string {
  const lines = text.split('\n');
  for (let left = random.int(1, 3); left > 0; left -= 1) {
    const at = random.int(0, lines.length - 1);
    const line = lines[at]!;
    const other = random.pick(random.pick(others).split('\n'));
    const edits = [
      [],
      [line, line],
      [` ${line}`],
      [line.trimStart()],
      [other],
      [line, other],
      [line.slice(0, -1)],
    ];
    lines.splice(at, 1, ...random.pick(edits));
    if (lines.length === 0) lines.push('');
  }
  return lines.join('\n');
}

const BYTES = [
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  ':',
  ',',
  '\n',
  '\t',
  '\0',
  '&',
  '*',
  '!',
  '|',
  '>',
  '#',
  '\\',
  '\ufeff',
  '-',
];

/** Single characters are changed, removed or put in, and the text may be cut off. */
export function mutateBytes(text: string, random: Random): string {
  let result = text;
  for (let left = random.int(1, 8); left > 0; left -= 1) {
    const at = random.int(0, result.length);
    const put = random.chance(0.5) ? random.pick(BYTES) : String.fromCharCode(random.int(0, 255));
    result = result.slice(0, at) + (random.chance(0.7) ? put : '') + result.slice(at + random.int(0, 1));
  }
  if (random.chance(0.1)) result = result.slice(0, random.int(0, result.length));
  if (random.chance(0.02)) result += random.pick(BYTES).repeat(random.int(1, 20_000));
  return result;
}
