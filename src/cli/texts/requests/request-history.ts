import type { AuditRecord } from '../../../contract/records/records.ts';
import { fullHistoryText } from '../../../views/requests/history-text.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from '../lists/list-table.ts';

/** What happened to a request and who did it, oldest first. */
export const requestHistoryView: View<AuditRecord[]> = {
  json: (records) => records,
  table: (records, style) => {
    const columns: Column<AuditRecord>[] = [
      { title: 'WHEN', value: ({ at_ms }) => shortTime(at_ms, style.now) },
      { title: 'WHO', value: ({ actor }) => actor, shrink: 'middle' },
      {
        title: 'WHAT',
        value: fullHistoryText,
        shrink: 'end',
      },
    ];
    return listTable(columns, records, style, 'nothing has happened yet');
  },
  quiet: (records) => records.map(({ action }) => action),
};
