import { useInfiniteQuery } from '@tanstack/react-query';
import { REQUEST_STATES, type RequestState, requestHasEnded } from '../../src/core/request/request-states.ts';
import { call } from '../api/call.ts';
import { setQuery, usePlace } from '../app/router.ts';
import { Choice } from '../parts/choice.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { Problem } from '../parts/notice.tsx';
import { Empty, Loading } from '../parts/section.tsx';
import { useTitle } from '../parts/use-title.ts';
import { RequestRow } from './request-row.tsx';

const PAGE = 50;
const SHOWN = { '': 'All', open: 'Open', held: 'Held', ended: 'Ended' };

const STATES: Record<string, RequestState[]> = {
  open: REQUEST_STATES.filter((state) => !requestHasEnded(state)),
  held: ['HELD'],
  ended: REQUEST_STATES.filter(requestHasEnded),
};

/** All requests, newest first. The filter is in the address. */
export function RequestsPage() {
  const { query } = usePlace();
  const show = query.get('show') ?? '';
  const states = STATES[show];
  const pages = useInfiniteQuery({
    queryKey: ['requests', 'list', show],
    queryFn: ({ pageParam }) =>
      call('listRequests', {
        limit: PAGE,
        ...(pageParam !== null && { after: pageParam }),
        ...(states !== undefined && { state: states }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  useTitle('Requests');
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h1 className="text-xl font-semibold tracking-tight sm:text-2xl">Requests</h1>
        <Choice
          label="Which requests"
          options={SHOWN}
          value={show in SHOWN ? show : ''}
          onChange={(value) => setQuery({ show: value })}
        />
      </div>
      {pages.error !== null && <Problem error={pages.error} />}
      {pages.isPending && <Loading />}
      {pages.isSuccess && rows.length === 0 && (
        <Empty>
          {states === undefined ? (
            <>
              No request yet. A spec with <code className="font-mono text-sm">kind: request</code> is large
              work that is split: <code className="font-mono text-sm">holdfast submit SPEC</code> stores one.
            </>
          ) : (
            'No request is in these states.'
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <div>
          <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
            {rows.map((request) => (
              <RequestRow key={`${request.request_name}@${request.version}`} request={request} />
            ))}
          </ul>
          <MoreButton pages={pages} />
        </div>
      )}
    </div>
  );
}
