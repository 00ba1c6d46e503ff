import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditRecord } from '../../src/contract/records/records.ts';
import { ENGINE_ACTOR } from '../../src/core/request/engine-actor.ts';
import { fullHistoryText, historyText } from '../../src/views/requests/history-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { MoreButton } from '../parts/more-button.tsx';
import { capitalised, Problem } from '../parts/notice.tsx';
import { Card, Empty, Loading, Section } from '../parts/section.tsx';
import { fullTime } from '../parts/times.ts';

const PAGE = 50;

/** What happened to the request and who did it, newest first, in the words of `holdfast requests history`. */
export function HistoryList({ name }: { name: string }) {
  const pages = useInfiniteQuery({
    queryKey: ['history', name],
    queryFn: ({ pageParam }) =>
      call('requestHistory', name, { limit: PAGE, ...(pageParam !== null && { after: pageParam }) }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  const entries = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title="History">
      {pages.error !== null && <Problem error={pages.error} />}
      {pages.isPending && <Loading />}
      {pages.isSuccess && entries.length === 0 && <Empty>Nothing has happened yet.</Empty>}
      {entries.length > 0 && (
        <Card>
          <ol className="divide-y divide-line text-sm" aria-label="History">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        </Card>
      )}
      <MoreButton pages={pages} />
    </Section>
  );
}

/** What needs no line of its own, such as the admission before a round, is named and kept in the background. */
function Entry({ entry }: { entry: AuditRecord }) {
  return (
    <li className="grid gap-x-4 px-4 py-2 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <time dateTime={new Date(entry.at_ms).toISOString()} className="text-quiet tabular-nums">
        {fullTime(entry.at_ms)}
      </time>
      <span className={`wrap-anywhere ${historyText(entry) === null ? 'text-quiet' : ''}`}>
        {capitalised(fullHistoryText(entry))}
        {entry.actor !== ENGINE_ACTOR && <span className="text-quiet"> by {visibleText(entry.actor)}</span>}
      </span>
    </li>
  );
}
