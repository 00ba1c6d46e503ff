import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { MoreButton } from '../parts/more-button.tsx';
import { Problem } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { RequestRow } from '../requests/request-row.tsx';

const PAGE = 20;

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
          <RequestRow key={`${request.request_name}@${request.version}`} request={request} />
        ))}
      </ul>
      <MoreButton pages={pages} />
    </Section>
  );
}
