import type { EventRecord } from '../../../contract/records/records.ts';
import { eventText } from '../../../views/events/event-text.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { recordLabel } from '../parts/record-label.ts';
import { listTable } from './list-table.ts';

export const eventsView: View<EventRecord[]> = {
  json: (events) => events,
  table: eventsTable,
  quiet: (events) => events.map(({ id }) => id),
};

function eventsTable(events: EventRecord[], style: TextStyle): string[] {
  const columns: Column<EventRecord>[] = [
    { title: 'ID', value: (event) => event.id, align: 'right' },
    { title: 'TIME', value: (event) => shortTime(event.at_ms, style.now) },
    { title: 'EVENT', value: (event) => event.type },
    {
      title: 'JOB',
      value: ({ job_name, scope }) => (job_name === null ? null : recordLabel({ job_name, scope })),
      shrink: 'middle',
    },
    { title: 'ATTEMPT', value: (event) => event.attempt_id, align: 'right' },
    { title: 'ACTOR', value: (event) => event.actor },
    { title: 'REASON', value: eventText, shrink: 'end' },
  ];
  return listTable(columns, events, style, 'no events yet');
}
