import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef } from 'react';
import type { JobTimeline } from '../../../src/contract/records/overview.ts';
import type { WorkflowStatus } from '../../../src/contract/records/records.ts';
import { jobLabel } from '../../../src/core/job/job-label.ts';
import { visibleText } from '../../../src/views/visible-text.ts';
import { call } from '../../api/call.ts';
import { Link } from '../../app/link.tsx';
import { pageUrl, usePlace } from '../../app/router.ts';
import { Problem } from '../../parts/notice.tsx';
import { Empty, Loading } from '../../parts/section.tsx';
import { statusWords, ToneIcon, toneOf } from '../../parts/status-icon.tsx';
import { JobFilters, useStatuses } from '../job-filters.tsx';

const PAGE = 100;
const ROW_PX = 34;

/** Jobs below each other with something drawn for each; pages are read as the list is scrolled. */
export function TimelineRows({
  status,
  runs,
  label,
  head,
  legend,
  width = '',
  cells,
}: {
  status: WorkflowStatus;
  /** Attempts of so many newest runs are read. */
  runs: number;
  label: string;
  /** What is above the drawn part. */
  head: ReactNode;
  legend: ReactNode;
  /** The drawn part has at least this width. */
  width?: string;
  cells: (timeline: JobTimeline) => ReactNode;
}) {
  const { query } = usePlace();
  const { id } = status.workflow;
  const name = query.get('name') ?? '';
  const wanted = useDeferredValue(name);
  const statuses = useStatuses(query.get('status') ?? '');
  const pages = useInfiniteQuery({
    queryKey: ['timelines', id, runs, wanted, statuses],
    queryFn: ({ pageParam }) =>
      call('listTimelines', id, {
        limit: PAGE,
        runs,
        ...(pageParam !== null && { after: pageParam }),
        ...(wanted !== '' && { name: wanted }),
        ...(statuses.length > 0 && { status: statuses }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const rows = useMemo(() => pages.data?.pages.flatMap(({ items }) => items) ?? [], [pages.data]);
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const shown = virtual.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= rows.length - 20;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <div className="flex flex-col gap-3">
      <JobFilters counts={status.counts} statuses={statuses} name={name} />
      {legend}
      {pages.error !== null && <Problem error={pages.error} />}
      {pages.isPending && <Loading />}
      {pages.isSuccess && rows.length === 0 && <Empty>No job matches these filters.</Empty>}
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a virtual table are placed by themselves */}
      <div
        ref={frame}
        role="table"
        aria-label={label}
        aria-rowcount={-1}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach that
        tabIndex={0}
        className={`max-h-[65dvh] overflow-auto rounded-lg border border-line bg-card text-sm ${rows.length === 0 ? 'hidden' : ''}`}
      >
        <div role="presentation" className={width}>
          {/* biome-ignore lint/a11y: rows of a virtual table are placed by themselves */}
          <div
            role="row"
            className="sticky top-0 z-10 flex items-stretch border-b border-line bg-raised text-xs text-quiet"
          >
            {/* biome-ignore lint/a11y: as above */}
            <span role="columnheader" className={`${NAME} bg-raised py-2`}>
              Job
            </span>
            {head}
          </div>
          <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
            {shown.map(({ index, start }) => {
              const timeline = rows[index]!;
              return (
                // biome-ignore lint/a11y: as above
                <div
                  key={timeline.job_id}
                  role="row"
                  aria-rowindex={index + 2}
                  className="absolute inset-x-0 flex items-stretch border-b border-line"
                  style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
                >
                  {/* biome-ignore lint/a11y: as above */}
                  <span role="rowheader" className={`${NAME} bg-card`}>
                    <span title={statusWords(timeline.status)}>
                      <ToneIcon tone={toneOf(timeline.status)} />
                      <span className="sr-only">{statusWords(timeline.status)}: </span>
                    </span>
                    <Link
                      to={pageUrl('job', { workflow_id: id, job_id: timeline.job_id })}
                      title={jobLabel(timeline)}
                      className="truncate font-medium hover:underline"
                    >
                      {visibleText(jobLabel(timeline))}
                    </Link>
                  </span>
                  {cells(timeline)}
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {rows.length > 0 && (
        <p className="text-xs text-quiet" role="status">
          {rows.length.toLocaleString('en-GB')} shown{hasNextPage ? '; scroll for more' : ''}
        </p>
      )}
    </div>
  );
}

/** Stays where it is while the rest is scrolled sideways. */
const NAME = 'sticky left-0 z-[1] flex w-36 shrink-0 items-center gap-2 px-3 sm:w-56';
