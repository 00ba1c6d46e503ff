/** A piece of a line with one look. */
export interface Piece {
  text: string;
  /** Classes for the sixteen colours and for bold, dim and underlined text. */
  className: string;
  /** A colour beyond the sixteen, as CSS. */
  color: string | null;
}

interface Look {
  bold: boolean;
  dim: boolean;
  underline: boolean;
  className: string;
  color: string | null;
}

const PLAIN: Look = { bold: false, dim: false, underline: false, className: '', color: null };

/** Readable on the dark ground that logs have in both themes. */
const COLORS = [
  'text-[#8b98a5]',
  'text-[#ff8a80]',
  'text-[#8fd694]',
  'text-[#f2c55c]',
  'text-[#82b4ff]',
  'text-[#d9a0f0]',
  'text-[#6fd3e3]',
  'text-[#dfe7ee]',
];

// Colours are kept, every other control sequence is left out: a log must not move a cursor that is not there.
const SEQUENCE = /\x1b\[([0-9;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]/g;

/** A line of a log in pieces; `\r` within it starts it over, as on a terminal. */
export function ansiPieces(line: string): Piece[] {
  const pieces: Piece[] = [];
  let look = PLAIN;
  let from = 0;
  const shown = lastOverwrite(line);
  for (const match of shown.matchAll(SEQUENCE)) {
    push(pieces, shown.slice(from, match.index), look);
    if (match[1] !== undefined) look = nextLook(look, match[1].split(/[;:]/).map(Number));
    from = match.index + match[0].length;
  }
  push(pieces, shown.slice(from), look);
  return pieces;
}

/** What a search looks at. */
export function plainText(line: string): string {
  return lastOverwrite(line).replaceAll(SEQUENCE, '');
}

function lastOverwrite(line: string): string {
  const text = line.replace(/\r+$/, '');
  return text.slice(text.lastIndexOf('\r') + 1);
}

function push(pieces: Piece[], text: string, look: Look): void {
  if (text === '') return;
  const className = [
    look.className,
    look.bold && 'font-bold',
    look.dim && 'opacity-70',
    look.underline && 'underline',
  ].filter(Boolean);
  pieces.push({ text, className: className.join(' '), color: look.color });
}

function nextLook(before: Look, codes: number[]): Look {
  let look = before;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index]!;
    if (code === 0) look = PLAIN;
    else if (code === 1) look = { ...look, bold: true };
    else if (code === 2) look = { ...look, dim: true };
    else if (code === 4) look = { ...look, underline: true };
    else if (code === 22) look = { ...look, bold: false, dim: false };
    else if (code === 24) look = { ...look, underline: false };
    else if (code === 39) look = { ...look, className: '', color: null };
    else if (code >= 30 && code <= 37) look = { ...look, className: COLORS[code - 30]!, color: null };
    else if (code >= 90 && code <= 97) look = { ...look, className: COLORS[code - 90]!, color: null };
    else if (code === 38 || code === 48) {
      const isIndexed = codes[index + 1] === 5;
      const color = isIndexed ? indexed(codes[index + 2] ?? 0) : rgb(codes.slice(index + 2, index + 5));
      if (code === 38) look = { ...look, className: '', color };
      index += isIndexed ? 2 : 4;
    }
  }
  return look;
}

/** One of the 256 colours: the sixteen are near enough, then a cube of 6 × 6 × 6, then greys. */
function indexed(code: number): string {
  if (code < 16) return /#\w+/.exec(COLORS[code % 8]!)![0];
  if (code >= 232) return rgb([8 + (code - 232) * 10, 8 + (code - 232) * 10, 8 + (code - 232) * 10]);
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = code - 16;
  return rgb([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

/** Lightened, so that dark colours can be read on a dark ground. */
function rgb(parts: number[]): string {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Math.min(255, Math.max(0, part || 0)));
  return `color-mix(in oklab, rgb(${red} ${green} ${blue}) 65%, white)`;
}
