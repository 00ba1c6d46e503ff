import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { call } from '../api/call.ts';
import { Link } from '../app/link.tsx';
import { pageUrl, setQuery } from '../app/router.ts';
import { useMay } from '../app/session.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { SearchField } from '../parts/field.tsx';
import { Problem } from '../parts/notice.tsx';
import { Empty, Loading, Section } from '../parts/section.tsx';
import { ViewBar } from '../saved-views/view-bar.tsx';
import { WorkflowRow } from './workflow-row.tsx';

/** Requests are below: few enough that they are not far away. */
const PAGE = 20;
const SHOWN = { '': 'All', open: 'Open', archived: 'Archived' };

/** Workflows, newest first. The filters are in the address. */
export function WorkflowList({ name, show }: { name: string; show: string }) {
  const wanted = useDeferredValue(name);
  const mayOperate = useMay('operator');
  const pages = useInfiniteQuery({
    queryKey: ['summaries', wanted, show],
    queryFn: ({ pageParam }) =>
      call('listSummaries', {
        limit: PAGE,
        ...(pageParam !== null && { after: pageParam }),
        ...(wanted !== '' && { name: wanted }),
        ...(show === 'open' && { open: true }),
        ...(show === 'archived' && { archived: true }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const rows = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      title="Workflows"
      beside={
        <div className="flex grow flex-wrap items-center gap-2 sm:justify-end">
          <ViewBar list="home" />
          <Choice
            label="Which workflows"
            options={SHOWN}
            value={show in SHOWN ? show : ''}
            onChange={(value) => setQuery({ show: value })}
          />
          <div className="w-full sm:w-56">
            <SearchField
              label="Search by name"
              title="A part of the name, or a pattern such as sim_*"
              value={name}
              onChange={(event) => setQuery({ name: event.target.value })}
            />
          </div>
        </div>
      }
    >
      {pages.error !== null && <Problem error={pages.error} />}
      {pages.isPending && <Loading />}
      {pages.isSuccess && rows.length === 0 && (
        <Empty>
          {name === '' && show === '' ? (
            <>
              No workflow yet.{' '}
              {mayOperate && (
                <>
                  <Link to={pageUrl('new')} className="text-accent underline">
                    New
                  </Link>{' '}
                  takes a spec here;{' '}
                </>
              )}
              <code className="font-mono text-sm">holdfast submit SPEC --server {location.origin}</code>{' '}
              submits one{mayOperate && ' from elsewhere'}.
            </>
          ) : (
            'No workflow matches these filters.'
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
          {rows.map((summary) => (
            <WorkflowRow key={summary.workflow.id} summary={summary} />
          ))}
        </ul>
      )}
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
