import type { AuditRecord } from '../../../contract/records/records.ts';
import type { RequestRecord, RoundRecord } from '../../../contract/records/request.ts';
import { ENGINE_ACTOR } from '../../../core/request/engine-actor.ts';
import { ledgerText, requestProgressText } from '../../../views/request-progress.ts';
import { historyText } from '../../../views/requests/history-text.ts';
import { purposeOf, requestRef } from '../../../views/requests/next-step.ts';
import { outputErrandText } from '../../../views/requests/output-errand-text.ts';
import { visibleText } from '../../../views/visible-text.ts';
import { ellipsizeEnd } from '../../terminal/display-width.ts';
import { clockTime, shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import { type Column, textTable } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { requestStyle } from './request-style.ts';

export interface ShownRequest {
  request: RequestRecord;
  /** Its newest entries that have a line, newest first. */
  history?: AuditRecord[];
}

/** Where a request stands, why it is held, what to do next, its ledger, its rounds and what happened last. */
export const requestView: View<ShownRequest> = {
  json: ({ request }) => request,
  table: ({ request, history = [] }, style) => [
    ...headLines(request, style),
    ...holdLines(request, style),
    ...nextSteps(request, style),
    '',
    ...ledgerLines(request),
    ...outputLines(request, style),
    ...roundLines(request, style),
    ...historyLines(history, style),
  ],
  quiet: ({ request }) => [request.status],
};

function headLines(request: RequestRecord, style: TextStyle): string[] {
  const { request_name, version, status, description, actor, created_at_ms, priority } = request;
  const { headline, detail } = requestProgressText(request, style.now);
  const name = style.paint('bold', visibleText(`${request_name}@${version}`));
  const owner = `by ${visibleText(actor)}, ${shortTime(created_at_ms, style.now)}, priority ${priority}`;
  return [
    `${name}  ${style.paint(requestStyle(status), status)}  ${headline}`,
    ...(description === null ? [] : [visibleText(description)]),
    style.paint('dim', [owner, detail].filter((part) => part !== '').join('; ')),
  ];
}

function holdLines({ hold }: RequestRecord, { paint }: TextStyle): string[] {
  if (hold === null) return [];
  const where = hold.round === null ? '' : ` after round ${hold.round}`;
  return ['', `${paint('yellow', 'held')}${where}: ${visibleText(hold.text)}`];
}

/** Ready to paste, in two columns. A version that another one has replaced is named with its number. */
export function nextSteps(
  request: Pick<RequestRecord, 'request_name' | 'version' | 'superseded_by_request' | 'next'>,
  style: TextStyle,
): string[] {
  const { next } = request;
  if (next.length === 0) return [];
  const ref = requestRef(request);
  const offers = next.map((action) => [style.command('requests', action, ref), purposeOf(action)] as const);
  const width = Math.max(...offers.map(([command]) => command.length)) + 2;
  // Commands are kept whole; what they are for is cut on a narrow terminal.
  const room = style.width - LEAD.length - width;
  return [
    '',
    ...offers.map(([command, purpose], index) => {
      const lead = index === 0 ? LEAD : ' '.repeat(LEAD.length);
      return `${lead}${command.padEnd(width)}${room < SHORTEST_PURPOSE ? '' : ellipsizeEnd(purpose, room)}`.trimEnd();
    }),
  ];
}

const LEAD = 'next: ';
const SHORTEST_PURPOSE = 12;

function ledgerLines(request: RequestRecord): string[] {
  const lines = [ledgerText(request)];
  const { output_state, previous_version_request: before, superseded_by_request: after } = request;
  const versions = [
    ...(before === null ? [] : [`replaces ${before}`]),
    ...(after === null ? [] : [`replaced by ${after}`]),
    ...(output_state === 'active' ? [] : [`outputs are ${output_state}`]),
  ];
  return versions.length === 0 ? lines : [...lines, versions.join('; ')];
}

function outputLines({ output_errands }: RequestRecord, { now }: TextStyle): string[] {
  return output_errands.map((errand) => outputErrandText(errand, now, clockTime));
}

/** Oldest first, as they happened. */
function historyLines(history: readonly AuditRecord[], { paint, now }: TextStyle): string[] {
  if (history.length === 0) return [];
  return [
    '',
    ...[...history].reverse().map((entry) => {
      const by = entry.actor === ENGINE_ACTOR ? '' : ` (${visibleText(entry.actor)})`;
      return `${paint('dim', shortTime(entry.at_ms, now))}  ${historyText(entry)}${by}`;
    }),
  ];
}

/** Older rounds are left out, so that what matters now stays on the screen. */
const SHOWN_ROUNDS = 20;

function roundLines({ rounds, round_count }: RequestRecord, style: TextStyle): string[] {
  if (rounds.length === 0) return ['no round has been planned yet'];
  const shown = rounds.slice(-SHOWN_ROUNDS);
  const columns: Column<RoundRecord>[] = [
    { title: 'ROUND', value: ({ number }) => number, align: 'right' },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'WORKFLOW', value: ({ workflow_id }) => workflow_id, align: 'right' },
    { title: 'RUNS', value: runsText, shrink: 'end' },
    { title: 'DONE', value: ({ units }) => `${units.done} of ${units.total}`, align: 'right' },
    {
      title: 'FAILED',
      value: ({ units }) => units.failed || null,
      style: ({ units }) => (units.failed > 0 ? 'red' : undefined),
      align: 'right',
    },
    ...(shown.some(({ units }) => units.not_run > 0) ? [NOT_RUN] : []),
    { title: 'DECISION', value: ({ decision }) => decision?.reason ?? null, shrink: 'end' },
  ];
  const [header, ...lines] = textTable(columns, shown, style.width, style.paint);
  const older = round_count - shown.length;
  const left = older === 1 ? '1 older round' : `${older} older rounds`;
  return ['', header!, ...(older > 0 ? [style.paint('dim', `… ${left}`)] : []), ...lines];
}

const NOT_RUN: Column<RoundRecord> = {
  title: 'NOT RUN',
  value: ({ units }) => units.not_run || null,
  align: 'right',
};

const RUN_KINDS = { first: 'first', failure: 'rescue', stop: 'after stop', reset: 'reset' } as const;

/** `first, rescue ×2, after stop`. */
function runsText({ runs }: RoundRecord): string {
  const counts = new Map<string, number>();
  for (const { kind } of runs) counts.set(RUN_KINDS[kind], (counts.get(RUN_KINDS[kind]) ?? 0) + 1);
  return [...counts].map(([kind, count]) => (count === 1 ? kind : `${kind} ×${count}`)).join(', ');
}
