import type { AllocationRecord } from '../../src/contract/records/allocation.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { allocationReason } from '../../src/views/workers/allocation-reason.ts';
import { Link } from '../app/link.tsx';
import { useWorkflow } from '../app/rights.ts';
import { pageUrl } from '../app/router.ts';
import { Button } from '../parts/button.tsx';
import { StatusMark, type Tone } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';

const TONES: Record<AllocationRecord['state'], Tone> = {
  planned: 'waits',
  submitting: 'waits',
  queued: 'waits',
  running: 'runs',
  ended: 'off',
};

/** An allocation: whose it is, why it waits or how it ended, and when. */
export function AllocationRow({
  allocation,
  onCancel,
}: {
  allocation: AllocationRecord;
  onCancel: () => void;
}) {
  const { id, workflow_id, scheduler, cluster_id, state, never, cancel_reason, workers } = allocation;
  const workflow = useWorkflow(workflow_id);
  const mayCancel = workflow?.may_change === true;
  const reason = allocationReason(allocation);
  return (
    <li className="grid gap-x-6 gap-y-1 px-4 py-3 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] md:items-center">
      <div className="min-w-0">
        <p className="wrap-anywhere">
          <span className="font-semibold">Allocation {id}</span>
          {cluster_id !== null && <span className="text-quiet">, Slurm {visibleText(cluster_id)}</span>}
        </p>
        <p className="text-sm text-quiet wrap-anywhere">
          scheduler {visibleText(scheduler)} of{' '}
          <Link to={pageUrl('workflow', { workflow_id })} className="underline">
            {workflow === undefined ? `workflow ${workflow_id}` : visibleText(workflow.name)}
          </Link>
        </p>
      </div>
      <div className="min-w-0 text-sm">
        <p>
          <StatusMark tone={never ? 'bad' : TONES[state]}>{state}</StatusMark>
          {workers > 0 && <span className="ml-3 text-quiet">{counted(workers, 'worker')}</span>}
        </p>
        {reason !== null && <p className="wrap-anywhere">{visibleText(reason)}</p>}
        <p className="text-quiet">
          <Times allocation={allocation} />
        </p>
      </div>
      <div className="flex justify-end">
        {mayCancel && state !== 'ended' && cancel_reason === null && (
          <Button aria-label={`Cancel allocation ${id}`} onClick={onCancel}>
            Cancel …
          </Button>
        )}
      </div>
    </li>
  );
}

/** What is known best: its end, its start, when it is expected, or when it was ordered. */
function Times({ allocation }: { allocation: AllocationRecord }) {
  const { ended_at_ms, started_at_ms, starts_at_ms, ends_at_ms, ordered_at_ms } = allocation;
  if (ended_at_ms !== null)
    return (
      <>
        ended <TimeText at={ended_at_ms} />
      </>
    );
  if (started_at_ms !== null) {
    return (
      <>
        started <TimeText at={started_at_ms} />
        {ends_at_ms !== null && (
          <>
            , ends <TimeText at={ends_at_ms} />
          </>
        )}
      </>
    );
  }
  if (starts_at_ms !== null)
    return (
      <>
        expected to start <TimeText at={starts_at_ms} />
      </>
    );
  return (
    <>
      ordered <TimeText at={ordered_at_ms} />
    </>
  );
}
