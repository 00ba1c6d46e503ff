import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { GraphGroup } from '../../../src/contract/records/overview.ts';
import { jobLabel } from '../../../src/core/job/job-label.ts';
import type { JobStatus } from '../../../src/core/job/job-status.ts';
import { visibleText } from '../../../src/views/visible-text.ts';
import { presentStatuses } from '../../../src/views/workflow-state.ts';
import { call } from '../../api/call.ts';
import { Link } from '../../app/link.tsx';
import { pageUrl } from '../../app/router.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/notice.tsx';
import { Card, Loading, Section } from '../../parts/section.tsx';
import { StatusMark, statusWords, ToneIcon, toneOf } from '../../parts/status-icon.tsx';

const PAGE = 48;

/** The jobs of a group, a page at a time. */
export function GroupJobs({ workflow, group }: { workflow: number; group: GraphGroup }) {
  const [status, setStatus] = useState<JobStatus | null>(null);
  const pages = useInfiniteQuery({
    queryKey: ['jobs', workflow, 'group', group.label, status],
    queryFn: ({ pageParam }) =>
      call('listJobs', workflow, {
        limit: PAGE,
        group: group.label,
        ...(pageParam !== null && { after: pageParam }),
        ...(status !== null && { status: [status] }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const jobs = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      title={visibleText(group.label)}
      beside={
        <fieldset className="flex flex-wrap gap-1.5">
          <legend className="sr-only">Only jobs with this status</legend>
          {presentStatuses(group.counts).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === status}
              onClick={() => setStatus(each === status ? null : each)}
              className={`inline-flex cursor-pointer items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-sm ${each === status ? 'border-accent bg-raised font-medium' : 'border-line bg-card hover:bg-raised'}`}
            >
              <ToneIcon tone={toneOf(each)} />
              {statusWords(each)}
              <span className="text-quiet">{group.counts[each].toLocaleString('en-GB')}</span>
            </button>
          ))}
        </fieldset>
      }
    >
      {pages.error !== null && <Problem error={pages.error} />}
      {pages.isPending && <Loading />}
      {jobs.length > 0 && (
        <Card className="p-2">
          <ul aria-label="Jobs of the group" className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-3">
            {jobs.map((job) => (
              <li
                key={job.id}
                className="flex min-w-0 items-center gap-3 rounded px-2 py-1 text-sm hover:bg-raised"
              >
                <Link
                  to={pageUrl('job', { workflow_id: workflow, job_id: job.id })}
                  title={jobLabel(job)}
                  className="min-w-0 grow truncate font-medium hover:underline"
                >
                  {visibleText(jobLabel(job))}
                </Link>
                <StatusMark tone={toneOf(job.status)}>{statusWords(job.status)}</StatusMark>
              </li>
            ))}
          </ul>
          <div className="flex items-center gap-3 px-2 pt-2 text-xs text-quiet">
            {pages.hasNextPage && (
              <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                Show more
              </Button>
            )}
            <span role="status">{jobs.length.toLocaleString('en-GB')} shown</span>
          </div>
        </Card>
      )}
    </Section>
  );
}
