import { formatDuration } from '../../../core/text/quantity.ts';
import { evaluationText, inputsText } from '../../../views/events/evaluation-text.ts';
import { type TraceEntry, traceRouteText } from '../../../views/route-trace.ts';
import { clockTime, shortTime } from '../../terminal/local-time.ts';
import type { Style } from '../../terminal/styled-line.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import { type Column, foldingTable } from '../../terminal/text-table.ts';
import { recordLabel } from './record-label.ts';

/** Of a long trace the beginning and the end are shown, and of the rest the code that could not be evaluated. */
const SHOWN_AT_EACH_END = 20;
const MIDDLE_SHOWN = 20;
const INDENT = '          ';

/** The routes of a run in order; with `debug` what was asked, waited for and counted on the way. */
export function routeTraceText(trace: readonly TraceEntry[], debug: boolean, style: TextStyle): string[] {
  const taken = debug ? trace : trace.filter(({ route }) => route !== 'none');
  const cut = taken.length > 2 * SHOWN_AT_EACH_END;
  const middle = taken.slice(SHOWN_AT_EACH_END, -SHOWN_AT_EACH_END);
  const kept = middle.filter(({ route }) => route === 'evaluation_failure').slice(0, MIDDLE_SHOWN);
  const shown = cut
    ? [...taken.slice(0, SHOWN_AT_EACH_END), ...kept, ...taken.slice(-SHOWN_AT_EACH_END)]
    : taken;
  const columns: Column<TraceEntry>[] = [
    { title: 'TIME', value: ({ at_ms }) => shortTime(at_ms, style.now) },
    { title: 'STEP', value: ({ step, scope }) => recordLabel({ job_name: step, scope }), shrink: 'middle' },
    { title: 'ATTEMPT', value: ({ attempt_id }) => attempt_id, align: 'right' },
    { title: 'ROUTE', value: traceRouteText, shrink: 'end', style: routeStyle },
    { title: 'WHY', value: ({ why }) => why || null, fold: true },
  ];
  const [header, ...rows] = foldingTable(columns, shown, style.width, style.paint);
  const lines = ['routes, in order:', header!];
  for (const [index, entry] of shown.entries()) {
    if (cut && index === SHOWN_AT_EACH_END) {
      lines.push(
        style.paint('dim', `${taken.length - shown.length} more in between; --output json has them all`),
      );
    }
    lines.push(rows[index]!);
    if (debug) lines.push(...debugLines(entry).map((line) => style.paint('dim', `${INDENT}${line}`)));
  }
  return lines;
}

function routeStyle({ route }: TraceEntry): Style | undefined {
  if (route === 'failure' || route === 'loop_abort' || route === 'evaluation_failure') return 'red';
  return route === 'none' || route === 'superseded' ? 'dim' : 'yellow';
}

function debugLines(entry: TraceEntry): string[] {
  const lines = entry.evaluations.flatMap((evaluation) => [
    evaluationText(evaluation),
    `  seen: ${inputsText(evaluation)}`,
  ]);
  if (entry.retry_available_at_ms !== null) {
    const wait = formatDuration(Math.max(0, entry.retry_available_at_ms - entry.at_ms));
    lines.push(`backoff: not before ${clockTime(entry.retry_available_at_ms)}, ${wait} later`);
  }
  if (entry.loop !== null) {
    const scope = entry.scope === '' ? '' : ` in ${entry.scope}`;
    lines.push(`loops${scope}: ${entry.loop} of ${entry.max_loops}`);
  }
  return lines;
}
