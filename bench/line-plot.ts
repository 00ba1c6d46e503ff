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
  /** Of x (default: powers of ten). */
  scale?: 'linear';
  /** The highest y that is drawn; lines above it run along the edge (default: that of all points). */
  most?: number;
  lines: readonly PlotLine[];
}

const WIDTH = 700;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 210;
const TOP = 40;
const BOTTOM = 52;
/** Distinct also for people who see colours differently; the names stand beside the lines. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];
const GREY = '#767676';
/** Between the names of two lines that end at the same height. */
const LABEL_HEIGHT = 14;
/** More points than these are a line without dots. */
const MOST_DOTS = 20;

/** As SVG, y from 0; readable on white and on black. */
export function drawPlot({ title, x: xName, y: yName, scale, most, lines }: LinePlot): string {
  const scaled = scale === 'linear' ? (at: number) => at : Math.log10;
  const measured = lines.flatMap(({ points }) => points.map(([at]) => at));
  const [first, last] = [
    scale === 'linear' ? 0 : Math.min(...measured.map(scaled)),
    Math.max(...measured.map(scaled)),
  ];
  const top = roundUp(most ?? Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value))));
  const toX = (at: number) => LEFT + ((scaled(at) - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const toY = (value: number) => HEIGHT - BOTTOM - (Math.min(value, top) / top) * (HEIGHT - TOP - BOTTOM);
  const places = scale === 'linear' ? evenPlaces(last) : [...new Set(measured)];
  const labels = spread(lines.map(({ points }) => toY(points.at(-1)![1])));
  const parts = [
    text(LEFT, 22, title, 'font-weight="bold" font-size="15"'),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${toY(part * top)}" y2="${toY(part * top)}" stroke="${GREY}" stroke-opacity="0.3"/>`,
      text(LEFT - 8, toY(part * top) + 4, number(part * top), 'text-anchor="end"'),
    ]),
    ...places.map((at) => text(toX(at), HEIGHT - BOTTOM + 18, number(at), 'text-anchor="middle"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, xName, 'text-anchor="middle"'),
    text(LEFT, TOP - 6, yName, 'font-size="11"'),
    ...lines.flatMap((line, index) =>
      drawLine(line, COLOURS[index % COLOURS.length]!, { toX, toY, labelY: labels[index]! }),
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="${GREY}" role="img" aria-label="${escaped(title)}">\n${parts.join('\n')}\n</svg>\n`;
}

function drawLine(
  { name, points }: PlotLine,
  colour: string,
  { toX, toY, labelY }: { toX(at: number): number; toY(value: number): number; labelY: number },
): string[] {
  const places = points.map(([at, value]) => `${toX(at).toFixed(1)},${toY(value).toFixed(1)}`);
  const dots = points.length > MOST_DOTS ? [] : places;
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...dots.map((place) => {
      const [x, y] = place.split(',');
      return `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`;
    }),
    text(toX(points.at(-1)![0]) + 10, labelY + 4, name, `fill="${colour}"`),
  ];
}

/** Heights that are at least a label apart, in the order of the given ones. */
function spread(heights: readonly number[]): number[] {
  const moved = [...heights];
  let free = TOP;
  for (const index of heights.map((_, each) => each).sort((a, b) => heights[a]! - heights[b]!)) {
    moved[index] = Math.max(heights[index]!, free);
    free = moved[index] + LABEL_HEIGHT;
  }
  return moved;
}

/** Round numbers from 0, at most seven. */
function evenPlaces(last: number): number[] {
  const step = roundUp(last / 6);
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step);
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
