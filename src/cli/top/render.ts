import type { WorkflowStatus } from '../../contract/records/records.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { isPattern } from '../../core/selection/glob.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { ScreenSize } from '../progress/progress-frame.ts';
import { displayWidth, ellipsizeMiddle } from '../terminal/display-width.ts';
import { clockTime } from '../terminal/local-time.ts';
import { fitLine, lineText, type StyledLine } from '../terminal/styled-line.ts';
import { jobsCounted } from '../texts/parts/some-names.ts';
import { headline } from '../texts/status-text.ts';
import { countsLine } from '../texts/workflow-state.ts';
import { dialogLines } from './dialog-lines.ts';
import { bodyRows, lastOffset, SMALLEST } from './layout.ts';
import { listRows } from './list-rows.ts';
import { detailLines, inSight } from './move.ts';
import {
  type Detail,
  frontDetail,
  frontList,
  type ListScreen,
  type TopState,
  VIEWS,
  type ViewName,
} from './top-state.ts';

/** What is shown is this old before the screen says so. */
const STALE_MS = 10_000;

/**
 * The whole screen: as many lines as it has rows, none wider than it. Every text that comes from outside passes through
 * here, and no control character leaves.
 */
export function render(state: TopState, size: ScreenSize, now: number): StyledLine[] {
  if (size.columns < SMALLEST.columns || size.rows < SMALLEST.rows) return tooSmall(size);
  const head = [title(state, size, now), tabs(state), fitNamed(summary(state), size.columns)];
  const lines = [...head, ...body(state, size, now)];
  while (lines.length < size.rows - 2) lines.push([]);
  lines.push(noticeLine(state, now), keysLine(state));
  const dialog = dialogLines(state.dialog, size);
  if (dialog.length > 0) lines.splice(size.rows - dialog.length, dialog.length, ...dialog);
  return lines.slice(0, size.rows).map((line) => fitLine(line.map(harmless), size.columns));
}

function harmless<S extends { text: string }>(span: S): S {
  return { ...span, text: visibleText(span.text) };
}

function tooSmall({ columns, rows }: ScreenSize): StyledLine[] {
  const text = `too small: ${SMALLEST.columns}x${SMALLEST.rows} at least`;
  const lines: StyledLine[] = [fitLine([{ text }], columns)];
  while (lines.length < rows) lines.push([]);
  return lines.slice(0, Math.max(1, rows));
}

function title(state: TopState, { columns }: ScreenSize, now: number): StyledLine {
  const status = statusOf(state);
  const left: StyledLine = ['workflows', 'workers', 'requests'].includes(state.view)
    ? [{ text: 'holdfast top', style: 'bold' }]
    : status !== null
      ? headline(status, now)
      : [
          { text: `workflow ${state.workflow?.id ?? ''} ` },
          { text: state.workflow?.name ?? '', style: 'bold' },
        ];
  const clock = clockTime(now);
  const room = columns - clock.length - 1;
  const fitted = fitLine(fitNamed(left, room), room);
  const space = ' '.repeat(Math.max(1, columns - clock.length - displayWidth(lineText(fitted))));
  return [...fitted, { text: space }, { text: clock, style: 'dim' }];
}

/** Shorter names than this would not be recognised. */
const SHORTEST_NAME = 12;

/** A name, which is bold, is cut in its middle before anything after it is lost. */
function fitNamed(line: StyledLine, columns: number): StyledLine {
  const shown = line.map(harmless);
  const excess = displayWidth(lineText(shown)) - columns;
  if (excess <= 0) return shown;
  return shown.map((span) =>
    span.style === 'bold'
      ? {
          ...span,
          text: ellipsizeMiddle(span.text, Math.max(SHORTEST_NAME, displayWidth(span.text) - excess)),
        }
      : span,
  );
}

function statusOf(state: TopState): WorkflowStatus | null {
  const { data } = frontList(state);
  return data !== null && 'status' in data ? data.status : null;
}

const TAB_NAMES = ['Workflows', 'Jobs', 'Running', 'Failures', 'Events', 'Workers', 'Requests'];

function tabs({ view }: TopState): StyledLine {
  return VIEWS.flatMap((each, index): StyledLine => {
    const isHere = each === view;
    const text = isHere ? `[${index + 1} ${TAB_NAMES[index]}]` : ` ${index + 1} ${TAB_NAMES[index]} `;
    return [{ text, style: isHere ? 'bold' : 'dim' }];
  });
}

function summary(state: TopState): StyledLine {
  const detail = frontDetail(state);
  if (detail !== null) return detailTitle(detail);
  const screen = frontList(state);
  const { data } = screen;
  if (data === null) return [{ text: 'reading …', style: 'dim' }];
  const page: StyledLine = pageText(screen);
  switch (data.view) {
    case 'workflows':
      return [
        ...filterText(screen),
        data.waiting === 0
          ? { text: 'nothing waits for a decision', style: 'dim' }
          : { text: `${jobsCounted(data.waiting)} waiting for a decision`, style: 'yellow' },
        ...page,
      ];
    case 'jobs':
      return [...filterText(screen), ...countsLine(data.status.counts), ...page];
    case 'running': {
      const count = data.status.counts.running;
      const { length } = data.status.running;
      return [
        {
          text:
            count > length ? `the ${length} that run longest, of ${count}` : `${jobsCounted(count)} running`,
        },
      ];
    }
    case 'failures': {
      const waiting = data.status.counts.pending_failed;
      const more = data.more ? '; smaller groups are left out' : '';
      return [
        {
          text: `${data.groups.length} ${data.groups.length === 1 ? 'group' : 'groups'} of failures that look alike, ${waiting} ${waiting === 1 ? 'job' : 'jobs'} waiting for a decision${more}`,
        },
      ];
    }
    case 'events':
      return [{ text: 'newest first', style: 'dim' }, ...page];
    case 'workers':
    case 'requests':
      return [{ text: 'newest first', style: 'dim' }, ...page];
  }
}

function filterText({ name, statuses }: ListScreen): StyledLine {
  const parts = [
    ...(statuses === null ? [] : [`only ${statuses.map(shownStatus).join(', ')}`]),
    ...(name === '' ? [] : [`named ${isPattern(name) ? name : `*${name}*`}`]),
  ];
  return parts.length === 0 ? [] : [{ text: `${parts.join(', ')}  `, style: 'cyan' }];
}

function pageText({ pages, data }: ListScreen): StyledLine {
  const next = data !== null && 'next' in data ? data.next : null;
  if (pages.length === 1 && next === null) return [];
  return [{ text: `  page ${pages.length}${next === null ? ', the last' : ''}`, style: 'dim' }];
}

function detailTitle(detail: Detail): StyledLine {
  const { target } = detail;
  if (detail.kind === 'group') return [{ text: 'failures that look alike', style: 'bold' }];
  if (detail.kind === 'request') return [{ text: `request ${detail.target.name}`, style: 'bold' }];
  const name = target.kind === 'job' ? target.name : '';
  if (detail.kind === 'explanation') return [{ text: `job ${name}`, style: 'bold' }];
  const follows = detail.offset === null ? 'follows' : 'G follows';
  return [
    { text: `${detail.stream} of ` },
    { text: name, style: 'bold' },
    { text: `  ${follows}, tab: ${detail.stream === 'stdout' ? 'stderr' : 'stdout'}`, style: 'dim' },
  ];
}

function body(state: TopState, size: ScreenSize, now: number): StyledLine[] {
  const rows = bodyRows(size);
  const detail = frontDetail(state);
  if (detail !== null) {
    if (detail.lines === null) return [[{ text: 'reading …', style: 'dim' }]];
    const lines = detailLines(detail, size);
    if (lines.length === 0) return [[{ text: 'empty', style: 'dim' }]];
    const from = Math.min(detail.offset ?? Number.POSITIVE_INFINITY, lastOffset(lines.length, rows));
    return lines.slice(from, from + rows).map((text) => [{ text }]);
  }
  const screen = frontList(state);
  if (screen.data === null) return [];
  const { lines, keys, empty } = listRows(screen.data, now);
  if (keys.length === 0) return [[{ text: empty, style: 'dim' }]];
  const { selected, offset } = inSight(screen, keys.length, size);
  const [titles, ...drawn] = lines(size.columns - 2);
  const shown = drawn.slice(offset, offset + rows - 1).map((line, index) => {
    const isSelected = offset + index === selected;
    return isSelected ? selectedLine(line, size.columns) : [{ text: '  ' }, ...line];
  });
  return [[{ text: '  ' }, ...titles!], ...shown];
}

/** Marked by a sign too: colours may be off. */
function selectedLine(line: StyledLine, columns: number): StyledLine {
  const text = `> ${lineText(line)}`;
  return [{ text: text + ' '.repeat(Math.max(0, columns - displayWidth(text))), style: 'inverse' }];
}

function noticeLine({ notice, problem, readAt }: TopState, now: number): StyledLine {
  if (problem !== null) {
    const since = readAt === null ? '' : ` (shown as of ${clockTime(readAt)})`;
    return [{ text: `cannot read${since}: ${problem}`, style: 'red' }];
  }
  if (notice !== null) return [{ text: notice.text, style: notice.isError ? 'red' : 'green' }];
  if (readAt !== null && now - readAt > STALE_MS)
    return [{ text: `waiting for an answer; shown as of ${clockTime(readAt)}`, style: 'yellow' }];
  return [];
}

/** What can be done with the rows of each list; `?` lists the rest. */
const LIST_KEYS: Record<ViewName, string> = {
  workflows: 'enter jobs  / name  r retry failed  c cancel  R recover  ? keys  q quit',
  jobs: 'enter why  l log  / name  s status  r retry  f fail  c cancel  R recover  ? keys',
  running: 'enter why  l log  r retry  c cancel  ? keys  q quit',
  failures: 'enter look  l log  r retry  m t with more  f fail  R recover  ? keys  q quit',
  events: 'enter why  l log  ? keys  q quit',
  workers: '1-7 lists  ? keys  q quit',
  requests: 'enter look  r release  s stop  1-7 lists  ? keys  q quit',
};

const DETAIL_KEYS: Record<Detail['kind'], string> = {
  explanation: 'esc back  l log  r retry  f fail  c cancel  R recover  ? keys',
  group: 'esc back  l log  r retry  m t with more  f fail  R recover  ? keys',
  request: 'esc back  r release  s stop  ? keys',
  log: 'esc back  g beginning  G end  tab other stream  ? keys',
};

function keysLine(state: TopState): StyledLine {
  const detail = frontDetail(state);
  return [{ text: detail === null ? LIST_KEYS[state.view] : DETAIL_KEYS[detail.kind], style: 'dim' }];
}
