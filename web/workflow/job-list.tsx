import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import type { WorkflowStatus } from '../../src/contract/records/records.ts';
import { JOB_STATUSES, type JobStatus } from '../../src/core/job/job-status.ts';
import { presentStatuses } from '../../src/views/workflow-state.ts';
import { call } from '../api/call.ts';
import { setQuery } from '../app/router.ts';
import { useMay } from '../app/session.ts';
import { SearchField } from '../parts/field.tsx';
import { Problem } from '../parts/notice.tsx';
import { Empty, Loading } from '../parts/section.tsx';
import { statusWords, ToneIcon, toneOf } from '../parts/status-icon.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { JobTable } from './job-table.tsx';

const PAGE = 200;

/** Jobs of a workflow, a page at a time, by status and by a part of the name. */
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
  const { id } = status.workflow;
  const mayOperate = useMay('operator');
  const wanted = useDeferredValue(name);
  const statuses = useMemo(() => JOB_STATUSES.filter((each) => text.split(',').includes(each)), [text]);
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
      <div className="flex flex-wrap items-center gap-2">
        <StatusFilter counts={status.counts} chosen={statuses} />
        <div className="w-full sm:ml-auto sm:w-56">
          <SearchField
            label="Search jobs by name"
            value={name}
            onChange={(event) => setQuery({ name: event.target.value })}
          />
        </div>
      </div>
      {mayOperate && (
        <BulkBar
          workflow={id}
          hasFailed={status.counts.failed + status.counts.terminated > 0}
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
          onChoose={mayOperate ? onChoose : null}
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

/** Statuses that jobs have, each to be shown alone or with others. */
function StatusFilter({ counts, chosen }: { counts: WorkflowStatus['counts']; chosen: JobStatus[] }) {
  const shown = [...new Set([...presentStatuses(counts), ...chosen])];
  const toggle = (status: JobStatus) => {
    const next = chosen.includes(status) ? chosen.filter((each) => each !== status) : [...chosen, status];
    setQuery({ status: next.join(',') });
  };
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">Only jobs with these statuses</legend>
      {shown.map((status) => (
        <button
          key={status}
          type="button"
          aria-pressed={chosen.includes(status)}
          onClick={() => toggle(status)}
          className={`inline-flex cursor-pointer items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-sm ${chosen.includes(status) ? 'border-accent bg-raised font-medium' : 'border-line bg-card hover:bg-raised'}`}
        >
          <ToneIcon tone={toneOf(status)} />
          {statusWords(status)}
          <span className="text-quiet">{counts[status].toLocaleString('en-GB')}</span>
        </button>
      ))}
    </fieldset>
  );
}
