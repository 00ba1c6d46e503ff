import type { RequestSummary } from '../../../contract/records/request.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from '../lists/list-table.ts';
import { requestStyle } from './request-style.ts';

export const requestsView: View<RequestSummary[]> = {
  json: (requests) => requests,
  table: requestsTable,
  quiet: (requests) => requests.map(({ request_name, version }) => `${request_name}@${version}`),
};

function requestsTable(requests: RequestSummary[], style: TextStyle): string[] {
  const columns: Column<RequestSummary>[] = [
    {
      title: 'NAME',
      value: ({ request_name, version }) => `${request_name}@${version}`,
      shrink: 'middle',
    },
    { title: 'STATE', value: ({ status }) => status, style: ({ status }) => requestStyle(status) },
    { title: 'PRIORITY', value: ({ priority }) => priority, align: 'right' },
    { title: 'DELIVERED', value: ({ delivered, total }) => `${delivered} of ${total}`, align: 'right' },
    { title: 'CHANGED', value: ({ changed_at_ms }) => shortTime(changed_at_ms, style.now) },
    { title: 'WHY', value: ({ hold }) => hold?.text ?? null, shrink: 'end' },
  ];
  return listTable(columns, requests, style, 'no requests');
}
