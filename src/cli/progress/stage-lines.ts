import type { Stage } from '../../views/timeline/stage-progress.ts';
import { visibleText } from '../../views/visible-text.ts';
import { displayWidth, ellipsizeMiddle } from '../terminal/display-width.ts';
import type { Span, Style, StyledLine } from '../terminal/styled-line.ts';
import { barLine } from './bar-line.ts';

const NAME_SHARE = 0.35;
const SHORTEST_BAR = 6;

/** What is counted beside the bar of a stage, and how. */
const COUNTED: [name: string, style: Style, count: (stage: Stage) => number][] = [
  ['running', 'cyan', ({ counts }) => counts.running + counts.pending],
  ['failed', 'red', ({ counts }) => counts.failed + counts.terminated],
  ['waiting', 'yellow', ({ counts }) => counts.pending_failed],
  ['recovered', 'green', ({ recovered }) => recovered],
];

/**
 * One line a stage: its name, a bar, how many of its jobs have ended, and what is counted of any stage. With less room
 * than stages, those that are done are left out first, then those that have not begun.
 */
export function stageLines(stages: readonly Stage[], columns: number, most: number): StyledLine[] {
  // A single job is its own stage, which the lists show already.
  if (stages.length === 1 && stages[0]!.jobs === 1) return [];
  const shown = shownStages(stages, stages.length > most ? most - 1 : most);
  const table = shown.map((stage) => ({
    stage,
    name: ellipsizeMiddle(visibleText(stage.label), Math.max(8, Math.floor(columns * NAME_SHARE))),
    done: `${stage.ended}/${stage.jobs}`,
    cells: cellsOf(stage, stages),
  }));
  const nameWidth = Math.max(0, ...table.map(({ name }) => displayWidth(name)));
  const doneWidth = Math.max(0, ...table.map(({ done }) => done.length));
  const cellWidths = (table[0]?.cells ?? []).map((_, index) =>
    Math.max(...table.map(({ cells }) => cells[index]!.text.length)),
  );
  const rest = nameWidth + 1 + 1 + doneWidth + cellWidths.reduce((sum, width) => sum + 2 + width, 0);
  const barWidth = columns - rest;
  const lines = table.map(({ stage, name, done, cells }): StyledLine => {
    const good = (stage.counts.completed + stage.counts.disabled) / stage.jobs;
    return [
      {
        text: `${name}${' '.repeat(nameWidth - displayWidth(name))} `,
        style: stage.has_begun ? undefined : 'dim',
      },
      ...(barWidth < SHORTEST_BAR ? [] : barLine({ good, ended: stage.ended / stage.jobs }, '', barWidth)),
      { text: ` ${done.padStart(doneWidth)}` },
      ...cells.map(({ text, style }, index) => ({ text: `  ${text.padEnd(cellWidths[index]!)}`, style })),
    ];
  });
  const hidden = stages.length - shown.length;
  if (hidden === 0) return lines;
  const more: StyledLine = [{ text: `and ${hidden} more stages`, style: 'dim' }];
  return [...lines, more].slice(0, Math.max(0, most));
}

/** Empty cells keep the columns; a column that no stage needs is not there. */
function cellsOf(stage: Stage, all: readonly Stage[]): Span[] {
  return COUNTED.filter(([, , count]) => all.some((each) => count(each) > 0)).map(([name, style, count]) => {
    const number = count(stage);
    return { text: number === 0 ? '' : `${number} ${name}`, style };
  });
}

function shownStages(stages: readonly Stage[], most: number): Stage[] {
  const urgency = (stage: Stage) => {
    if (stage.ended < stage.jobs) return stage.has_begun ? 0 : 2;
    return stage.counts.failed + stage.counts.terminated > 0 ? 1 : 3;
  };
  const chosen = new Set(
    stages
      .map((stage, index) => ({ stage, index }))
      .sort((a, b) => urgency(a.stage) - urgency(b.stage) || a.index - b.index)
      .slice(0, Math.max(0, most))
      .map(({ stage }) => stage),
  );
  return stages.filter((stage) => chosen.has(stage));
}
