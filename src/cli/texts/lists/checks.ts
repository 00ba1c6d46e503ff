import type { Style } from '../../terminal/styled-line.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { View } from '../../terminal/view.ts';

/** One line of `doctor`. */
export interface Check {
  name: string;
  result: 'ok' | 'warn' | 'fail';
  detail: string;
  /** How to fix it; null when the check is ok. */
  hint: string | null;
}

/** Quiet: only the checks that need attention. */
export const checksView: View<Check[]> = {
  json: (checks) => checks,
  table: checksTable,
  quiet: (checks) => checks.filter(({ result }) => result !== 'ok').map(({ name }) => name),
};

const MARKS: Record<Check['result'], Style> = { ok: 'green', warn: 'yellow', fail: 'red' };

function checksTable(checks: Check[], { paint }: TextStyle): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.flatMap(({ name, result, detail, hint }) => {
    const line = `${paint(MARKS[result], result.padEnd(4))}  ${name.padEnd(width)}  ${detail}`;
    return hint === null ? [line] : [line, `${' '.repeat(width + 8)}${hint}`];
  });
}
