import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import type { WorkflowStatus } from '../../src/contract/records/records.ts';
import { call } from '../api/call.ts';
import { Problem } from '../parts/notice.tsx';
import { Empty, Loading } from '../parts/section.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { JobFilters, useStatuses } from './job-filters.tsx';
import { JobTable } from './job-table.tsx';

const PAGE = 200;

/** Jobs of a workflow, a page at a time, by status and by name. */
export function JobList({
  status,
  name,
  statuses: text,
  chosen,
  onChoose,
}: {
  status: WorkflowStatus;
  name: string;
  statuses: string;
  chosen: ReadonlyMap<number, string>;
  onChoose: (chosen: ReadonlyMap<number, string>) => void;
}) {
  const { id, may_change: mayChange = false } = status.workflow;
  const wanted = useDeferredValue(name);
  const statuses = useStatuses(text);
  const pages = useInfiniteQuery({
    queryKey: ['jobs', id, wanted, statuses],
    queryFn: ({ pageParam }) =>
      call('listJobs', id, {
        limit: PAGE,
        ...(pageParam !== null && { after: pageParam }),
        ...(wanted !== '' && { name: wanted }),
        ...(statuses.length > 0 && { status: statuses }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const jobs = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  return (
    <div className="flex flex-col gap-3">
      <JobFilters counts={status.counts} statuses={statuses} name={name} />
      {mayChange && (
        <BulkBar
          workflow={id}
          hasFailed={status.counts.failed + status.counts.terminated > 0}
          hasWaiting={status.counts.pending_failed > 0}
          chosen={chosen}
          onChoose={onChoose}
          name={wanted}
          statuses={statuses}
        />
      )}
      {pages.error !== null && <Problem error={pages.error} />}
      {pages.isPending && <Loading />}
      {pages.isSuccess && jobs.length === 0 && <Empty>No job matches these filters.</Empty>}
      {jobs.length > 0 && (
        <JobTable
          jobs={jobs}
          chosen={chosen}
          onChoose={mayChange ? onChoose : null}
          onEnd={() => {
            if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
          }}
        />
      )}
      {jobs.length > 0 && (
        <p className="text-xs text-quiet" role="status">
          {jobs.length.toLocaleString('en-GB')} shown{pages.hasNextPage ? '; scroll for more' : ''}
        </p>
      )}
    </div>
  );
}
