import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AllocationRecord } from '../../src/contract/records/allocation.ts';
import { call } from '../api/call.ts';
import { setQuery, usePlace } from '../app/router.ts';
import { Choice } from '../parts/choice.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { DoneNote } from '../parts/done-note.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { Problem } from '../parts/notice.tsx';
import { Empty, Section } from '../parts/section.tsx';
import { AllocationRow } from './allocation-row.tsx';
import { OPEN_ALLOCATIONS } from './open-allocations.ts';

const PAGE = 50;
const SHOWN = { '': 'Open', all: 'All' };

/** Allocations of schedulers of workflows, newest first: those that have not ended, or all. */
export function AllocationList() {
  const { query } = usePlace();
  const isAll = query.get('allocations') === 'all';
  const [canceled, setCanceled] = useState<AllocationRecord | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const pages = useInfiniteQuery({
    queryKey: ['allocations', isAll],
    queryFn: ({ pageParam }) =>
      call('listAllocations', {
        limit: PAGE,
        ...(!isAll && { state: OPEN_ALLOCATIONS }),
        ...(pageParam !== null && { after: pageParam }),
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const allocations = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      title="Allocations"
      beside={
        <Choice
          label="Which allocations"
          options={SHOWN}
          value={isAll ? 'all' : ''}
          onChange={(value) => setQuery({ allocations: value })}
        />
      }
    >
      <div className="flex flex-col gap-3">
        <DoneNote words={done} />
        {pages.error !== null && <Problem error={pages.error} />}
        {pages.isSuccess && allocations.length === 0 && (
          <Empty>
            {isAll
              ? 'No allocation yet: workflows with a scheduler ask a cluster for them.'
              : 'No allocation is open.'}
          </Empty>
        )}
        {allocations.length > 0 && (
          <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
            {allocations.map((allocation) => (
              <AllocationRow
                key={allocation.id}
                allocation={allocation}
                onCancel={() => setCanceled(allocation)}
              />
            ))}
          </ul>
        )}
      </div>
      <MoreButton pages={pages} />
      {canceled !== null && (
        <ConfirmDialog
          title={`Cancel allocation ${canceled.id}`}
          verb={`Cancel allocation ${canceled.id}`}
          isDangerous
          reasonHint="Recorded with the allocation, for those who look later."
          act={(reason) => call('cancelAllocation', canceled.id, reason)}
          onDone={({ id }) => setDone(`Allocation ${id} is being canceled.`)}
          onClose={() => setCanceled(null)}
        >
          <p>
            {canceled.state === 'running'
              ? 'What runs in it is lost, free of charge: its jobs are started again elsewhere.'
              : 'It has not begun; nothing runs in it.'}
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
