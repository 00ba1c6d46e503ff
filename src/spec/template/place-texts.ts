import { marker } from './place-values.ts';
import type { Refusal } from './refusals.ts';
import { type Piece, ShellScanner } from './shell-scanner.ts';

/** Without a meaning for any shell or language, inside of quotes or not. */
const PLAIN = /^[\w@%+=:,./-]+$/;

export type PlacedTexts =
  | { ok: true; text: string }
  /** `refusal` is null where the shell is not bash. */
  | { ok: false; value: string; refusal: Refusal | null };

type Context = Extract<Piece, { kind: 'value' }>['context'];

/**
 * Texts of a command with lists between them: each item one word, quoted as its place demands, or all of them as one
 * text where they stand in quotes.
 */
export function placeTexts(parts: readonly (string | readonly string[])[], isBash: boolean): PlacedTexts {
  const lists = parts.filter((part) => typeof part !== 'string');
  const special = lists.flat().find((value) => !PLAIN.test(value));
  const plain = (part: string | readonly string[]) => (typeof part === 'string' ? part : part.join(' '));
  if (special === undefined) return { ok: true, text: parts.map(plain).join('') };
  if (!isBash) return { ok: false, value: special, refusal: null };
  let count = 0;
  const marked = parts.map((part) => (typeof part === 'string' ? part : marker(count++))).join('');
  let text = '';
  const scanner = new ShellScanner(marked);
  for (const piece of scanner.pieces()) {
    if (piece.kind === 'text') {
      text += piece.text;
      continue;
    }
    const values = lists[piece.index]!;
    const written = values.map((value) => inContext(value, piece.context));
    const refused = written.indexOf(undefined);
    if (refused !== -1) return { ok: false, value: values[refused]!, refusal: piece.context as Refusal };
    text += written.join(' ');
  }
  if (scanner.late !== undefined) return { ok: false, value: special, refusal: scanner.late.refusal };
  return { ok: true, text };
}

function inContext(value: string, context: Context): string | undefined {
  if (PLAIN.test(value)) return value;
  switch (context) {
    case 'unquoted':
      return `'${value.replaceAll("'", `'\\''`)}'`;
    case 'double':
      return value.replace(/["$`\\]/g, '\\$&');
    case 'single':
      return value.replaceAll("'", `'\\''`);
    case 'ansi':
      return value.replace(/['\\]/g, '\\$&');
    case 'comment':
      return value.replaceAll('\n', ' ');
    default:
      return undefined;
  }
}
