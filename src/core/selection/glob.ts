/** One character of a pattern; null: any character. */
type Token = string | null;

/** What stands between two `*`. */
interface Segment {
  tokens: readonly Token[];
  /** As text, if every character is given. */
  literal: string | null;
}

const SURROGATE = /[\ud800-\udfff]/;

/**
 * Whether texts match a pattern as a whole: `*` stands for any text, also none, `?` for one character, and `\` takes the
 * next character as it is. Brackets mean themselves, because labels of items have them. Each segment is taken where it
 * is first found, so that no pattern takes more than the product of the lengths.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  const segments = parse(pattern);
  const [first] = segments as [Segment];
  const isLiteral = segments.length === 1 && first.literal !== null;
  if (isLiteral) return (text) => text === first.literal;
  return (text) => {
    if (first.literal !== null && !text.startsWith(first.literal)) return false;
    // `?` is one character, which can be two units of the text.
    return matches(SURROGATE.test(text) ? [...text] : text, segments);
  };
}

/** Whether a text means more than the text itself. */
export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

/** The same as a pattern of SQL's `like` with `\\` as its escape character. */
export function likePattern(pattern: string): string {
  const between = parse(pattern).map(({ tokens }) =>
    tokens.map((token) => (token === null ? '_' : token.replace(/[\\%_]/, '\\$&'))).join(''),
  );
  return between.join('%');
}

/** The longest text that everything that matches contains; '' if there is none. */
export function longestLiteral(pattern: string): string {
  const pieces = parse(pattern).flatMap(({ tokens }) => literalPieces(tokens));
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '');
}

function parse(pattern: string): Segment[] {
  const segments: Token[][] = [[]];
  const characters = [...pattern];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at]!;
    if (character === '*') segments.push([]);
    else if (character === '?') segments.at(-1)!.push(null);
    else if (character === '\\' && at + 1 < characters.length) segments.at(-1)!.push(characters[++at]!);
    else segments.at(-1)!.push(character);
  }
  return segments.map((tokens) => ({ tokens, literal: tokens.includes(null) ? null : tokens.join('') }));
}

function literalPieces(tokens: readonly Token[]): string[] {
  return tokens
    .map((token) => token ?? '\0')
    .join('')
    .split('\0');
}

function matches(text: string | readonly string[], segments: readonly Segment[]): boolean {
  const [first, ...rest] = segments as [Segment, ...Segment[]];
  const last = rest.pop();
  if (!isAt(text, first, 0)) return false;
  let from = first.tokens.length;
  if (last === undefined) return from === text.length;
  const end = text.length - last.tokens.length;
  for (const segment of rest) {
    const found = find(text, segment, from, end);
    if (found < 0) return false;
    from = found + segment.tokens.length;
  }
  return from <= end && isAt(text, last, end);
}

/** Where the segment is first found; -1 if nowhere before `end`. */
function find(text: string | readonly string[], segment: Segment, from: number, end: number): number {
  const latest = end - segment.tokens.length;
  if (typeof text === 'string' && segment.literal !== null) {
    const found = text.indexOf(segment.literal, from);
    // Found later than it may be is not found: it is the first place.
    return found > latest ? -1 : found;
  }
  for (let at = from; at <= latest; at += 1) if (isAt(text, segment, at)) return at;
  return -1;
}

function isAt(text: string | readonly string[], { tokens }: Segment, at: number): boolean {
  if (at < 0 || at + tokens.length > text.length) return false;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token !== null && token !== text[at + index]) return false;
  }
  return true;
}
