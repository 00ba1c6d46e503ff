import { visibleText } from '../../views/visible-text.ts';
import type { ScreenSize } from '../progress/progress-frame.ts';
import type { StyledLine } from '../terminal/styled-line.ts';
import { wrapLines } from './layout.ts';
import type { Dialog } from './top-state.ts';

const HELP = [
  '1 to 7, tab     the lists, as they are named at the top',
  'arrows, j k     select a row or scroll; also space, page up and down, g, G',
  'enter           jobs of a workflow; why a job is where it is; alike failures',
  'esc             back; in a filtered list: all',
  'l               the end of the log of a job; tab: the other stream',
  '/               workflows and jobs by a part of the name, or as sim_*',
  's               jobs by status, one after the other; stop the request',
  "r               retry the job, alike failures, a workflow's failed jobs; release",
  'm, t            retry with more memory or time what waits for a decision',
  'f               fail what waits for a decision',
  'c               cancel the job, or the workflow',
  'R               recover: retry what lacked memory or time, with more of it',
  'ctrl-l, ctrl-z  draw again; suspend',
  'q, ctrl-c       quit; jobs and servers are left alone',
  '',
  'An action shows what it would do, and is carried out after y.',
];

/** What covers the bottom of the screen; empty: nothing. */
export function dialogLines(dialog: Dialog | null, size: ScreenSize): StyledLine[] {
  if (dialog === null) return [];
  const rule: StyledLine = [{ text: '─'.repeat(size.columns), style: 'dim' }];
  switch (dialog.kind) {
    case 'help':
      return [
        rule,
        ...HELP.slice(0, size.rows - 2).map((text): StyledLine => [{ text }]),
        [{ text: 'any key closes this', style: 'dim' }],
      ];
    case 'filter':
      return [
        [{ text: `name or pattern: ${dialog.text}▏`, style: 'cyan' }],
        [{ text: 'enter: search, esc: leave', style: 'dim' }],
      ];
    case 'amount': {
      const example = dialog.of === 'memory' ? '4g' : '2h';
      return [
        [{ text: `${dialog.of} of the retry, such as ${example}: ${dialog.text}▏`, style: 'cyan' }],
        [{ text: 'enter: continue, esc: leave', style: 'dim' }],
      ];
    }
    case 'planning':
      return [[{ text: 'looking at what it would do …', style: 'dim' }]];
    case 'working':
      return [[{ text: 'doing it …', style: 'dim' }]];
    case 'question': {
      const { question, words } = dialog.plan;
      const most = Math.max(1, Math.floor(size.rows / 2));
      const wrapped = wrapLines(words.map(visibleText), size.columns);
      const left = wrapped.length - most;
      const shown = left > 0 ? [...wrapped.slice(0, most - 1), `… and ${left + 1} lines more`] : wrapped;
      return [
        rule,
        ...shown.map((text): StyledLine => [{ text }]),
        ...wrapLines([visibleText(question)], size.columns).map(
          (text): StyledLine => [{ text, style: 'bold' }],
        ),
        [{ text: 'y: yes   n: no, change nothing', style: 'yellow' }],
      ];
    }
  }
}
