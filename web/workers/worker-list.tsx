import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WorkerRecord } from '../../src/contract/records/records.ts';
import { call } from '../api/call.ts';
import { setQuery, usePlace } from '../app/router.ts';
import { useMay } from '../app/session.ts';
import { Choice } from '../parts/choice.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { DoneNote } from '../parts/done-note.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { Problem } from '../parts/notice.tsx';
import { Empty, Loading, Section } from '../parts/section.tsx';
import { counted } from '../parts/words.ts';
import { OPEN_ALLOCATIONS } from './open-allocations.ts';
import { WorkerCard } from './worker-card.tsx';

const PAGE = 50;
const SHOWN = { '': 'Present', all: 'All' };

/** Workers, newest first: those that are present, or also those that have left. */
export function WorkerList() {
  const { query } = usePlace();
  const mayOperate = useMay('operator');
  const isAll = query.get('workers') === 'all';
  const [drained, setDrained] = useState<WorkerRecord | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const pages = useInfiniteQuery({
    queryKey: ['workers', isAll],
    queryFn: ({ pageParam }) =>
      call('listWorkers', {
        limit: PAGE,
        ...(!isAll && { present: true }),
        ...(pageParam !== null && { after: pageParam }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const ordered = useQuery({
    queryKey: ['an open allocation'],
    queryFn: () => call('listAllocations', { limit: 1, state: OPEN_ALLOCATIONS }),
    enabled: pages.isSuccess && pages.data.pages[0]!.items.length === 0,
  });
  const isOrdered = (ordered.data?.items.length ?? 0) > 0;
  const workers = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      title="Workers"
      beside={
        <Choice
          label="Which workers"
          options={SHOWN}
          value={isAll ? 'all' : ''}
          onChange={(value) => setQuery({ workers: value })}
        />
      }
    >
      <div className="flex flex-col gap-3">
        <DoneNote words={done} />
        {pages.error !== null && <Problem error={pages.error} />}
        {pages.isPending && <Loading />}
        {pages.isSuccess && workers.length === 0 && (
          <Empty>
            {isOrdered ? (
              <span className="mb-1 block">
                No worker is here yet: one comes with each allocation below, once the cluster starts it.
              </span>
            ) : (
              'No worker is here, so no job can run. '
            )}
            <code className="font-mono text-sm">holdfast worker --server {location.origin}</code> starts one
            {isOrdered && ' at once'}.
          </Empty>
        )}
        {workers.length > 0 && (
          <ul className="flex flex-col gap-3">
            {workers.map((worker) => (
              <WorkerCard
                key={worker.id}
                worker={worker}
                onDrain={mayOperate ? () => setDrained(worker) : null}
              />
            ))}
          </ul>
        )}
      </div>
      <MoreButton pages={pages} />
      {drained !== null && (
        <ConfirmDialog
          title={`Drain worker ${drained.id} on ${drained.host}`}
          verb={`Drain worker ${drained.id}`}
          reasonHint={null}
          act={() => call('drainWorker', drained.id)}
          onDone={({ id }) => setDone(`Worker ${id} is draining: it leaves when its jobs have ended.`)}
          onClose={() => setDrained(null)}
        >
          <p>
            It ends{' '}
            {drained.running === 0 ? 'what it has' : `the ${counted(drained.running, 'job')} that it has`},
            takes nothing more, and leaves. This cannot be taken back.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
