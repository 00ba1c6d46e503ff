import type * as Yaml from 'yaml';
import { TOO_DEEP } from './depth.ts';

/** A mistake of the notation in our words, with what to write instead. The package's own words are only sorted by. */
export function yamlMistake({ code, message, pos }: Yaml.YAMLParseError, text: string): string {
  const at = pos[0];
  switch (code) {
    case 'DUPLICATE_KEY':
      return `the key ${/^[^\s:]+/.exec(text.slice(at, at + 200))?.[0] ?? 'here'} is given twice`;
    case 'MULTIPLE_DOCS':
      return 'a spec is one YAML document, but another one starts here';
    case 'UNEXPECTED_TOKEN':
      return unexpected(message, text, at);
    case 'MISSING_CHAR':
      return missing(message);
    case 'BAD_INDENT':
      return badIndent(message);
    case 'TAB_AS_INDENT':
      return 'a tab is used for indentation; use spaces';
    case 'BAD_SCALAR_START':
      return `a text cannot begin with ${text[at]}; put it in quotes`;
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'a second ": " after a key; put the text in quotes, or begin a new line for the second key';
    case 'BLOCK_IN_FLOW':
      return 'lines with "- " or "key: " cannot stand inside { } or [ ]; close the bracket first';
    case 'MULTILINE_IMPLICIT_KEY':
      return 'a key must be on one line; look for a missing colon or quote before it';
    case 'KEY_OVER_1024_CHARS':
      return 'a key has more than 1024 characters; look for a missing line end or quote';
    case 'BAD_DQ_ESCAPE':
      return `${text.slice(at, at + 2)} is not an escape sequence; write \\\\ for a backslash, or use single quotes`;
    case 'RESOURCE_EXHAUSTION':
      return TOO_DEEP;
    case 'BAD_DIRECTIVE':
      return 'a line that begins with % is not allowed here';
    default:
      // All that is left are anchors (&), aliases (*) and tags (!).
      return 'an anchor (&), alias (*) or tag (!) is not allowed like this; put the text in quotes if it is meant as text';
  }
}

function unexpected(message: string, text: string, at: number): string {
  const sign = text[at] ?? '';
  if (/on same line with key/.test(message)) return 'a list begins on a line of its own under its key';
  if (/header/.test(message)) return 'nothing may follow | or > in its line; the text begins in the next one';
  const braces = unquotedBraces(text, at);
  if (braces !== undefined) return `a text with braces needs quotes here; quote it: "${braces}"`;
  const before = text
    .slice(Math.max(0, at - 200), at)
    .trimEnd()
    .at(-1);
  if (/at node end/.test(message) && (before === '"' || before === "'")) {
    return 'there is text after the closing quote; put all of it into one pair of quotes';
  }
  if (/^[\]},]$/.test(sign))
    return `"${sign}" is not expected here; look for one too many, or quote the text`;
  return 'this does not belong to what stands before it; check its indentation, or put the text in quotes';
}

/** `x_{sample}` around a place where braces were taken for an object: all of the text that needs quotes. */
function unquotedBraces(text: string, at: number): string | undefined {
  const near = text.slice(Math.max(0, at - REACH), at);
  const open = text[at] === '{' ? at : at - near.length + near.search(/\{[\w.:]+\}\s*$/);
  if (!/^\{[\w.:]+\}/.test(text.slice(open, open + REACH))) return undefined;
  let start = open;
  while (start > open - REACH && /[^,[{\n]/.test(text[start - 1] ?? '\n') && !isIndicator(text, start))
    start--;
  let end = open;
  while (end < open + REACH && /[^,\]}\n]/.test(text[end] ?? '\n')) {
    end = text[end] === '{' ? text.indexOf('}', end) + 1 || text.length : end + 1;
  }
  return text.slice(start, Math.min(end, open + REACH)).trim();
}

/** How far around a mistake is looked. */
const REACH = 200;

/** Whether a value can begin here: after `: ` or `- `. */
function isIndicator(text: string, at: number): boolean {
  return text[at - 1] === ' ' && (text[at - 2] === ':' || text[at - 2] === '-');
}

function missing(message: string): string {
  if (/quote/.test(message)) return 'a text in quotes is not closed; look for its first quote above';
  if (/followed by map values/.test(message)) return 'a key has no value; write "key: value"';
  if (/without - indicator/.test(message))
    return 'this line is neither an item of the list ("- ") nor indented like the keys of the item above';
  if (/Missing space after/.test(message)) return 'a space is missing after the colon';
  if (/separated/.test(message)) return 'a space is missing here';
  if (/directives/.test(message)) return 'a line that begins with % is not allowed here';
  return 'a comma is missing between the items';
}

function badIndent(message: string): string {
  const close = /end with a ([\]}])/.exec(message)?.[1];
  if (close !== undefined) return `a "${close}" is missing, or a line inside the brackets is not indented`;
  if (/same column/.test(message)) return 'this line is not indented like the lines that it belongs to';
  return 'the indentation is wrong';
}

/** Why the aliases of a document cannot be followed. */
export function aliasMistake(message: string, most: number): string {
  const name = /^Unresolved alias.*: (.*)$/.exec(message)?.[1];
  if (name !== undefined)
    return `*${name} has no anchor &${name} before it; put it in quotes if it is meant as text`;
  if (/alias count/.test(message)) return `aliases repeat more than ${most} values`;
  return '<< merges maps only';
}
