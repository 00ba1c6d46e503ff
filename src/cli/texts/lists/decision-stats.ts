import type { DecisionStats } from '../../../views/decision-stats.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from './list-table.ts';

/** What one actor decided about failures that look alike: a row of the table. */
export type DecisionStatsRow = { fingerprint: string | null } & DecisionStats['by'][number];

export const decisionStatsView: View<DecisionStats[]> = {
  json: (stats) => stats,
  rows: statsRows,
  table: decisionStatsTable,
  quiet: (stats) => stats.map(({ fingerprint }) => fingerprint ?? '-'),
};

function statsRows(stats: readonly DecisionStats[]): DecisionStatsRow[] {
  return stats.flatMap(({ fingerprint, by }) => by.map((each) => ({ fingerprint, ...each })));
}

function decisionStatsTable(stats: readonly DecisionStats[], style: TextStyle): string[] {
  const rows = statsRows(stats);
  const ofRetry = (row: DecisionStatsRow, value: number) => (row.action === 'retry' ? value : null);
  const columns: Column<DecisionStatsRow>[] = [
    { title: 'FINGERPRINT', value: (row) => row.fingerprint },
    { title: 'DECISION', value: (row) => row.action },
    { title: 'ACTOR', value: (row) => row.actor },
    { title: 'JOBS', value: (row) => row.decisions, align: 'right' },
    { title: 'SUCCEEDED', value: (row) => ofRetry(row, row.succeeded), align: 'right' },
    { title: 'FAILED AGAIN', value: (row) => ofRetry(row, row.failed_again), align: 'right' },
    { title: 'OPEN', value: (row) => ofRetry(row, row.open), align: 'right' },
    { title: 'LATEST', value: (row) => shortTime(row.latest_at_ms, style.now) },
    { title: 'REASON', value: (row) => row.latest_reason, shrink: 'end' },
  ];
  return listTable(columns, rows, style, 'no decisions yet');
}
