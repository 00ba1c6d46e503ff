import { formatDuration } from '../../core/text/quantity.ts';
import type { AttemptTone, Timeline, TimelineBar } from '../../views/report/run-timeline.ts';
import { timeMarks } from '../../views/timeline/timeline-segments.ts';
import { visibleText } from '../../views/visible-text.ts';
import { ellipsizeMiddle } from '../terminal/display-width.ts';
import { html, type Markup } from './html.ts';

const WIDTH = 1000;
const NAMES = 220;
const CHART_HEIGHT = 120;
const ROW = 16;
const NAME_COLUMNS = 34;
const MOST_TICKS = 6;
const SMALLEST_BAR = 2;
const TONES: AttemptTone[] = ['good', 'bad', 'other', 'runs'];
/** A text that begins nearer to the right border would be cut. */
const LAST_TICK = 60;
/** Shape as well as colour: a sign after the bar. */
const SIGNS: Record<AttemptTone, string> = { good: '✓', bad: '✗', other: '–', runs: '…' };

/** Neighbours share their borders: both are rounded alike. */
const at = (value: number) => Math.round(value * 10) / 10;

/** How many attempts ran at once, over the time of the run. */
export function concurrencyPicture({ parts, from_ms, to_ms }: Timeline): Markup {
  const total = (part: Timeline['parts'][number]) => TONES.reduce((sum, tone) => sum + part[tone], 0);
  const highest = Math.max(1, ...parts.map(total));
  const width = WIDTH / parts.length;
  const bars = parts.flatMap((part, index) => {
    let top = CHART_HEIGHT;
    return TONES.flatMap((tone) => {
      if (part[tone] === 0) return [];
      const height = Math.max(SMALLEST_BAR, (part[tone] / highest) * CHART_HEIGHT);
      top = Math.max(0, top - height);
      return html`<rect class="fill-${tone}" x="${at(index * width)}" y="${at(top)}" width="${at(at((index + 1) * width) - at(index * width))}" height="${at(height)}"/>`;
    });
  });
  const most = highest < 10 ? at(highest) : Math.round(highest);
  const words = `At most ${most} ${most === 1 ? 'attempt' : 'attempts'} ran at once, on average over a part of the time.`;
  return html`<svg viewBox="0 0 ${WIDTH} ${CHART_HEIGHT + 22}" role="img" aria-label="${words}">
${bars}<line class="axis" x1="0" y1="${CHART_HEIGHT}" x2="${WIDTH}" y2="${CHART_HEIGHT}"/>${ticks(0, CHART_HEIGHT, to_ms - from_ms)}</svg>
<p class="quiet">${words}</p>`;
}

/** A bar for each attempt. */
export function attemptsPicture({ bars, from_ms, to_ms }: Timeline): Markup {
  const scale = (WIDTH - NAMES) / (to_ms - from_ms);
  const height = bars.length * ROW;
  const rows = bars.map((bar, index) => row(bar, index * ROW, (ms) => NAMES + (ms - from_ms) * scale));
  return html`<svg viewBox="0 0 ${WIDTH} ${height + 22}" role="img" aria-label="The attempts that took longest">
${rows}<line class="axis" x1="${NAMES}" y1="${height}" x2="${WIDTH}" y2="${height}"/>${ticks(NAMES, height, to_ms - from_ms)}</svg>`;
}

function row(bar: TimelineBar, top: number, x: (ms: number) => number): Markup {
  const { job, attempt_id, from_ms, to_ms, tone, outcome } = bar;
  const name = `${visibleText(job)}${attempt_id > 1 ? ` #${attempt_id}` : ''}`;
  const left = x(from_ms);
  const width = Math.max(SMALLEST_BAR, x(to_ms) - left);
  const took = formatDuration(to_ms - from_ms);
  // The sign stands before a bar that ends at the border.
  const sign = left + width + 12 < WIDTH ? left + width + 3 : left - 12;
  return html`<g><title>${name}: ${visibleText(outcome)}, ${took}</title><text class="label" x="0" y="${top + 12}">${ellipsizeMiddle(name, NAME_COLUMNS)}</text><rect class="fill-${tone}" x="${at(left)}" y="${top + 3}" width="${at(width)}" height="${ROW - 6}"/><text x="${at(sign)}" y="${top + 12}">${SIGNS[tone]}</text></g>
`;
}

/** At round times, each where its text begins. */
function ticks(left: number, top: number, duration: number): Markup[] {
  return timeMarks(duration, MOST_TICKS).map((mark) => {
    const x = left + ((WIDTH - left) * mark) / duration;
    const text = mark === 0 ? '0' : formatDuration(mark);
    const isLast = x > WIDTH - LAST_TICK;
    return html`<line class="axis" x1="${at(x)}" y1="${top}" x2="${at(x)}" y2="${top + 5}"/>${isLast ? null : html`<text x="${at(x + 4)}" y="${top + 15}">${text}</text>`}`;
  });
}
