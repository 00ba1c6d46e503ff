import { useInfiniteQuery } from '@tanstack/react-query';
import type { RequestSummary } from '../../src/contract/records/request.ts';
import type { RequestState } from '../../src/core/request/request-states.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/notice.tsx';
import { ShareBar } from '../parts/progress.tsx';
import { Section } from '../parts/section.tsx';
import { StatusMark, type Tone } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';

const PAGE = 50;

const TONES: Record<RequestState, Tone> = {
  SUBMITTED: 'waits',
  QUEUED: 'waits',
  PLANNING: 'runs',
  ACTIVE: 'runs',
  STOPPING: 'blocked',
  RESUBMITTING: 'runs',
  PAUSED: 'blocked',
  HELD: 'asks',
  COMPLETED: 'good',
  FAILED: 'bad',
};

/** Requests, newest first; nothing where there are none. */
export function RequestList() {
  const pages = useInfiniteQuery({
    queryKey: ['requests', 'all'],
    queryFn: ({ pageParam }) =>
      call('listRequests', { limit: PAGE, ...(pageParam !== null && { after: pageParam }) }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  if (pages.error !== null) return <Problem error={pages.error} />;
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  if (rows.length === 0) return null;
  return (
    <Section title="Requests">
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
        {rows.map((request) => (
          <Row key={`${request.request_name}@${request.version}`} request={request} />
        ))}
      </ul>
      {pages.hasNextPage && (
        <div className="mt-3 text-center">
          <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  );
}

function Row({ request }: { request: RequestSummary }) {
  const { request_name, version, status, actor, delivered, total, work, created_at_ms } = request;
  const text = `${Number(delivered).toLocaleString('en-GB')} of ${Number(total).toLocaleString('en-GB')} ${work === 'range' ? 'numbers' : 'items'} delivered`;
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[minmax(0,1fr)_12rem_14rem]">
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">
          {visibleText(request_name)}
          {version > 1 && <span className="text-quiet"> version {version}</span>}
        </p>
        <p className="truncate text-sm text-quiet">
          {visibleText(actor)} · <TimeText at={created_at_ms} />
        </p>
      </div>
      <div className="self-center text-sm">
        <StatusMark tone={TONES[status]}>{status.toLowerCase()}</StatusMark>
      </div>
      <div className="self-center">
        <ShareBar
          share={Number(total) === 0 ? 0 : Number(delivered) / Number(total)}
          label={`Progress of ${request_name}`}
          text={text}
        />
        <p className="mt-1 text-xs text-quiet">{text}</p>
      </div>
    </li>
  );
}
