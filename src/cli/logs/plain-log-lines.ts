import { visibleText } from '../../views/visible-text.ts';
import { ESCAPE } from './terminal-safe.ts';

const TAB_COLUMNS = 8;

/** The lines of a log without colours; `\r` within a line starts it over, as on a terminal. */
export function plainLogLines(text: string): string[] {
  const whole = text.replace(/\n$/, '');
  return whole === '' ? [] : whole.split('\n').map(plainLine);
}

function plainLine(line: string): string {
  const written = line.replace(/\r+$/, '');
  const shown = written.slice(written.lastIndexOf('\r') + 1).replace(ESCAPE, '');
  return visibleText(withoutTabs(shown));
}

function withoutTabs(line: string): string {
  let text = '';
  for (const part of line.split(/(\t)/)) {
    text += part === '\t' ? ' '.repeat(TAB_COLUMNS - (text.length % TAB_COLUMNS)) : part;
  }
  return text;
}
