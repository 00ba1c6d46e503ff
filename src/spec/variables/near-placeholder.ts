import { didYouMean } from '../suggest.ts';
import { isFormat, type Placeholder } from '../sweep/placeholders.ts';

/** Programs whose own code has words in braces. */
const BRACE_PROGRAM = /\b(?:[gmn]?awk|jq|perl|ruby|sed|node)\b/;

/** What awk can do in one word; also where its program is not on the command line. */
const AWK_WORDS = new Set('break continue delete exit getline next nextfile print printf return'.split(' '));

/** Braces of another language, such as `awk '{print}'`, `%{http_code}`, `@{upstream}`, `{fd}>log`. */
export function isForeign(text: string, { name, format, start, end }: Placeholder): boolean {
  return (
    (format !== undefined && !isFormat(format)) ||
    AWK_WORDS.has(name) ||
    /[%@#\\{]/.test(text[start - 1] ?? '') ||
    /[<>]/.test(text[end] ?? '') ||
    isInBraceProgram(text, start)
  );
}

/**
 * `; did you mean "sample"?` for a placeholder that is nearly one of the names, such as `{smaple}`, or nothing.
 * Braces of other languages are never taken for one.
 */
export function nearPlaceholder(text: string, placeholder: Placeholder, names: Iterable<string>): string {
  const { name } = placeholder;
  const hint = didYouMean(name, name.length < 4 ? namesOf(names, name) : names);
  return hint !== '' && isForeign(text, placeholder) ? '' : hint;
}

/** Short names are near to everything: only another case of the same letters counts. */
function namesOf(names: Iterable<string>, name: string): string[] {
  return [...names].filter((each) => each.toLowerCase() === name.toLowerCase());
}

/** Whether a place is in quotes that were opened after the name of such a program. */
function isInBraceProgram(text: string, offset: number): boolean {
  const before = text.slice(0, offset);
  const program = before.search(BRACE_PROGRAM);
  if (program < 0) return false;
  const since = before.slice(program);
  return count(since, "'") % 2 === 1 || count(since, '"') % 2 === 1;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
