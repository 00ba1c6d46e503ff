import { useInfiniteQuery } from '@tanstack/react-query';
import type { EventType } from '../../../src/contract/records/records.ts';
import { jobLabel } from '../../../src/core/job/job-label.ts';
import { evaluationText } from '../../../src/views/events/evaluation-text.ts';
import { routeTrace, type TraceEntry, traceRouteText } from '../../../src/views/route-trace.ts';
import { visibleText } from '../../../src/views/visible-text.ts';
import { call } from '../../api/call.ts';
import { Link } from '../../app/link.tsx';
import { pageUrl } from '../../app/router.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/notice.tsx';
import { Card, Empty, Loading } from '../../parts/section.tsx';
import { StatusMark, type Tone } from '../../parts/status-icon.tsx';
import { fullTime } from '../../parts/times.ts';

const PAGE = 200;

/** Of what a trace consists. Successes are left out, as where a run ends. */
const TYPES: EventType[] = [
  'retry',
  'remediation',
  'call',
  'goto',
  'loop_abort',
  'supersede',
  'failure',
  'evaluation_failure',
];

/** What led where: routes that were taken, and failures that nothing was done about. Newest first. */
export function RoutesView({ workflow }: { workflow: number }) {
  const pages = useInfiniteQuery({
    queryKey: ['routes', workflow],
    queryFn: ({ pageParam }) =>
      call('listEvents', workflow, {
        sort: '-id',
        limit: PAGE,
        type: TYPES,
        ...(pageParam !== null && { after: pageParam }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  if (pages.error !== null) return <Problem error={pages.error} />;
  if (pages.isPending) return <Loading />;
  const entries = routeTrace(pages.data.pages.flatMap(({ items }) => items));
  if (entries.length === 0 && !pages.hasNextPage) {
    return <Empty>No route was taken, and nothing failed for good.</Empty>;
  }
  return (
    <div className="flex flex-col gap-3">
      <Card>
        <ol aria-label="Routes, newest first" className="divide-y divide-line text-sm">
          {entries.map((entry) => (
            <RouteLine
              key={`${entry.at_ms} ${entry.job_id} ${entry.attempt_id} ${entry.route} ${entry.to.join()}`}
              workflow={workflow}
              entry={entry}
            />
          ))}
        </ol>
      </Card>
      {pages.hasNextPage && (
        <div>
          <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show earlier ones
          </Button>
        </div>
      )}
    </div>
  );
}

function toneOfRoute(route: TraceEntry['route']): Tone {
  if (route === 'failure' || route === 'loop_abort' || route === 'evaluation_failure') return 'bad';
  return route === 'superseded' || route === 'none' ? 'off' : 'asks';
}

function RouteLine({ workflow, entry }: { workflow: number; entry: TraceEntry }) {
  const { at_ms, job_id, step, scope, attempt_id, why, loop, max_loops, evaluations } = entry;
  const notes = [
    loop !== null && `loops${scope === '' ? '' : ` in ${scope}`}: ${loop} of ${max_loops}`,
    ...evaluations.map(evaluationText),
  ].filter((note) => note !== false);
  return (
    <li className="grid gap-x-4 px-4 py-2 sm:grid-cols-[11rem_minmax(0,14rem)_minmax(0,1fr)]">
      <time className="text-quiet tabular-nums">{fullTime(at_ms)}</time>
      <span className="flex min-w-0 gap-2">
        <Link
          to={pageUrl('job', { workflow_id: workflow, job_id })}
          title={jobLabel({ name: step, scope })}
          className="truncate font-medium hover:underline"
        >
          {visibleText(jobLabel({ name: step, scope }))}
        </Link>
        {attempt_id !== null && <span className="shrink-0 text-quiet">attempt {attempt_id}</span>}
      </span>
      <span className="min-w-0 wrap-anywhere">
        <span className="mr-2 font-medium">
          <StatusMark tone={toneOfRoute(entry.route)}>{visibleText(traceRouteText(entry))}</StatusMark>
        </span>
        {visibleText(why)}
        {notes.map((note) => (
          <span key={note} className="block text-quiet">
            {visibleText(note)}
          </span>
        ))}
      </span>
    </li>
  );
}
