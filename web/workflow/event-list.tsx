import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { EventRecord } from '../../src/contract/records/records.ts';
import { jobLabel } from '../../src/core/job/job-label.ts';
import { eventText } from '../../src/views/events/event-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { Problem } from '../parts/notice.tsx';
import { Card, Empty, Loading } from '../parts/section.tsx';
import { fullTime } from '../parts/times.ts';
import { EVENT_TYPES } from './event-types.ts';

/** `holdfast events` prints all of them. */
const SHOWN = 500;
const COALESCE_MS = 200;

/** The audit trail as it is written, newest first. After a lost connection the browser continues where it was. */
export function EventList({ workflow }: { workflow: number }) {
  const { events, error, isPending } = useEvents(workflow);
  if (error !== null) return <Problem error={error} />;
  if (isPending) return <Loading />;
  if (events.length === 0) return <Empty>No event yet.</Empty>;
  return (
    <Card>
      <ol className="divide-y divide-line text-sm" aria-label="Events">
        {events.map((event) => (
          <li key={event.id} className="grid gap-x-4 px-4 py-2 sm:grid-cols-[11rem_9rem_minmax(0,1fr)]">
            <time className="text-quiet tabular-nums">{fullTime(event.at_ms)}</time>
            <span className="font-medium">{event.type.replaceAll('_', ' ')}</span>
            <span className="wrap-anywhere">
              {event.job_id !== null && (
                <Link
                  to={pageUrl('job', { workflow_id: workflow, job_id: event.job_id })}
                  className="mr-2 underline"
                >
                  {visibleText(jobLabel({ name: event.job_name!, scope: event.scope ?? '' }))}
                </Link>
              )}
              {visibleText(eventText(event) ?? '')}
              {event.actor !== null && <span className="text-quiet"> by {visibleText(event.actor)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** The newest ones that there are, and from then on those that are written. */
function useEvents(workflow: number): { events: EventRecord[]; error: unknown; isPending: boolean } {
  const [news, setNews] = useState<EventRecord[]>([]);
  const past = useQuery({
    queryKey: ['events', workflow],
    queryFn: () => call('listEvents', workflow, { sort: '-id', limit: SHOWN }),
    // The stream has what comes after it.
    refetchOnMount: 'always',
  });
  const known = past.data?.items;
  const [newest, setNewest] = useState<number | null>(null);
  if (known !== undefined && newest === null) setNewest(known[0]?.id ?? 0);
  useEffect(() => {
    if (newest === null) return;
    const stream = new EventSource(`/api/v1/workflows/${workflow}/events/stream?after=${newest}`);
    const waiting: EventRecord[] = [];
    // Many at once are one change of the page.
    const timer = setInterval(() => {
      if (waiting.length > 0)
        setNews((before) => [...waiting.splice(0).reverse(), ...before].slice(0, SHOWN));
    }, COALESCE_MS);
    const add = ({ data }: MessageEvent<string>) => void waiting.push(JSON.parse(data) as EventRecord);
    for (const type of EVENT_TYPES) stream.addEventListener(type, add);
    return () => {
      clearInterval(timer);
      stream.close();
    };
  }, [workflow, newest]);
  const byId = new Map([...(known ?? []), ...news].map((event) => [event.id, event]));
  const events = [...byId.values()].sort((a, b) => b.id - a.id).slice(0, SHOWN);
  return { events, error: past.error, isPending: past.isPending };
}
