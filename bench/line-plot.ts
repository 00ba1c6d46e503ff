/** A measured line: where it was measured, and what came out. */
export interface PlotLine {
  name: string;
  points: readonly [x: number, y: number][];
}

export interface LinePlot {
  title: string;
  /** What x and y are, with their units. */
  x: string;
  y: string;
  lines: readonly PlotLine[];
}

const WIDTH = 700;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 210;
const TOP = 40;
const BOTTOM = 52;
/** Told apart by people who see colours differently, too; the names stand beside the lines. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];
const GREY = '#767676';

/** As SVG, x in powers of ten, y from 0; readable on white and on black. */
export function drawPlot({ title, x: xName, y: yName, lines }: LinePlot): string {
  const xs = lines.flatMap(({ points }) => points.map(([at]) => Math.log10(at)));
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const top = roundUp(Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value))));
  const toX = (at: number) => LEFT + ((Math.log10(at) - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const toY = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const places = [...new Set(lines.flatMap(({ points }) => points.map(([at]) => at)))];
  const parts = [
    text(LEFT, 22, title, 'font-weight="bold" font-size="15"'),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${toY(part * top)}" y2="${toY(part * top)}" stroke="${GREY}" stroke-opacity="0.3"/>`,
      text(LEFT - 8, toY(part * top) + 4, number(part * top), 'text-anchor="end"'),
    ]),
    ...places.map((at) => text(toX(at), HEIGHT - BOTTOM + 18, number(at), 'text-anchor="middle"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, xName, 'text-anchor="middle"'),
    text(LEFT, TOP - 6, yName, 'font-size="11"'),
    ...lines.flatMap((line, index) => drawLine(line, COLOURS[index % COLOURS.length]!, toX, toY)),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="${GREY}" role="img" aria-label="${escaped(title)}">\n${parts.join('\n')}\n</svg>\n`;
}

function drawLine(
  { name, points }: PlotLine,
  colour: string,
  toX: (at: number) => number,
  toY: (value: number) => number,
): string[] {
  const places = points.map(([at, value]) => `${toX(at).toFixed(1)},${toY(value).toFixed(1)}`);
  const [at, value] = points.at(-1)!;
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...places.map((place) => {
      const [x, y] = place.split(',');
      return `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`;
    }),
    text(toX(at) + 10, toY(value) + 4, name, `fill="${colour}"`),
  ];
}

function text(x: number, y: number, content: string, more = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(content)}</text>`;
}

const escaped = (content: string) =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 2 });

/** 1, 2 or 5 of a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
